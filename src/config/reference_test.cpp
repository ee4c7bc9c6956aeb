#include "config/reference.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/table.hpp"

namespace merpati::config {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// With MERPATI_WRITE_REFERENCE set, writes the page first.
TEST(ReferenceTest, ThePageInDocsIsTheOneMadeFromTheTable) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the test has one thread.
    if (std::getenv("MERPATI_WRITE_REFERENCE") != nullptr) {
        std::ofstream{MERPATI_REFERENCE_PAGE} << reference_page();
    }
    std::ifstream file{MERPATI_REFERENCE_PAGE};
    std::ostringstream page;
    page << file.rdbuf();
    EXPECT_EQ(page.str(), reference_page())
        << "renew it: MERPATI_WRITE_REFERENCE=1 build/dev/src/config/config_test";
}

TEST(ReferenceTest, ThePageAndTheSampleNameEverySetting) {
    for (const auto& row : rows()) {
        EXPECT_THAT(reference_page(), HasSubstr("| `" + std::string{row.key} + "` |"));
        const auto name = row.key.substr(row.key.find('.') + 1);
        EXPECT_THAT(sample_file(), HasSubstr("\n#" + std::string{name} + " = "));
        EXPECT_FALSE(row.sentence.empty());
    }
}

TEST(ReferenceTest, ShowsValuesWithTheirOriginsAndNoSecrets) {
    const auto loaded = load({.file = {},
                              .environment = {{"MERPATI_METRICS__TOKEN", "0123456789abcdef"}},
                              .sets = {"store.url=sqlite:data/../m.db"},
                              .working_directory = "/srv"});
    ASSERT_TRUE(loaded) << loaded.error().detail;
    const auto text = show_text(*loaded);
    EXPECT_THAT(text, HasSubstr("= ***  (MERPATI_METRICS__TOKEN)\n"));
    EXPECT_THAT(text, HasSubstr("= sqlite:/srv/m.db  (--set)\n"));
    EXPECT_THAT(text, HasSubstr("= 127.0.0.1:8080  (default)\n"));
    EXPECT_THAT(text, HasSubstr("= unset  (default)\n"));
    EXPECT_THAT(text, Not(HasSubstr("0123456789abcdef")));
    EXPECT_EQ(show(*loaded).size(), rows().size());
}

TEST(ReferenceTest, TheSampleFitsATerminal) {
    std::istringstream lines{sample_file()};
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 100U) << line;
    }
}

}  // namespace
}  // namespace merpati::config
