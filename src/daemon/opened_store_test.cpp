// How a process ends whose store has failed.
#include "daemon/opened_store.hpp"

#include <gtest/gtest.h>

#include "daemon/gateway.hpp"

namespace merpati::daemon {
namespace {

using ::testing::ExitedWithCode;

constexpr const char* database = "postgresql://merpati@/db";
constexpr const char* file = "sqlite:merpati.db";

void end(const char* url, ErrorCode code) {
    end_process(telemetry::Log::none(), {.url = url}, fail(code, "no reason").error());
}

TEST(EndProcessDeathTest, AFileThatFailedIsTriedAgainByAPersonAlone) {
    EXPECT_EXIT(end(file, ErrorCode::store_failed), ExitedWithCode(Gateway::exit_store_failed), "");
}

TEST(EndProcessDeathTest, ADatabaseThatFailedIsTriedAgain) {
    EXPECT_EXIT(end(database, ErrorCode::store_failed), ExitedWithCode(Gateway::exit_try_again),
                "");
    EXPECT_EXIT(end(database, ErrorCode::fenced), ExitedWithCode(Gateway::exit_try_again), "");
}

TEST(EndProcessDeathTest, DamageIsNotTriedAgain) {
    for (const auto* url : {file, database}) {
        EXPECT_EXIT(end(url, ErrorCode::damaged), ExitedWithCode(Gateway::exit_store_damaged), "");
    }
}

}  // namespace
}  // namespace merpati::daemon
