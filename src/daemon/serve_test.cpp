// The exit code of a server that cannot start, by which the service manager decides.
#include "daemon/serve.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "daemon/gateway_fixture.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::daemon {
namespace {

struct ServeTest : ::testing::Test {
    /// 0: it starts.
    int exit_code() {
        Gateway gateway{clock, random, settings, {}, telemetry::Log::none()};
        const auto started = gateway.start();
        gateway.stop();
        return started ? 0 : exit_code_of(started.error());
    }

    testing::TemporaryFolder folder;
    SystemClock clock;
    SystemRandom random;
    config::Settings settings = settings_in(folder);
};

TEST_F(ServeTest, AKeyFileOfAnotherStoreIsNotTriedAgain) {
    ASSERT_EQ(exit_code(), 0);
    const testing::TemporaryFolder other_folder;
    auto other = settings_in(other_folder);
    std::swap(settings, other);
    ASSERT_EQ(exit_code(), 0);
    settings.store.url = other.store.url;
    EXPECT_EQ(exit_code(), Gateway::exit_store_unfit);
    std::ofstream{*settings.store.key_file} << "no key\n";
    EXPECT_EQ(exit_code(), Gateway::exit_store_unfit);
    std::filesystem::remove(*settings.store.key_file);
    EXPECT_EQ(exit_code(), Gateway::exit_store_unfit);
    settings.store.key_file = other.store.key_file;
    EXPECT_EQ(exit_code(), 0);
}

TEST_F(ServeTest, ASchemaThatIsTooNewIsNotTriedAgain) {
    ASSERT_EQ(exit_code(), 0);
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open(folder.file("merpati.db").c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection, "PRAGMA user_version = 99999", nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(connection);
    EXPECT_EQ(exit_code(), Gateway::exit_store_unfit);
}

TEST_F(ServeTest, SettingsThatCannotBeUsedAreNotTriedAgain) {
    settings.outbound.allow = {"10.0.0.0/33"};
    EXPECT_EQ(exit_code(), Gateway::exit_wrong_settings);
}

TEST_F(ServeTest, WhatMayPassIsTriedAgain) {
    constexpr int again = 1;
    for (const auto code : {ErrorCode::busy, ErrorCode::io_failed, ErrorCode::store_failed,
                            ErrorCode::not_found, ErrorCode::refused}) {
        EXPECT_EQ(exit_code_of({.code = code, .detail = {}, .origin = {}}), again);
    }
    EXPECT_EQ(exit_code_of({.code = ErrorCode::fenced, .detail = {}, .origin = {}}),
              Gateway::exit_try_again);
}

}  // namespace
}  // namespace merpati::daemon
