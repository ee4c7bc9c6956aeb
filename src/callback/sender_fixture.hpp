// A SenderCore with a real store, a clock that the test moves, and a network that the test
// simulates.
#pragma once

#include <condition_variable>
#include <fstream>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "callback/sender_core.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::callback {

struct SenderFixture : ::testing::Test {
    struct Sent {
        outbound::Request request;
        outbound::ResponseHandler answer;
    };

    SenderFixture() { committer.start(); }
    ~SenderFixture() override { committer.stop(); }

    std::unique_ptr<SenderCore> new_core(Options options) {
        return std::make_unique<SenderCore>(
            queue_clock, random, committer, [this](model::AccountId) { return secrets; },
            [this](model::AccountId) { return batch; }, options,
            [this](outbound::Request request, outbound::ResponseHandler done) {
                attempts.push_back({.request = std::move(request), .answer = std::move(done)});
            },
            [] {},
            [this](std::move_only_function<void()> work) {
                const std::lock_guard lock{mutex};
                posted.push_back(std::move(work));
                something_posted.notify_one();
            });
    }

    void start(Options options = {}) {
        core = new_core(options);
        ASSERT_TRUE(core->recover(*store->open_reader()));
        run();
    }

    /// Steps until there is nothing to do now.
    void run() {
        do {
            core->step();
        } while (core->next_step_at() == SteadyTime::min());
    }

    /// Commits a callback; the core is not told.
    [[nodiscard]] model::Callback commit(
        std::int64_t origin_key = 7, std::string url = "https://toko.example.com/status",
        std::int64_t account = 1, model::CallbackKind kind = model::CallbackKind::device_event) {
        model::Callback callback;
        callback.id = ids.next();
        callback.account = {.value = account};
        callback.kind = kind;
        callback.url = std::move(url);
        callback.origin_key = origin_key;
        callback.body = R"({"code":200})";
        callback.created_at = queue_clock.now();
        EXPECT_TRUE(committer.change_and_wait(
            [&callback](store::Tables& tables) { return tables.add_callback(callback); }));
        return callback;
    }

    /// Commits a callback and hands it to the core, as the gateway does.
    model::EventId send(std::int64_t origin_key = 7) { return send_of(1, origin_key); }
    model::EventId send_of(std::int64_t account, std::int64_t origin_key) {
        auto callback = commit(origin_key, "https://toko.example.com/status", account);
        const auto id = callback.id;
        core->add(std::move(callback));
        run();
        return id;
    }

    /// Answers the attempt and waits until the result is durable and known to the core.
    void answer(std::size_t place, Result<outbound::Response> response) {
        attempts.at(place).answer(std::move(response));
        settle();
    }
    void answer(std::size_t place, std::uint16_t status) {
        answer(place, outbound::Response{.status = status});
    }

    /// Runs the function that the committer posted after one result.
    void settle() {
        std::move_only_function<void()> work;
        {
            std::unique_lock lock{mutex};
            ASSERT_TRUE(something_posted.wait_for(lock, std::chrono::seconds{30},
                                                  [this] { return !posted.empty(); }));
            work = std::move(posted.front());
            posted.erase(posted.begin());
        }
        work();
        run();
    }

    void pass_time(Millis time) {
        clock.advance(time);
        run();
    }

    /// Changes rows behind the store's back.
    void damage(const std::string& sql) {
        sqlite3* connection = nullptr;
        ASSERT_EQ(sqlite3_open(folder.file("merpati.db").c_str(), &connection), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(connection);
        sqlite3_close(connection);
    }

    /// Empties the first page of a table or index, as a disk may.
    void damage_page(const std::string& name) {
        const auto file = folder.file("merpati.db");
        sqlite3* connection = nullptr;
        ASSERT_EQ(sqlite3_open(file.c_str(), &connection), SQLITE_OK);
        const auto number = [](void* page, int, char** values, char**) {
            *static_cast<long*>(page) = std::stol(values[0]);
            return 0;
        };
        long page = 0;
        const auto find =
            "PRAGMA wal_checkpoint(TRUNCATE);"
            "SELECT pageno FROM dbstat WHERE name = '" +
            name + "' LIMIT 1";
        EXPECT_EQ(sqlite3_exec(connection, find.c_str(), number, &page, nullptr), SQLITE_OK);
        sqlite3_close(connection);
        ASSERT_GT(page, 0);
        std::fstream bytes{file, std::ios::in | std::ios::out | std::ios::binary};
        bytes.seekp((page - 1) * 4'096);
        bytes << std::string(4'096, '\0');
        ASSERT_TRUE(bytes.flush());
    }

    [[nodiscard]] model::CallbackProgress stored(model::EventId id) {
        const auto found = (*store->open_reader())->callback(id);
        EXPECT_TRUE(found && *found);
        return (*found)->progress;
    }

    testing::TemporaryFolder folder;
    testing::ManualClock clock;
    QueueClock queue_clock{clock};
    testing::FixedRandom random;
    UuidSource ids{clock, random};
    std::unique_ptr<store::Store> store =
        std::move(*store::open_store({.url = "sqlite:" + folder.file("merpati.db")}));
    store::Committer committer{clock, *store, {}, [](const Error&) {}};
    std::vector<Bytes> secrets{Bytes(32)};  // Of each account.
    std::optional<model::CallbackBatch> batch;
    std::vector<Sent> attempts;
    std::mutex mutex;
    std::condition_variable something_posted;
    std::vector<std::move_only_function<void()>> posted;
    std::unique_ptr<SenderCore> core;
};

}  // namespace merpati::callback
