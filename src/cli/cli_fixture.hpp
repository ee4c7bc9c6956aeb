// The fixture of the command line's tests: runs commands on a store in a temporary folder, and
// keeps their exit code and output.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::cli::testing {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Printed {
    int code = 0;
    std::string out;
    std::string err;

    [[nodiscard]] boost::json::value json() const { return boost::json::parse(out); }
    [[nodiscard]] std::string text(const char* field) const {
        return json().at(field).as_string().c_str();
    }
};

struct CliTest : ::testing::Test {
    /// Runs one command on the folder's store.
    Printed run(const std::vector<std::string>& arguments) {
        std::ostringstream out;
        auto done = run_into(out, arguments);
        done.out = out.str();
        return done;
    }

    /// The same with another standard output.
    Printed run_into(std::ostream& out, const std::vector<std::string>& arguments) {
        std::ostringstream err;
        auto settings = environment;
        settings.emplace("MERPATI_STORE__URL", "sqlite:" + folder.file("m.db"));
        const auto program = make_program(
            {.out = out, .err = err, .environment = settings, .piped_line = piped_line});
        Printed done;
        done.code = program->run(arguments);
        done.err = err.str();
        return done;
    }

    /// Runs a command that must succeed, with --json.
    Printed json(std::vector<std::string> arguments) {
        arguments.emplace_back("--json");
        auto done = run(arguments);
        EXPECT_EQ(done.code, exit_done) << done.err;
        EXPECT_THAT(done.err, IsEmpty());
        return done;
    }

    merpati::testing::TemporaryFolder folder;
    std::map<std::string, std::string> environment;
    std::optional<std::string> (*piped_line)() = nullptr;
};

}  // namespace merpati::cli::testing
