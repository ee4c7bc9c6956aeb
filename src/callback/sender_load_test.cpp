// What is read from the store meets what is on its way from its commit.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/uuid.hpp"
#include "callback/sender_core.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::callback {
namespace {

struct SenderLoadTest : ::testing::Test {
    SenderLoadTest() {
        auto pattern = (std::filesystem::temp_directory_path() / "merpati-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
        store = *store::open_store({.url = "sqlite:" + (folder / "merpati.db").string()});
        committer = std::make_unique<store::Committer>(clock, *store, store::CommitterOptions{},
                                                       [](const Error&) {});
    }
    ~SenderLoadTest() override {
        committer.reset();
        store.reset();
        std::filesystem::remove_all(folder);
    }

    [[nodiscard]] model::Callback commit() {
        model::Callback callback;
        callback.id = ids.next();
        callback.account = {.value = 1};
        callback.kind = model::CallbackKind::device_event;
        callback.url = "https://toko.example.com/status";
        callback.origin_key = 7;
        callback.body = "{}";
        callback.created_at = clock.now();
        store::WriteBatch batch;
        batch.changes.push_back(
            {.run = [&callback](store::Tables& tables) { return tables.add_callback(callback); }});
        EXPECT_TRUE(store->write(batch));
        EXPECT_TRUE(batch.changes.front().result);
        return callback;
    }

    std::filesystem::path folder;
    testing::ManualClock clock;
    testing::FixedRandom random;
    UuidSource ids{clock, random};
    std::unique_ptr<store::Store> store;
    std::unique_ptr<store::Committer> committer;
    std::vector<std::string> attempts;  // The header lines of each.
};

TEST_F(SenderLoadTest, ACallbackReadBeforeItIsHandedOverIsAttemptedOnce) {
    // One place: the first is attempted, the others wait in memory.
    SenderCore core{clock,
                    random,
                    *committer,
                    [](model::AccountId) { return std::vector<Bytes>{Bytes(32)}; },
                    Options{.per_origin_max = 1},
                    [this](outbound::Request request, const outbound::ResponseHandler&) {
                        attempts.push_back(request.headers);
                    },
                    [](std::move_only_function<void()>) {}};
    auto first = commit();
    ASSERT_TRUE(core.recover(*store->open_reader()));
    auto second = commit();
    core.step();  // Reads both from the store.
    EXPECT_EQ(attempts.size(), 1U);
    EXPECT_EQ(core.counts().in_memory, 1U);

    core.add(std::move(first));
    core.add(std::move(second));
    core.step();
    EXPECT_EQ(attempts.size(), 1U);
    EXPECT_EQ(core.counts().in_memory, 1U);
}

}  // namespace
}  // namespace merpati::callback
