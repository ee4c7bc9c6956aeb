// The options of a campaign, and the fields that they become.
#include "cli/campaign/plan_options.hpp"

#include <fstream>

#include <CLI/App.hpp>

#include "cli/campaign/plan_fields.hpp"
#include "cli/cli_fixture.hpp"
#include "cli/file_upload.hpp"
#include "cli/text_file.hpp"

namespace merpati::cli::testing {
namespace {

struct PlanOptionsTest : ::testing::Test {
    /// The body of a campaign that is made of the options.
    boost::json::object body(std::vector<std::string> arguments) {
        const RequestCommand command{
            .method = http::Method::patch,
            .path = "/campaigns/{}",
            .parameters = with_plan_options({.name = "ID", .help = ""}, PlanUse::edit)};
        CLI::App app;
        Typed typed;
        add_parameters(app, command.parameters, typed);
        arguments.emplace_back("cmp_1");
        std::ranges::reverse(arguments);
        app.parse(std::move(arguments));
        auto made = call_of(command, typed);
        EXPECT_TRUE(made) << made.error().describe();
        return made ? made->body : boost::json::object{};
    }

    std::string file(const char* name, const std::string& text) {
        std::ofstream{folder.file(name), std::ios::binary} << text;
        return folder.file(name);
    }

    merpati::testing::TemporaryFolder folder;
};

TEST_F(PlanOptionsTest, EachOptionBecomesItsField) {
    const auto made = body({"--name",        "Lebaran",
                            "--message",     "Halo {{nama}}",
                            "--media",       "https://toko.example.com/a.jpg",
                            "--device",      "6281100000001",
                            "--device",      "6281100000002",
                            "--purpose",     "transactional",
                            "--consent",     "Formulir",
                            "--optout",      "keyword",
                            "--per-minute",  "30",
                            "--quiet",       "21:00-07:30",
                            "--timezone",    "Asia/Makassar",
                            "--schedule-at", "2099-01-31T09:00",
                            "--finish-by",   "2099-02-01T09:00",
                            "--exclude",     "cmp_1,2,30d",
                            "--frequency",   "3/7d",
                            "--stop-rules",  "failures=20,opt-outs=5",
                            "--callback",    "https://toko.example.com/",
                            "--typing",      "yes"});
    EXPECT_EQ(made, boost::json::parse(R"({
        "name":"Lebaran","message":"Halo {{nama}}",
        "media":{"url":"https://toko.example.com/a.jpg"},
        "devices":["6281100000001","6281100000002"],
        "purpose":"transactional","consent":"Formulir","optout":"keyword",
        "pace":{"per_minute":30},"quiet_hours":{"from":"21:00","to":"07:30"},
        "timezone":"Asia/Makassar","schedule_at":"2099-01-31T09:00",
        "finish_by":"2099-02-01T09:00",
        "exclude":{"campaigns":["cmp_1","2"],"contacted_within_days":30},
        "frequency":{"messages":3,"days":7},
        "stop_rules":{"failures_in_row":20,"opt_outs_per_hundred":5},
        "callback":"https://toko.example.com/","typing":true})"));
}

TEST_F(PlanOptionsTest, NoneTakesAFieldBack) {
    const auto made = body({"--media", "none", "--per-minute", "none", "--quiet", "none",
                            "--exclude", "none", "--frequency", "none", "--stop-rules", "none",
                            "--schedule-at", "none", "--callback", "none"});
    EXPECT_EQ(made.size(), 8U);
    for (const auto& [field, value] : made) {
        EXPECT_TRUE(value.is_null()) << field;
    }
    EXPECT_TRUE(body({}).empty());
}

TEST_F(PlanOptionsTest, TextsComeFromFiles) {
    const auto one = file("one.txt", "\xef\xbb\xbfHalo\r\nKak\r\n");
    const auto two = file("two=2", "Hai\n\n");
    EXPECT_EQ(body({"--message-file", one}).at("message"), "Halo\r\nKak");
    const auto variants = body({"--variant-file", one + "=3", "--variant-file", two + "=1"});
    EXPECT_EQ(variants.at("variants"),
              boost::json::parse(
                  R"([{"message":"Halo\r\nKak","weight":3},{"message":"Hai\n","weight":1}])"));
    const auto used =
        body({"--template-value", "{{nama}}", "--template", "siap/id", "--template-value", "-5%"});
    EXPECT_EQ(
        used.at("template"),
        boost::json::parse(R"({"name":"siap","language":"id","variables":["{{nama}}","-5%"]})"));
    const auto more = body({"--template", "siap/id", "--template-header", "{{kota}}",
                            "--template-button", "p/{{nomor}}", "--template-button", "HEMAT20"});
    EXPECT_EQ(more.at("template"),
              boost::json::parse(R"({"name":"siap","language":"id","header":"{{kota}}",
                                     "buttons":["p/{{nomor}}","HEMAT20"]})"));
}

TEST_F(PlanOptionsTest, AWeightIsANumberAtTheEnd) {
    EXPECT_EQ(parse_variant_file("a.txt").path, "a.txt");
    EXPECT_EQ(parse_variant_file("a.txt=3").weight, 3);
    EXPECT_EQ(parse_variant_file("a=b").path, "a=b");
    EXPECT_EQ(parse_variant_file("a=0").path, "a=0");
    EXPECT_EQ(parse_variant_file("=3").path, "=3");
    EXPECT_EQ(parse_variant_file("a=3=1").path, "a=3");
}

TEST_F(PlanOptionsTest, AFileThatIsNoTextIsRefused) {
    EXPECT_EQ(read_text_file(folder.file("none"), 10).error().code, ErrorCode::not_found);
    const auto latin = read_text_file(file("latin", "caf\xe9"), 10);
    EXPECT_THAT(latin.error().detail, HasSubstr("is not UTF-8"));
    EXPECT_EQ(read_text_file(file("ten", "1234567890\n"), 10).value_or(""), "1234567890");
    const auto longer = read_text_file(file("long", "12345678901"), 10);
    EXPECT_THAT(longer.error().detail, HasSubstr("is longer than 10 bytes"));
    EXPECT_EQ(read_text_file("/dev/zero", 10).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(read_text_file(folder.path().string(), 10).error().code, ErrorCode::io_failed);
}

TEST_F(PlanOptionsTest, WhatIsWrittenWronglyIsExplained) {
    EXPECT_THAT(quiet_hours()("20:00"), HasSubstr("20:00-08:00"));
    EXPECT_THAT(quiet_hours()("20:00-24:00"), HasSubstr("20:00-08:00"));
    EXPECT_THAT(message_frequency()("3"), HasSubstr("3/7d"));
    EXPECT_THAT(message_frequency()("0/7d"), HasSubstr("3/7d"));
    EXPECT_THAT(exclusion()("cmp_1,x"), HasSubstr("'x'"));
    EXPECT_THAT(exclusion()(""), HasSubstr("''"));
    EXPECT_THAT(stop_rules()("failures=0"), HasSubstr("failures=20"));
    EXPECT_THAT(stop_rules()("unregistered=101"), HasSubstr("unregistered=30"));
    EXPECT_THAT(template_name()("siap"), HasSubstr("order_ready/id"));
    EXPECT_THAT(named_text()("=x"), HasSubstr("NAME=TEXT"));
    EXPECT_EQ(named_text()("nama="), "");
}

TEST(FileUpload, TheNameTellsTheForm) {
    EXPECT_EQ(type_of_list("a.CSV"), "text/csv");
    EXPECT_EQ(type_of_list("a.json"), "application/json");
    EXPECT_EQ(type_of_list("-"), "application/octet-stream");
}

}  // namespace
}  // namespace merpati::cli::testing
