// merpati user …, on a store that no server has open.
#include "cli/cli_fixture.hpp"

namespace merpati::cli::testing {
namespace {

struct UserCommandsTest : CliTest {
    UserCommandsTest() { json({"account", "create", "Toko Ani"}); }

    boost::json::array list(const std::vector<std::string>& options = {}) {
        std::vector<std::string> command{"user", "list"};
        command.insert(command.end(), options.begin(), options.end());
        return json(command).json().as_array();
    }
};

TEST_F(UserCommandsTest, APersonIsMadeWithAPasswordThatIsShownOnce) {
    const auto made =
        json({"user", "create", "Ani@Toko.Example", "--account", "acc_1", "--role", "owner"});
    EXPECT_EQ(made.text("email"), "ani@toko.example");
    EXPECT_EQ(made.text("password").size(), 23);
    const auto all = list();
    ASSERT_EQ(all.size(), 1U);
    EXPECT_FALSE(all[0].as_object().contains("password"));
    EXPECT_EQ(all[0].at("memberships").at(0).at("role"), "owner");
    EXPECT_EQ(list({"--account", "acc_1"}).size(), 1U);
    const auto again = run({"user", "create", "ani@toko.example"});
    EXPECT_EQ(again.code, exit_failed);
    EXPECT_THAT(again.err, HasSubstr("merpati user set"));
}

TEST_F(UserCommandsTest, RolesAddressAndPasswordChange) {
    json({"account", "create", "Warung"});
    json({"user", "create", "ani@toko.example", "--admin"});
    const auto set = json({"user", "set", "ani@toko.example", "--account", "acc_2", "--role",
                           "viewer", "--admin", "no", "--email", "ani@warung.example"});
    EXPECT_EQ(set.text("email"), "ani@warung.example");
    EXPECT_EQ(set.json().at("admin"), false);
    EXPECT_EQ(set.json().at("memberships").at(0).at("account"), "acc_2");
    EXPECT_THAT(run({"user", "list"}).out, HasSubstr("acc_2 viewer"));
    json({"user", "set", "ani@warung.example", "--account", "acc_2", "--role", "none"});
    EXPECT_TRUE(list()[0].at("memberships").as_array().empty());
    EXPECT_EQ(json({"user", "set", "ani@warung.example", "--new-password"}).text("password").size(),
              23);
    json({"user", "remove", "ani@warung.example"});
    EXPECT_TRUE(list().empty());
    EXPECT_EQ(run({"user", "remove", "ani@warung.example"}).code, exit_failed);
}

TEST_F(UserCommandsTest, AnOptionWithoutAValueTakesNone) {
    EXPECT_EQ(run({"user", "create", "ani@toko.example", "--admin=false"}).code, exit_usage);
    EXPECT_TRUE(list().empty());
    json({"user", "create", "ani@toko.example"});
    EXPECT_EQ(run({"user", "set", "ani@toko.example", "--new-password=false"}).code, exit_usage);
}

TEST_F(UserCommandsTest, APasswordIsReadFromStandardInputAndNotShown) {
    piped_line = [] { return std::optional<std::string>{"kata sandi rahasia"}; };
    const auto made = run({"user", "create", "ani@toko.example", "--admin"});
    EXPECT_THAT(made.out, ::testing::StartsWith("Created.\nid "));
    EXPECT_THAT(made.out, Not(HasSubstr("password")));
    const auto set = run({"user", "set", "ani@toko.example", "--new-password"});
    EXPECT_THAT(set.out, ::testing::StartsWith("id "));
    EXPECT_THAT(set.out, Not(HasSubstr("password")));
    piped_line = [] { return std::optional<std::string>{"pendek"}; };
    EXPECT_EQ(run({"user", "set", "ani@toko.example", "--new-password"}).code, exit_failed);
    EXPECT_EQ(run({"user", "set", "ani@toko.example", "--admin", "yes"}).code, exit_done)
        << "nothing is read where no password changes";
    piped_line = nullptr;
    EXPECT_THAT(run({"user", "set", "ani@toko.example", "--new-password"}).out,
                ::testing::ContainsRegex("^The password is shown only now.\nid .*\n.*\npassword "));
}

TEST_F(UserCommandsTest, ALinkLeadsToTheAppsAddress) {
    json({"user", "create", "ani@toko.example", "--admin"});
    EXPECT_THAT(json({"user", "link", "ani@toko.example"}).text("url"),
                ::testing::MatchesRegex("http://127.0.0.1:8080/app/sign-in#[A-Za-z0-9]+"));
    environment["MERPATI_APP__URL"] = "https://merpati.example.com";
    EXPECT_THAT(json({"user", "link", "ani@toko.example"}).text("url"),
                HasSubstr("https://merpati.example.com/app/sign-in#"));
    EXPECT_EQ(run({"user", "link", "budi@toko.example"}).code, exit_failed);
}

TEST_F(UserCommandsTest, AnInvitationIsMadeListedAndRevoked) {
    const auto made = json({"user", "invite", "acc_1", "budi@toko.example", "--role", "operator"});
    EXPECT_THAT(made.text("url"),
                ::testing::MatchesRegex("http://127.0.0.1:8080/app/invitation#[A-Za-z0-9]+"));
    EXPECT_EQ(made.text("role"), "operator");
    const auto listed = json({"user", "invitations", "acc_1"}).json().as_array();
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_FALSE(listed[0].as_object().contains("url"));
    json({"user", "uninvite", made.text("id")});
    EXPECT_TRUE(json({"user", "invitations", "acc_1"}).json().as_array().empty());
    EXPECT_TRUE(list().empty());
}

TEST_F(UserCommandsTest, ConnectorsAreListedThoughAStoppedServerRunsNone) {
    const auto listed = json({"connector", "list"}).json().as_array();
    ASSERT_EQ(listed.size(), 3U);
    EXPECT_EQ(listed[0].at("name"), "cloud");
    EXPECT_EQ(listed[0].at("kind"), "official");
    EXPECT_EQ(listed[1].at("name"), "linked");
    EXPECT_EQ(listed[1].at("kind"), "unofficial");
    EXPECT_EQ(listed[2].at("simulated"), true);
    EXPECT_EQ(listed[2].at("running"), false);
}

TEST_F(UserCommandsTest, WhatDoesNotFitTogetherIsToldBeforeAnythingIsDone) {
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"user", "create", "ani@toko.example", "--account", "acc_1"},
          {"user", "create", "ani@toko.example", "--role", "owner"},
          {"user", "create", "ani@toko.example", "--admin", "--account", "acc_1", "--role",
           "owner"},
          {"user", "create", "ani@toko.example", "--account", "acc_1", "--role", "king"},
          {"user", "create"},
          {"user", "set", "ani@toko.example", "--totp", "on"}}) {
        EXPECT_EQ(run(command).code, exit_usage) << ::testing::PrintToString(command);
    }
    EXPECT_EQ(run({"user", "create", "ani.toko.example"}).code, exit_failed);
    EXPECT_EQ(
        run({"user", "create", "ani@toko.example", "--account", "acc_9", "--role", "owner"}).code,
        exit_failed);
    EXPECT_TRUE(list().empty());
}

}  // namespace
}  // namespace merpati::cli::testing
