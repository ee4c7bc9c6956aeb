// The cost of lists. Counts SQLite's steps, so that a query plan that scans instead of seeking
// fails the test on any machine.
#include <fmt/format.h>
#include <sqlite3.h>

#include "store/conformance/store_fixture.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/rows.hpp"
#include "store/sqlite/sqlite_engine_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;

/// Counts the instructions of all connections that are opened while it lives. They must be closed
/// before it is destroyed.
class StepCount {
public:
    StepCount() {
        steps = 0;
        sqlite3_auto_extension(reinterpret_cast<void (*)()>(&watch));
    }
    ~StepCount() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(&watch)); }
    StepCount(const StepCount&) = delete;
    StepCount& operator=(const StepCount&) = delete;

    [[nodiscard]] static int take() { return std::exchange(steps, 0); }

private:
    static int watch(sqlite3* connection, const char** /*error*/, const void* /*functions*/) {
        sqlite3_progress_handler(
            connection, 1,
            [](void* /*nothing*/) {
                ++steps;
                return 0;
            },
            nullptr);
        return SQLITE_OK;
    }

    static inline int steps = 0;
};

struct ListCostTest : StoreTest {};

TEST_P(ListCostTest, SilentSpansCostAPageOfCallbacksNoWalkThroughTheOthers) {
    constexpr int callbacks = 100;
    constexpr int spans = 20;
    for (int one = 0; one < callbacks; ++one) {
        finished_with_callback();
    }
    const StepCount count;
    const auto lists = reader();
    const CallbackFilter page{.account = account, .limit = 5};
    (void)count.take();
    EXPECT_EQ(take(lists->callbacks(page)).records.size(), 5);
    const int at_once = count.take();
    for (int span = 0; span < spans; ++span) {
        clock.advance(24h);
        accepted();
    }
    (void)count.take();
    EXPECT_EQ(take(lists->callbacks(page)).records.size(), 5);
    EXPECT_GT(at_once, 0);
    EXPECT_LT(count.take(), at_once + spans * callbacks);
}

TEST_P(ListCostTest, WaitingMessagesAreCountedNoFurtherThanAskedFor) {
    WriteBatch batch;
    for (int one = 0; one < 2'000; ++one) {
        batch.accepts.push_back({.message = message()});
    }
    write(batch);
    const StepCount count;
    const auto lists = reader();
    (void)count.take();
    EXPECT_EQ(take(lists->waiting_messages(100)), 100);
    EXPECT_LT(count.take(), 1'000);
    EXPECT_EQ(take(lists->waiting_messages(10'000)), 2'000);
}

TEST_P(ListCostTest, ALaneWithVeryManyMessagesInOneBucketIsReadInPart) {
    const auto bucket = sqlite::bucket_of(clock.now() + 1h);
    const auto begin = sqlite::bucket_start(bucket);
    store.reset();
    {
        sqlite::Connection connection{(directory.path() / "merpati.db").string(),
                                      sqlite::Access::read_write};
        connection.execute(
            fmt::format(
                "INSERT INTO queue(device, source, bucket, id, tail, due_at, attempts, intent) "
                "WITH RECURSIVE ids(id) AS "
                "(SELECT 1 UNION ALL SELECT id + 1 FROM ids LIMIT 300000) "
                "SELECT {}, 0, {}, id, 7, {}, 0, 0 FROM ids",
                device.value(), bucket, to_unix_millis(begin + 15s))
                .c_str());
    }
    store = take(open_store(options));
    constexpr int steps_max = 20 * static_cast<int>(Reader::step_rows_max);
    const StepCount count;
    const auto lane = reader();
    const auto known = [](const auto&) { return false; };
    (void)count.take();
    EXPECT_TRUE(take(lane->load_lane(device, model::Source::api, begin + 1s, 100, known)).empty());
    EXPECT_LT(count.take(), steps_max);
    EXPECT_EQ(take(lane->next_due(device, model::Source::api, begin + 1s)), begin + 15s);
    EXPECT_LT(count.take(), steps_max);
    EXPECT_EQ(take(lane->next_due(device, model::Source::api, begin + 15s + 1ms)),
              sqlite::bucket_start(bucket + 1))
        << "others may be due until then";
    EXPECT_LT(count.take(), steps_max);
}

INSTANTIATE_TEST_SUITE_P(Engines, ListCostTest, ::testing::Values(sqlite::engine()), name_of);

}  // namespace
}  // namespace merpati::store
