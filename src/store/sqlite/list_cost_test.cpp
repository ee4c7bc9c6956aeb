// The cost of lists. Counts SQLite's steps, so that a query plan that scans instead of seeking
// fails the test on any machine.
#include <fmt/format.h>
#include <sqlite3.h>

#include "store/conformance/store_fixture.hpp"
#include "store/sql/rows.hpp"
#include "store/sqlite/connection.hpp"
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

struct ListCostTest : StoreTest {
    void write_to_file(const std::string& sql) {
        store.reset();
        sqlite::Connection{(directory.path() / "merpati.db").string(), sqlite::Access::read_write}
            .execute((sql + ";").c_str());
        store = take(open_store(options));
    }
};

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
    const auto bucket = sql::bucket_of(clock.now() + 1h);
    const auto begin = sql::bucket_start(bucket);
    write_to_file(
        fmt::format("INSERT INTO queue(device, source, bucket, id, tail, due_at, attempts, intent) "
                    "WITH RECURSIVE ids(id) AS "
                    "(SELECT 1 UNION ALL SELECT id + 1 FROM ids LIMIT 300000) "
                    "SELECT {}, 0, {}, id, 7, {}, 0, 0 FROM ids",
                    device.value(), bucket, to_unix_millis(begin + 15s)));
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
              sql::bucket_start(bucket + 1))
        << "others may be due until then";
    EXPECT_LT(count.take(), steps_max);
}

TEST_P(ListCostTest, AWalkThroughALanePassesOverABoundedNumberOfNewerMessagesAStep) {
    constexpr int newer = 300'000;
    const auto until = clock.now();
    const auto last = accepted_due(clock.now() + 2h);
    const auto bucket = sql::bucket_of(clock.now() + 1h);
    write_to_file(fmt::format(
        "INSERT INTO queue(device, source, bucket, id, tail, due_at, attempts, intent) "
        "WITH RECURSIVE ids(id) AS (SELECT {0} UNION ALL SELECT id + 1 FROM ids LIMIT {1}) "
        "SELECT {2}, 0, {3} + id % 3, id, 7, {4}, 0, 0 FROM ids",
        Uuid::sequence_at(until + 1s), newer, device.value(), bucket,
        to_unix_millis(clock.now() + 1h)));
    constexpr int steps_max = 30 * static_cast<int>(Reader::step_rows_max);
    const StepCount count;
    const auto lane = reader();
    std::vector<model::MessageId> met;
    int walked = 0;
    for (std::optional<LanePlace> place{std::in_place}; place; ++walked) {
        (void)count.take();
        auto step = take(lane->walk_lane(device, model::Source::api, *place, until, 256));
        EXPECT_LT(count.take(), steps_max);
        for (const auto& queued : step.messages) {
            met.push_back(queued.message->id);
        }
        place = step.next;
    }
    EXPECT_EQ(met, std::vector{last.id});
    EXPECT_LE(walked, newer / static_cast<int>(Reader::step_rows_max) + 2);
}

TEST_P(ListCostTest, AccountsWithoutCountsInTheRangeSpendTooWhatAnswersOfUsageMayRead) {
    const auto hour =
        std::chrono::floor<std::chrono::hours>(clock.now() - 1h).time_since_epoch().count();
    const auto add = [&](std::string_view columns, std::size_t rows) {
        write_to_file(fmt::format(
            "INSERT INTO usage(account, hour, device, source, state, code, messages) "
            "WITH RECURSIVE ids(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids LIMIT {}) "
            "SELECT {}, 0, 1, 0, 1 FROM ids",
            rows, columns));
    };
    add(fmt::format("{}, {}, id", account.value, hour), Reader::usage_counts_max - 10);
    add("1000 + id, 1, 1", 20);
    const auto asked = reader()->usage({.since = clock.now() - 1h, .until = clock.now()});
    ASSERT_FALSE(asked) << "20 accounts were looked up for nothing";
    EXPECT_EQ(asked.error().code, ErrorCode::refused);
}

TEST_P(ListCostTest, APageOfRescheduledMessagesReadsABoundedNumberOfBuckets) {
    constexpr int waiting = 60;
    constexpr int buckets = 3'000;
    for (int one = 0; one < waiting; ++one) {
        const auto made = accepted();
        WriteBatch batch;
        batch.reschedules.push_back({.message = made.id,
                                     .device = device,
                                     .queued_at = made.due_at,
                                     .queue_at = clock.now() + 24h});
        write(batch);
    }
    write_to_file(fmt::format(
        "INSERT INTO queue(device, source, bucket, id, tail, due_at, attempts, intent) "
        "WITH RECURSIVE ids(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids LIMIT {}) "
        "SELECT {}, 0, {} + id, id, 7, {}, 0, 0 FROM ids",
        buckets, device.value(), sql::bucket_of(clock.now()), to_unix_millis(clock.now())));
    const StepCount count;
    const auto lists = reader();
    (void)count.take();
    std::size_t shown = 0;
    MessageFilter filter{.account = account, .limit = waiting};
    for (bool more = true; more;) {
        const auto page = take(lists->messages(filter));
        EXPECT_LT(count.take(), 2'000'000);
        for (const auto& record : page.records) {
            EXPECT_EQ(record.state, model::MessageState::pending);
            EXPECT_EQ(record.queued_at, clock.now() + 24h);
        }
        shown += page.records.size();
        more = page.next.has_value();
        filter.before = page.next;
    }
    EXPECT_EQ(shown, waiting);
}

INSTANTIATE_TEST_SUITE_P(Engines, ListCostTest, ::testing::Values(sqlite::engine()), name_of);

}  // namespace
}  // namespace merpati::store
