// Parsing of command lines: usage errors, help, and docs/cli.md, which is made from the help.
#include "cli/program.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <CLI/App.hpp>

#include "cli/cli_fixture.hpp"

namespace merpati::cli::testing {
namespace {

using ProgramTest = CliTest;

TEST_F(ProgramTest, UsageErrorsAreOneSentenceAndAHintAndTouchNothing) {
    const std::vector<std::vector<std::string>> wrong{
        {},
        {"nothing"},
        {"account"},
        {"account", "nothing"},
        {"account", "create"},
        {"account", "create", ""},
        {"account", "create", "x", "y"},
        {"account", "create", "x", "--plan", "gold"},
        {"account", "create", "x", "--credits", "viele"},
        {"account", "create", "x", "--credits", "-1"},
        {"account", "create", "x", "--rate", "5/year"},
        {"account", "create", "x", "--expires", "tomorrow"},
        {"account", "create", "x", "--delivery", "maybe"},
        {"account", "topup", "acc_1", "0"},
        {"account", "topup", "acc_1", "many"},
        {"key", "create", "acc_1", "--revision", "C"},
        {"account", "create", "x", "--rate", "1000001/s"},
        {"account", "secret", "rotate", "acc_1", "--overlap", "91d"},
        {"key", "rotate", "key_1", "--overlap", "soon"},
        {"key", "rotate", "key_1", "--overlap", "100d"},
        {"device", "add", "acc_1", "+6281100000001"},
        {"device", "add", "acc_1", "081100000001"},
        {"device", "add", "acc_1", "6281100000001", "--connector", ""},
        {"message", "list", "--limit", "0"},
        {"message", "list", "--state", "lost"},
        {"callback", "list", "--state", "sent"},
        {"account", "show", ""},
        {"account", "set", "", "--plan", "paid"},
        {"account", "topup", "", "1"},
        {"account", "secret", "rotate", ""},
        {"key", "create", ""},
        {"key", "list", ""},
        {"key", "revoke", ""},
        {"key", "rotate", ""},
        {"device", "add", "", "6281100000001"},
        {"device", "list", ""},
        {"device", "connect", ""},
        {"device", "remove", ""},
        {"message", "list", "--account", ""},
        {"message", "show", ""},
        {"message", "cancel", ""},
        {"callback", "list", "--account", ""},
        {"callback", "replay", ""},
        {"backup", ""},
        {"--config", "", "account", "list"},
        {"backup"},
        {"serve", "--nonsense"},
        {"serve", "--json"},
        {"--config"},
        {"--set", "account", "list", "--set"},
    };
    for (const auto& arguments : wrong) {
        const auto done = run(arguments);
        const auto shown = ::testing::PrintToString(arguments);
        EXPECT_EQ(done.code, exit_usage) << shown;
        EXPECT_THAT(done.err, HasSubstr("--help`")) << shown;
        EXPECT_EQ(std::ranges::count(done.err, '\n'), 2) << done.err;
        EXPECT_THAT(done.out, IsEmpty()) << shown;
    }
    EXPECT_FALSE(std::filesystem::exists(folder.file("m.db")));
}

TEST_F(ProgramTest, AValueOutOfBoundsIsToldWithItsFlagAndItsBounds) {
    const auto overlap = run({"key", "rotate", "key_1", "--overlap", "100d"});
    EXPECT_THAT(overlap.err, HasSubstr("--overlap: '100d' is not a duration from 0s to 90d"));
    const auto rate = run({"account", "create", "x", "--rate", "1000001/s"});
    EXPECT_THAT(rate.err, HasSubstr("--rate: '1000001/s' is not a rate"));
    EXPECT_THAT(rate.err, HasSubstr("from 1 to 1000000"));
}

TEST_F(ProgramTest, TheVersionIsAFlagToo) {
    const auto command = run({"version"});
    for (const auto* flag : {"--version", "-V"}) {
        const auto done = run({flag});
        EXPECT_EQ(done.code, exit_done);
        EXPECT_EQ(done.out, command.out);
        EXPECT_THAT(done.err, IsEmpty());
    }
}

TEST_F(ProgramTest, ANearMissIsGuessed) {
    EXPECT_THAT(run({"acount", "list"}).err, HasSubstr("did you mean account?"));
    EXPECT_THAT(run({"account", "creat", "x"}).err, HasSubstr("did you mean create?"));
    EXPECT_THAT(run({"account"}).err, HasSubstr("create, list, show, set, topup"));
}

TEST_F(ProgramTest, HelpTeachesAndSucceeds) {
    const auto whole = run({"--help"});
    EXPECT_EQ(whole.code, exit_done);
    for (const std::string_view word : {"serve", "account", "key", "device", "message", "callback",
                                        "backup", "migrate", "doctor", "config", "version"}) {
        EXPECT_THAT(whole.out, HasSubstr("\n  " + std::string{word} + " "));
    }
    const auto one = run({"account", "create", "--help"});
    EXPECT_EQ(one.code, exit_done);
    EXPECT_THAT(one.out, HasSubstr("merpati account create [options] NAME"));
    EXPECT_THAT(one.out, HasSubstr("Example:"));
    EXPECT_THAT(one.err, IsEmpty());
}

TEST_F(ProgramTest, AnAnswerOfAnotherFormIsAnErrorNotTheEndOfTheProcess) {
    std::ostringstream out;
    std::ostringstream err;
    Program program{{.out = out, .err = err, .environment = {}}};
    program.add_command(program.root(), {.name = "read"}, [](Session&) {
        return boost::json::value{{"id", 1}}.at("name").is_null() ? 2 : 3;
    });
    EXPECT_EQ(program.run({"read"}), exit_failed);
    EXPECT_THAT(err.str(), HasSubstr("has it another version than this program?"));
}

TEST_F(ProgramTest, WhateverACommandThrowsIsAFailureOfOneSentence) {
    std::ostringstream out;
    std::ostringstream err;
    Program program{{.out = out, .err = err, .environment = {}}};
    program.add_command(program.root(), {.name = "read"}, [](Session&) -> int {
        throw std::filesystem::filesystem_error{
            "cannot get current path", std::make_error_code(std::errc::no_such_file_or_directory)};
    });
    EXPECT_EQ(program.run({"read"}), exit_failed);
    EXPECT_THAT(err.str(), HasSubstr("merpati: "));
    EXPECT_THAT(err.str(), HasSubstr("cannot get current path"));
    EXPECT_THAT(out.str(), IsEmpty());
}

TEST_F(ProgramTest, FlagsThatExcludeOneAnotherAreListedByNameAndNotByAddress) {
    std::ostringstream out;
    Program program{{.out = out, .err = out, .environment = {}}};
    auto& command =
        program.add_command(program.root(), {.name = "draw"}, [](Session&) { return 0; });
    auto* one = command.add_flag("--zoom");
    for (const auto* other : {"--red", "--blue", "--green", "--black", "--amber", "--white"}) {
        one->excludes(command.add_flag(other));
    }
    EXPECT_EQ(program.run({"draw", "--help"}), exit_done);
    EXPECT_THAT(out.str(),
                HasSubstr("--zoom Excludes: --amber --black --blue --green --red --white\n"));
}

/// If MERPATI_WRITE_REFERENCE is set, it first writes the page.
TEST_F(ProgramTest, ThePageInDocsIsTheCommandsOwnHelp) {
    const auto program = make_program({.out = std::cout, .err = std::cerr, .environment = {}});
    const auto page = reference_page(program->root());
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the test has one thread.
    if (std::getenv("MERPATI_WRITE_REFERENCE") != nullptr) {
        std::ofstream{MERPATI_CLI_PAGE} << page;
    }
    std::ifstream file{MERPATI_CLI_PAGE};
    std::ostringstream written;
    written << file.rdbuf();
    EXPECT_EQ(written.str(), page)
        << "renew it: MERPATI_WRITE_REFERENCE=1 build/dev/src/cli/cli_test";
    std::istringstream lines{page};
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 100U) << line;
    }
}

}  // namespace
}  // namespace merpati::cli::testing
