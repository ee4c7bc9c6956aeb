#include "config/table.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace merpati::config {
namespace {

TEST(TableTest, EveryKeyOfTheOperatorsPromiseIsThere) {
    for (const auto* key : {"http.listen",
                            "http.tls.certificate",
                            "http.tls.key",
                            "http.threads",
                            "store.url",
                            "store.key_file",
                            "outbound.allow",
                            "outbound.ca_file",
                            "outbound.allow_http_callbacks",
                            "api.default_revision",
                            "api.random_delay_max",
                            "api.revision_b.wait",
                            "api.revision_b.respond",
                            "api.rate",
                            "media.max_bytes",
                            "media.folder",
                            "media.kept_bytes_max",
                            "media.kept_for",
                            "metrics.listen",
                            "metrics.token",
                            "log.level",
                            "log.format",
                            "simulator.latency_ms",
                            "simulator.log",
                            "simulator.dedupe",
                            "cloud.url",
                            "cloud.version",
                            "cloud.app_secret_file",
                            "cloud.verify_token",
                            "cloud.status_wait",
                            "devices.default_connector",
                            "scheduler.give_up"}) {
        EXPECT_NE(find_row(key), nullptr) << key;
    }
    EXPECT_EQ(find_row("http.tls"), nullptr);
}

TEST(TableTest, EveryRowReadsWhatItPrintsAndOnlyOneHasItsKey) {
    std::set<std::string> variables;
    for (const auto& row : rows()) {
        Settings settings;
        const auto before = row.print(settings);
        EXPECT_TRUE(row.assign(settings, before)) << row.key;
        EXPECT_EQ(row.print(settings), before) << row.key;
        EXPECT_TRUE(variables.insert(row.variable()).second) << row.key;
    }
}

TEST(TableTest, EveryRowChangesItsOwnMemberAlone) {
    for (const auto& row : rows()) {
        for (const auto* value :
             {"true", "7", "8080", "65000", "90s", "7/s", "B", "accepted", "error", "json",
              "linked", "10.0.0.0/8", "0.0.0.0:1", "sqlite:other.db", "/some/text/of-a-path"}) {
            Settings settings;
            if (!row.assign(settings, value) || row.print(settings) == row.print(Settings{})) {
                continue;
            }
            for (const auto& other : rows()) {
                EXPECT_TRUE(&other == &row || other.print(settings) == other.print(Settings{}))
                    << row.key << " changed " << other.key;
            }
        }
    }
}

TEST(TableTest, AWrongValueSetsNothing) {
    for (const auto& row : rows()) {
        Settings settings;
        EXPECT_FALSE(row.assign(settings, "\n\x01 no value of any kind")) << row.key;
        EXPECT_EQ(row.print(settings), row.print(Settings{})) << row.key;
    }
}

TEST(TableTest, EveryExampleIsAValue) {
    for (const auto& row : rows()) {
        Settings settings;
        EXPECT_TRUE(row.example.empty() || row.assign(settings, row.example)) << row.key;
    }
}

TEST(TableTest, NamesTheVariableWithTwoUnderscoresForADot) {
    EXPECT_EQ(find_row("api.revision_b.wait")->variable(), "MERPATI_API__REVISION_B__WAIT");
    EXPECT_EQ(find_row("http.listen")->variable(), "MERPATI_HTTP__LISTEN");
}

TEST(TableTest, ShowsNoSecret) {
    EXPECT_EQ(find_row("metrics.token")->show("0123456789abcdef"), "***");
    EXPECT_EQ(find_row("metrics.token")->show(""), "");
    EXPECT_EQ(find_row("store.url")->show("postgresql://u:p@h/d"), "postgresql://u:***@h/d");
}

TEST(TableTest, TheOfficialPlatformIsReachedInTheClearOnThisMachineAlone) {
    const auto* url = find_row("cloud.url");
    Settings settings;
    EXPECT_EQ(settings.cloud.url, "https://graph.facebook.com");
    for (const auto* good : {"https://graph.example.com", "https://127.0.0.1:8443",
                             "http://127.0.0.1:9090", "http://127.0.0.1", "http://[::1]:9090"}) {
        EXPECT_TRUE(url->assign(settings, good)) << good;
        EXPECT_EQ(settings.cloud.url, good);
    }
    for (const auto* bad : {"", "http://graph.facebook.com", "http://127.0.0.1.example.com",
                            "https://graph.facebook.com/", "https://graph.facebook.com/v26.0",
                            "ftp://127.0.0.1", "https://"}) {
        EXPECT_FALSE(url->assign(settings, bad)) << bad;
    }
    for (const auto* bad : {"26.0", "v26", "v.0", "v26.", "v26.0/../x", "v1234.0"}) {
        EXPECT_FALSE(find_row("cloud.version")->assign(settings, bad)) << bad;
    }
    EXPECT_FALSE(find_row("cloud.status_wait")->assign(settings, "999ms"));
    EXPECT_EQ(find_row("cloud.verify_token")->show("geheim"), "***");
}

TEST(TableTest, SizesMayHaveUnits) {
    Settings settings;
    EXPECT_TRUE(find_row("media.max_bytes")->assign(settings, "2MiB"));
    EXPECT_EQ(settings.media.max_bytes, 2U << 20);
    EXPECT_FALSE(find_row("media.max_bytes")->assign(settings, "99999999999999999GiB"));
    EXPECT_FALSE(find_row("media.max_bytes")->assign(settings, "2MB"));
}

}  // namespace
}  // namespace merpati::config
