// The cost of lists. Counts SQLite's steps, so that a query plan that scans instead of seeking
// fails the test on any machine.
#include <sqlite3.h>

#include "store/conformance/store_fixture.hpp"
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
    EXPECT_EQ(take(lists->callbacks(page)).size(), 5);
    const int at_once = count.take();
    for (int span = 0; span < spans; ++span) {
        clock.advance(24h);
        accepted();
    }
    (void)count.take();
    EXPECT_EQ(take(lists->callbacks(page)).size(), 5);
    EXPECT_GT(at_once, 0);
    EXPECT_LT(count.take(), at_once + spans * callbacks);
}

INSTANTIATE_TEST_SUITE_P(Engines, ListCostTest, ::testing::Values(sqlite::engine()), name_of);

}  // namespace
}  // namespace merpati::store
