// The commands, on a store that no server has open.
#include <filesystem>
#include <fstream>

#include "cli/cli_fixture.hpp"
#include "cli/stopped_store.hpp"

namespace merpati::cli::testing {
namespace {

using CommandsTest = CliTest;

TEST_F(CommandsTest, AnAccountAKeyAndADeviceAreMadeBeforeAServerEverRan) {
    const auto account = json({"account", "create", "Toko Ani", "--credits", "10"});
    EXPECT_EQ(account.text("id"), "acc_1");
    EXPECT_THAT(account.text("webhook_secret"), HasSubstr("whsec_"));
    const auto key = json({"key", "create", "acc_1", "--revision", "A", "--name", "kasir"});
    EXPECT_THAT(key.text("key"), HasSubstr("mpt_"));
    EXPECT_EQ(key.text("id"), "key_1");
    const auto device = json({"device", "add", "acc_1", "6281100000001"});
    EXPECT_EQ(device.text("state"), "connected");
    EXPECT_EQ(json({"account", "list"}).json().as_array().size(), 1U);
    EXPECT_EQ(json({"key", "list", "acc_1"}).json().as_array().size(), 1U);
    EXPECT_EQ(json({"device", "list"}).json().as_array().size(), 1U);
    EXPECT_EQ(json({"device", "list", "acc_1"}).json().as_array().size(), 1U);
}

TEST_F(CommandsTest, EachFlagOfAnAccountReachesIt) {
    const auto made =
        json({"account", "create", "Toko", "--plan", "trial", "--credits", "10", "--expires",
              "2099-01-02T03:04:05Z", "--rate", "5/s", "--callback", "https://toko.example.com/",
              "--delivery", "at-most-once", "--devices-max", "3", "--country", "60"});
    const auto shown = json({"account", "show", "acc_1"}).json();
    EXPECT_EQ(shown.at("plan"), "trial");
    EXPECT_EQ(shown.at("credit"), 10);
    EXPECT_EQ(shown.at("expires_at"), "2099-01-02T03:04:05.000Z");
    EXPECT_EQ(shown.at("rate"), "5/s");
    EXPECT_EQ(shown.at("callback"), "https://toko.example.com/");
    EXPECT_EQ(shown.at("delivery"), "at-most-once");
    EXPECT_EQ(shown.at("devices_max"), 3);
    EXPECT_EQ(shown.at("country"), "60");
    const auto set = json({"account", "set", "acc_1", "--name", "Warung", "--credits", "none",
                           "--expires", "none", "--callback", "none", "--rate", "none"})
                         .json();
    EXPECT_EQ(set.at("name"), "Warung");
    EXPECT_TRUE(set.at("credit").is_null());
    EXPECT_TRUE(set.at("expires_at").is_null());
    EXPECT_TRUE(set.at("callback").is_null());
    EXPECT_EQ(set.at("rate"), "none");
    EXPECT_EQ(set.at("plan"), "trial");
}

TEST_F(CommandsTest, CreditIsToppedUpAndSecretsAreRotated) {
    const auto made = json({"account", "create", "Toko", "--credits", "1"});
    EXPECT_EQ(json({"account", "topup", "acc_1", "5"}).json().at("credit"), 6);
    const auto over = run({"account", "topup", "acc_1", "999999999995"});
    EXPECT_EQ(over.code, exit_failed);
    EXPECT_THAT(over.err, HasSubstr("an account can have at most 1000000000000"));
    const auto rotated = json({"account", "secret", "rotate", "acc_1", "--overlap", "2h"});
    EXPECT_NE(rotated.text("webhook_secret"), made.text("webhook_secret"));
}

TEST_F(CommandsTest, KeysAreRotatedAndRevoked) {
    json({"account", "create", "Toko"});
    const auto old = json({"key", "create", "acc_1"});
    const auto successor = json({"key", "rotate", "key_1", "--overlap", "3s"});
    EXPECT_NE(successor.text("key"), old.text("key"));
    EXPECT_EQ(successor.text("previous"), "key_1");
    json({"key", "rotate", "2", "--overlap", "90d"});  // The number of an id is enough.
    EXPECT_EQ(json({"key", "revoke", "key_2"}).text("state"), "revoked");
}

TEST_F(CommandsTest, AWayOfTheCodeMayFollowItsFlag) {
    json({"account", "create", "Toko"});
    json({"device", "add", "acc_1", "6281100000001"});
    const auto pair = [&](std::vector<std::string> options) {
        std::vector<std::string> arguments{"device", "pair"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return run(arguments);
    };
    const std::string number = "6281100000001";
    for (const auto& good : {std::vector<std::string>{number, "--code"},
                             {number, "--code", "sms"},
                             {"--code", "voice", number},
                             {"--code", number},
                             {number, "--pin", "123456"}}) {
        const auto done = pair(good);
        EXPECT_EQ(done.code, exit_failed) << done.err;
        EXPECT_THAT(done.err, HasSubstr("the server is stopped"));
    }
    for (const auto& wrong : {std::vector<std::string>{number, "--code", "fax"},
                              {number, "--pin", "12345"},
                              {number, "--pin", "12345x"},
                              {number, "--pin", "123456", "--code"},
                              {number, "--code=fax"},
                              {number, "sms"}}) {
        EXPECT_EQ(pair(wrong).code, exit_usage) << wrong.back();
    }
}

TEST_F(CommandsTest, ATokenIsReadFromItsFile) {
    json({"account", "create", "Toko"});
    json({"device", "add", "acc_1", "6281100000001"});
    const auto missing =
        run({"device", "set", "6281100000001", "--token-file", folder.file("none")});
    EXPECT_EQ(missing.code, exit_failed);
    EXPECT_THAT(missing.err, HasSubstr("none"));
    std::ofstream{folder.file("token")} << "EAAGtoken\n";
    const auto refused =
        run({"device", "set", "6281100000001", "--token-file", folder.file("token")});
    EXPECT_EQ(refused.code, exit_failed);
    EXPECT_THAT(refused.err, HasSubstr("is on the connector simulator"));
    EXPECT_THAT(refused.err, Not(HasSubstr("EAAGtoken")));
}

TEST_F(CommandsTest, WhatThePlatformMustConfirmWaitsForTheServer) {
    json({"account", "create", "Toko"});
    std::ofstream{folder.file("token")} << "EAAGtoken\n";
    const std::string number = "6281100000001";
    const auto add = run({"device", "add", "acc_1", number, "--connector", "cloud",
                          "--phone-number-id", "1055", "--token-file", folder.file("token")});
    EXPECT_EQ(add.code, exit_failed);
    EXPECT_THAT(add.err, HasSubstr("the server is stopped: start it"));
    EXPECT_TRUE(json({"device", "list"}).json().as_array().empty());

    const auto without = json({"device", "add", "acc_1", number, "--connector", "cloud"});
    EXPECT_EQ(without.text("state"), "disconnected");
    EXPECT_EQ(without.text("state_reason_code"), "token_needed");
    const auto set = run({"device", "set", number, "--phone-number-id", "1055", "--token-file",
                          folder.file("token")});
    EXPECT_EQ(set.code, exit_failed);
    EXPECT_THAT(set.err, HasSubstr("the server is stopped: start it"));
    EXPECT_THAT(run({"device", "templates", number}).err, HasSubstr("no phone number id"));
}

TEST_F(CommandsTest, DevicesOfAStoppedServerChangeTheirRecord) {
    json({"account", "create", "Toko"});
    json({"device", "add", "acc_1", "6281100000001", "--webhook", "https://toko.example.com/"});
    EXPECT_EQ(json({"device", "disconnect", "6281100000001"}).text("state"), "disconnected");
    EXPECT_EQ(json({"device", "list"}).json().at(0).at("state"), "disconnected");
    EXPECT_EQ(json({"device", "connect", "6281100000001"}).text("state"), "connected");
    EXPECT_EQ(run({"device", "add", "acc_1", "6281100000002", "--connector", "pigeon"}).code,
              exit_failed);
    json({"device", "remove", "6281100000001"});
    EXPECT_EQ(json({"device", "list"}).out, "[]\n");
}

TEST_F(CommandsTest, EmptyListsAreEmptyInJsonAndASentenceForPeople) {
    json({"account", "create", "Toko"});
    EXPECT_EQ(json({"message", "list", "--limit", "1000000"}).out, "[]\n");
    EXPECT_EQ(json({"callback", "list", "--state", "exhausted"}).out, "[]\n");
    EXPECT_THAT(run({"device", "list"}).out, HasSubstr("merpati device add"));
}

TEST_F(CommandsTest, AStoreThatIsNotThereIsMadeByItsFirstAccountAlone) {
    for (const auto& command : std::vector<std::vector<std::string>>{{"account", "list"},
                                                                     {"account", "show", "acc_1"},
                                                                     {"key", "create", "acc_1"},
                                                                     {"device", "list"},
                                                                     {"message", "list"},
                                                                     {"callback", "list"},
                                                                     {"backup", "b.db"},
                                                                     {"migrate"}}) {
        const auto done = run(command);
        EXPECT_EQ(done.code, exit_failed) << command[0];
        EXPECT_THAT(done.err, HasSubstr("there is no store at sqlite:" + folder.file("m.db")));
        EXPECT_THAT(done.err, HasSubstr("merpati account create"));
        EXPECT_THAT(done.out, IsEmpty());
        EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << command[0];
    }
    json({"account", "create", "Toko"});
    EXPECT_EQ(json({"account", "list"}).json().as_array().size(), 1U);
}

TEST_F(CommandsTest, AResultThatCouldNotBeWrittenIsAFailure) {
    json({"account", "create", "Toko"});
    for (const auto& command : std::vector<std::vector<std::string>>{{"account", "list"},
                                                                     {"account", "list", "--json"},
                                                                     {"account", "show", "acc_1"},
                                                                     {"message", "list"},
                                                                     {"config", "show"},
                                                                     {"config", "sample"},
                                                                     {"doctor"},
                                                                     {"version"},
                                                                     {"--version"},
                                                                     {"--help"},
                                                                     {"key", "--help"}}) {
        std::ofstream full{"/dev/full"};
        const auto done = run_into(full, command);
        EXPECT_EQ(done.code, exit_failed) << command[0];
        EXPECT_THAT(done.err, HasSubstr("merpati: the result could not be written: No space left"));
    }
}

TEST_F(CommandsTest, ASecretThatNobodySawIsToldWithItsRemedy) {
    const auto err_of = [this](const std::vector<std::string>& command) {
        std::ofstream full{"/dev/full"};
        const auto done = run_into(full, command);
        EXPECT_EQ(done.code, exit_failed) << command[0];
        EXPECT_THAT(done.err, Not(HasSubstr("mpt_")));
        EXPECT_THAT(done.err, Not(HasSubstr("whsec_")));
        return done.err;
    };
    EXPECT_THAT(err_of({"account", "create", "Toko"}),
                HasSubstr("merpati account secret rotate acc_1"));
    EXPECT_THAT(err_of({"key", "create", "acc_1"}), HasSubstr("merpati key revoke key_1"));
    EXPECT_THAT(err_of({"key", "rotate", "key_1", "--json"}),
                HasSubstr("merpati key rotate key_2"));
    EXPECT_THAT(err_of({"account", "secret", "rotate", "acc_1"}),
                HasSubstr("merpati account secret rotate acc_1"));
    EXPECT_EQ(json({"key", "revoke", "key_1"}).text("state"), "revoked");
}

TEST_F(CommandsTest, WhatIsNotThereFailsWithASentenceOnStandardErrorAlone) {
    json({"account", "create", "Toko"});
    const std::vector<std::vector<std::string>> commands{
        {"account", "show", "acc_9"},
        {"account", "topup", "acc_9", "1"},
        {"key", "create", "acc_9"},
        {"key", "revoke", "key_9"},
        {"device", "connect", "6281100000009"},
        {"message", "show", "00000000-0000-7000-8000-000000000000"},
        {"message", "show", "a b/c?d"},
        {"callback", "replay", "00000000-0000-7000-8000-000000000000"},
    };
    for (const auto& command : commands) {
        const auto done = run(command);
        EXPECT_EQ(done.code, exit_failed) << command[1];
        EXPECT_THAT(done.err, HasSubstr("merpati: there is no"));
        EXPECT_THAT(done.out, IsEmpty());
    }
}

TEST_F(CommandsTest, ABackupIsWrittenOnceAndRelativeToWhereTheCommandRan) {
    json({"account", "create", "Toko"});
    const auto file = folder.file("copy.db");
    EXPECT_EQ(json({"backup", file}).text("file"), file);
    EXPECT_EQ(run({"backup", file}).code, exit_failed);
    EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(CommandsTest, VersionMigrateAndConfigShowPrintTheirResult) {
    EXPECT_THAT(run({"version"}).out, ::testing::ContainsRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
    json({"account", "create", "Toko"});
    EXPECT_EQ(json({"migrate"}).text("store"), "up to date");
    EXPECT_THAT(run({"config", "sample"}).out, HasSubstr("\n#listen = [\"127.0.0.1:8080\"]\n"));
    EXPECT_THAT(json({"config", "sample"}).text("file"), HasSubstr("[http]"));
    EXPECT_THAT(run({"config", "show"}).out, HasSubstr("http.listen"));
    const auto shown = json({"config", "show"}).json();
    EXPECT_EQ(shown.at("store.url").at("origin"), "MERPATI_STORE__URL");
}

TEST_F(CommandsTest, SettingsMayStandBeforeAndAfterTheCommand) {
    EXPECT_EQ(json({"--set", "api.random_delay_max=11", "config", "show"})
                  .json()
                  .at("api.random_delay_max")
                  .at("origin"),
              "--set");
    const auto both =
        json({"--set", "api.random_delay_max=11", "config", "show", "--set", "log.level=debug"})
            .json();
    EXPECT_EQ(both.at("log.level").at("value"), "debug");
    EXPECT_EQ(both.at("api.random_delay_max").at("origin"), "--set");
}

TEST_F(CommandsTest, AWrongSettingFailsBeforeAnythingIsDone) {
    const auto done = run({"--set", "http.lisen=1", "account", "create", "Toko"});
    EXPECT_EQ(done.code, exit_usage);
    EXPECT_THAT(done.err, HasSubstr("http.listen"));
    EXPECT_FALSE(std::filesystem::exists(folder.file("m.db")));
}

TEST_F(CommandsTest, AWrongSettingIsAUsageErrorOfEveryCommandThatReadsSettings) {
    const std::vector<std::vector<std::string>> commands{
        {"serve"},
        {"account", "list"},
        {"account", "show", "acc_1"},
        {"key", "revoke", "key_1"},
        {"device", "connect", "6281100000001"},
        {"message", "list"},
        {"callback", "list"},
        {"backup", folder.file("copy.db")},
        {"migrate"},
        {"config", "show"},
        {"config", "show", "--json"},
    };
    for (const auto& command : commands) {
        for (const auto* wrong : {"api.rate=abc", "http.lisen=1", "x"}) {
            auto arguments = command;
            arguments.insert(arguments.begin(), {"--set", wrong});
            const auto done = run(arguments);
            const auto shown = ::testing::PrintToString(arguments);
            EXPECT_EQ(done.code, exit_usage) << shown;
            EXPECT_THAT(done.err, HasSubstr("merpati: --set")) << shown;
            EXPECT_THAT(done.out, IsEmpty()) << shown;
        }
    }
    const auto missing = run({"--config", folder.file("none.toml"), "account", "list"});
    EXPECT_EQ(missing.code, exit_usage);
    EXPECT_THAT(missing.err, HasSubstr("none.toml"));
}

TEST_F(CommandsTest, EveryMistakeInTheSettingsIsALineThatSaysWhoSpeaks) {
    environment["MERPATI_STORE__URI"] = "sqlite:x";
    const auto done = run({"--set", "api.rate=abc", "--set", "x", "account", "list"});
    EXPECT_EQ(done.code, exit_usage);
    std::istringstream lines{done.err};
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        EXPECT_THAT(line, ::testing::StartsWith("merpati: "));
    }
    EXPECT_EQ(count, 3) << done.err;
}

TEST_F(CommandsTest, VersionWorksBesideABrokenFile) {
    environment["MERPATI_HTTP__NONSENSE"] = "1";
    EXPECT_EQ(run({"version"}).code, exit_done);
    EXPECT_EQ(run({"account", "list"}).code, exit_usage);
}

TEST_F(CommandsTest, NamesComeBackWithoutTerminalCommands) {
    const auto done = run({"account", "create", "a\x1b[2Jb"});
    EXPECT_EQ(done.code, exit_failed);
    EXPECT_THAT(done.err, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace merpati::cli::testing
