// Many writers at once, through a committer.
#include <atomic>
#include <thread>

#include "base/clock.hpp"
#include "store/committer.hpp"
#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

struct ConcurrencyTest : StoreTest {
    SystemClock system_clock;
};

TEST_P(ConcurrencyTest, ManyThreadsSpendABalanceExactlyOnce) {
    constexpr int threads = 4;
    constexpr int each = 200;
    account = create_account(threads * each / 2);
    ASSERT_TRUE(add_device({.number = device_of(account), .account = account}));
    Committer committer{system_clock, *store, {}, [](const Error&) { FAIL(); }};
    committer.start();
    std::atomic<int> stored = 0;
    std::atomic<int> exhausted = 0;
    std::vector<std::jthread> senders;
    for (int number = 0; number < threads; ++number) {
        senders.emplace_back([&] {
            for (int count = 0; count < each; ++count) {
                EXPECT_TRUE(committer.accept({.message = message()}, [&](Accept&& accept) {
                    (accept.result == Accept::Result::stored ? stored : exhausted) += 1;
                }));
            }
        });
    }
    senders.clear();
    committer.stop();
    EXPECT_EQ(stored, threads * each / 2);
    EXPECT_EQ(exhausted, threads * each / 2);
    EXPECT_EQ(credit_of(account), 0);
    EXPECT_EQ(take(reader()->waiting_messages(100'000)), threads * each / 2);
}

TEST_P(ConcurrencyTest, TwoWritersOfDifferentFieldsOverwriteNothing) {
    constexpr int rounds = 100;
    Committer committer{system_clock, *store, {}, [](const Error&) { FAIL(); }};
    committer.start();
    const auto patch_of = [](int writer, int round) {
        AccountPatch patch;
        (writer == 0 ? patch.name : patch.callback_url) = std::to_string(round);
        return patch;
    };
    std::vector<std::jthread> writers;
    for (const int writer : {0, 1}) {
        writers.emplace_back([&, writer] {
            for (int round = 1; round <= rounds; ++round) {
                EXPECT_TRUE(committer.change(
                    [&, patch = patch_of(writer, round)](Tables& tables) -> Result<void> {
                        const auto done = tables.update_account(account, patch);
                        return done ? Result<void>{} : std::unexpected(done.error());
                    },
                    [](const Result<void>& done) { EXPECT_TRUE(done); }));
            }
        });
    }
    writers.clear();
    committer.stop();
    const auto stored = take(reader()->account(account));
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->name, std::to_string(rounds));
    EXPECT_EQ(stored->callback_url, std::to_string(rounds));
}

TEST_P(ConcurrencyTest, RowsThatChangedAreReportedInOrderBeforeAnyoneIsAnswered) {
    Committer committer{system_clock, *store, {}, [](const Error&) { FAIL(); }};
    std::vector<std::string> heard;
    committer.on_row_changed = [&](RowChange&& change) {
        heard.push_back(std::get<DeviceWritten>(change).device.webhook_url);
    };
    const auto set = [&](const std::string& webhook) {
        return committer.change(
            [&, webhook](Tables& tables) -> Result<void> {
                const auto decided = tables.add_device(
                    {.number = device, .account = account, .webhook_url = webhook}, true);
                return decided ? Result<void>{} : pass(decided);
            },
            [&, webhook](const Result<void>& done) {
                EXPECT_TRUE(done);
                heard.push_back("answered " + webhook);
            });
    };
    ASSERT_TRUE(set("a"));  // Both wait for `start`, so they share a batch.
    ASSERT_TRUE(set("b"));
    committer.start();
    committer.stop();
    EXPECT_EQ(heard, (std::vector<std::string>{"a", "b", "answered a", "answered b"}));
}

INSTANTIATE_TEST_SUITE_P(Engines, ConcurrencyTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
