#include "campaign/check.hpp"

#include <type_traits>

#include <gtest/gtest.h>

#include "campaign/audience_check.hpp"
#include "store/campaigns.hpp"
#include "store/conformance/repeating_store.hpp"
#include "store/contacts.hpp"
#include "store/store.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;

constexpr auto sender = model::PhoneNumber::from_stored(6'281'100'000'001);

constexpr model::PhoneNumber recipient(std::int64_t place) {
    return model::PhoneNumber::from_stored(6'285'000'000'000 + place);
}

/// A draft in a real store, whose plan and audience a test changes.
struct CheckTest : ::testing::Test {
    /// The result of a change that must succeed.
    template <class Body>
    auto change(Body body) {
        std::invoke_result_t<Body, store::Tables&> result;
        store::WriteBatch batch;
        batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
            result = body(tables);
            return result ? Result<void>{} : pass(result);
        }});
        EXPECT_TRUE(store->write(batch));
        EXPECT_TRUE(result) << (result ? "" : result.error().describe());
        return std::move(result).value();
    }

    CheckTest() {
        account =
            change([](store::Tables& tables) { return tables.create_account({.name = "Toko"}); });
        device = {.device = {.number = sender,
                             .account = account,
                             .connector = "simulator",
                             .state = model::DeviceState::connected}};
        plan.name = "Promo";
        plan.devices = {sender};
        plan.timezone = "Asia/Jakarta";
        plan.consent = "customers";
        plan.message = "Halo {{nama}} {{optout_url}}";
        id = change([this](store::Tables& tables) {
                 return tables.campaigns().create_campaign(
                     {.account = account, .plan = plan, .created_at = clock.now()});
             }).id;
    }

    void upload(const std::vector<store::NewRecipient>& rows) {
        store::UploadCounts counts;
        change([&](store::Tables& tables) -> Result<bool> {
            counts = {};
            auto staged = tables.campaigns().stage_rows(id, rows, counts, clock.now());
            return staged ? Result<bool>{true} : pass(staged);
        });
        change([&](store::Tables& tables) {
            return tables.campaigns().complete_upload(id, {"nama", "file"}, counts);
        });
    }
    /// Rows with names, from `recipient(from)` on.
    void upload_named(std::int64_t from, std::int64_t count) {
        std::vector<store::NewRecipient> rows;
        for (auto place = from; place < from + count; ++place) {
            rows.push_back({.number = recipient(place), .values = {"Budi", ""}});
        }
        upload(rows);
    }

    CheckReport checked() {
        change([this](store::Tables& tables) { return tables.campaigns().set_plan(id, plan); });
        const auto reader = store->open_reader().value();
        const auto campaign = reader->campaigns().campaign(id).value().value();
        std::vector<CheckedDevice> devices;
        if (device) {
            devices.push_back(*device);
        }
        auto report = check({.campaign = campaign,
                             .balance = balance,
                             .devices = devices,
                             .links = links,
                             .policy = policy,
                             .probe = probe,
                             .find_template = find_template,
                             .now = clock.now()},
                            *reader);
        EXPECT_TRUE(report) << (report ? "" : report.error().describe());
        return report.value_or(CheckReport{});
    }
    /// Codes with counts; those that do not block in brackets.
    std::vector<std::string> problems() {
        std::vector<std::string> found;
        const auto report = checked();
        bool is_ready = true;
        for (const auto& problem : report.problems) {
            const auto text = problem.code + ' ' + std::to_string(problem.count);
            found.push_back(problem.blocking ? text : '(' + text + ')');
            is_ready = is_ready && !problem.blocking;
        }
        EXPECT_EQ(report.ready, is_ready);
        return found;
    }
    using Problems = std::vector<std::string>;

    testing::ManualClock clock;
    testing::TemporaryFolder folder;
    std::unique_ptr<store::Store> store =
        store::open_repeating_store({.url = "sqlite:" + folder.file("store.db")});
    model::AccountId account;
    std::optional<CheckedDevice> device;
    model::CampaignPlan plan;
    model::CampaignId id;
    OptOutLinks links{*store, "https://merpati.example.org"};
    outbound::AddressPolicy policy{{}};
    std::optional<std::int64_t> balance;
    MediaProbe probe;
    TemplateFinder find_template;
};

TEST_F(CheckTest, CampaignThatLacksNothingIsReady) {
    upload_named(1, 3);
    EXPECT_EQ(problems(), Problems{});
    const auto report = checked();
    EXPECT_TRUE(report.ready);
    EXPECT_EQ(report.recipients, 3);
    EXPECT_EQ(report.credit, 0);
    EXPECT_EQ(report.seconds, 1s);
}

TEST_F(CheckTest, DraftWithNothingInItLacksEverything) {
    plan = {.name = "Promo", .devices = {sender}, .timezone = "Asia/Jakarta"};
    EXPECT_EQ(problems(), (Problems{"no_message 1", "consent 1", "no_recipients 1"}));
    EXPECT_EQ(checked().seconds, 0s);
    plan.purpose = model::Purpose::transactional;
    EXPECT_EQ(problems(), (Problems{"no_message 1", "no_recipients 1"}));
}

TEST_F(CheckTest, RowsThatWouldBeSkippedAreNoRecipients) {
    upload({{.number = recipient(1), .values = {"Budi"}},
            {.number = recipient(2), .values = {""}},
            {.number = recipient(3), .values = {"Sari"}},
            {.number = recipient(1), .values = {"Budi"}},
            {.original = "x"},
            {.number = recipient(4), .values = {" "}}});
    change([this](store::Tables& tables) {
        return tables.contacts().put_suppression(
            {.account = account, .number = recipient(3), .at = clock.now()});
    });
    const auto report = checked();
    EXPECT_EQ(report.recipients, 1);
    ASSERT_EQ(report.problems.size(), 1U);
    EXPECT_EQ(report.problems[0].code, "empty_value");
    EXPECT_EQ(report.problems[0].count, 2);
    EXPECT_EQ(report.problems[0].detail,
              "rows without a value for a placeholder that has no fallback are left out; the first "
              "is row 2");
}

TEST_F(CheckTest, NobodyIsLeftIfAllRowsWouldBeSkipped) {
    upload({{.number = recipient(2), .values = {""}}});
    EXPECT_EQ(problems(), (Problems{"no_recipients 1", "(empty_value 1)"}));
}

TEST_F(CheckTest, UnknownColumnsSkipNoRows) {
    upload_named(1, 2);
    plan.message = "{{nma}} {{optout_url}}";
    EXPECT_EQ(problems(), Problems{"unknown_column 1"});
    EXPECT_EQ(checked().recipients, 2);
}

TEST_F(CheckTest, TextsMustFitTheDeviceWithTheShortestOnes) {
    upload({{.number = recipient(1), .values = {"Budi"}},
            {.number = recipient(2), .values = {std::string(30, 'a')}},
            {.number = recipient(3), .values = {std::string(31, 'a')}}});
    plan.message = "{{nama}}";
    plan.optout = model::OptOutWay::keyword;
    EXPECT_EQ(problems(), Problems{});
    device->text_characters_max = 29;
    EXPECT_EQ(problems(), Problems{"text_too_long 2"});
    EXPECT_EQ(checked().problems[0].detail,
              "the text of row 2 has 30 characters, and the devices send at most 29");
}

TEST_F(CheckTest, CreditCountsAllPendingRows) {
    upload_named(1, 3);
    balance = 3;
    EXPECT_EQ(problems(), Problems{});
    EXPECT_EQ(checked().credit, 3);
    balance = 2;
    EXPECT_EQ(problems(), Problems{"credit 1"});
    EXPECT_EQ(checked().problems[0].detail, "the campaign needs 3 credits, and the account has 2");
}

TEST_F(CheckTest, FilesAreProbedOnceEach) {
    std::vector<std::string> probed;
    probe = [&](const std::vector<std::string>& urls) {
        probed = urls;
        return std::vector(urls.size(), std::optional{media::ProbeVerdict::too_large});
    };
    upload({{.number = recipient(1), .values = {"Budi", "https://example.org/a"}},
            {.number = recipient(2), .values = {"Budi", " https://example.org/a"}},
            {.number = recipient(3), .values = {"Budi", "https://example.org/b"}},
            {.number = recipient(4), .values = {"Budi", ""}}});
    plan.media = model::CampaignMedia{.url = {}, .column = "FILE"};
    EXPECT_EQ(problems(), (Problems{"media 2", "(empty_value 1)"}));
    EXPECT_EQ(probed.size(), 2U);
}

TEST_F(CheckTest, ATemplateIsJudgedByWhatThePlatformHas) {
    upload({{.number = recipient(1), .values = {"Budi"}},
            {.number = recipient(2), .values = {std::string(1'000, 'a')}},
            {.number = recipient(3), .values = {""}}});
    plan.message.reset();
    plan.optout = model::OptOutWay::keyword;
    plan.message_template =
        model::CampaignTemplate{.name = "promo", .language = "id", .variables = {"{{nama}}"}};
    EXPECT_EQ(problems(), (Problems{"template 1", "(empty_value 1)"}));
    EXPECT_EQ(checked().problems[0].detail,
              "device 6281100000001 cannot send the template: only devices on the connector cloud "
              "send templates");
    device->device.connector = "cloud";
    EXPECT_EQ(problems(), (Problems{"(template_unchecked 1)", "(empty_value 1)"}));

    connector::MessageTemplate used;
    used.status = "APPROVED";
    used.body = "Halo {{1}}! " + std::string(20, 'b');
    used.variables = 1;
    used.is_understood = true;
    find_template = [&used](const model::Device&, const model::CampaignTemplate& wanted) {
        EXPECT_EQ(wanted.name, "promo");
        return std::optional{used};
    };
    EXPECT_EQ(problems(), (Problems{"text_too_long 1", "(empty_value 1)"}));
    EXPECT_EQ(checked().problems[0].detail,
              "the text of row 2 has 1027 characters, and the devices send at most 1024");
    EXPECT_EQ(checked().recipients, 2);
    used.variables = 2;
    EXPECT_EQ(problems(), (Problems{"template 1", "text_too_long 1", "(empty_value 1)"}));
}

TEST_F(CheckTest, AnEmptyVariableOfATemplateSkipsNoRows) {
    upload_named(1, 2);
    plan.message.reset();
    plan.optout = model::OptOutWay::keyword;
    plan.message_template =
        model::CampaignTemplate{.name = "promo", .language = "id", .variables = {" "}};
    device->device.connector = "cloud";
    EXPECT_EQ(problems(), (Problems{"template 1", "(template_unchecked 1)"}));
    EXPECT_EQ(checked().recipients, 2);
}

TEST_F(CheckTest, NoFirstStepWaitsForAPlatform) {
    upload_named(1, 1);
    plan.message_template = model::CampaignTemplate{.name = "promo", .language = "id"};
    const auto reader = store->open_reader().value();
    auto campaign = reader->campaigns().campaign(id).value().value();
    campaign.plan = plan;
    int asked = 0;
    const std::vector<CheckedDevice> devices{*device};
    CampaignCheck check{{.campaign = campaign,
                         .devices = devices,
                         .links = links,
                         .policy = policy,
                         .find_template =
                             [&asked](const model::Device&, const model::CampaignTemplate&) {
                                 ++asked;
                                 return std::optional<connector::MessageTemplate>{};
                             },
                         .now = clock.now()}};
    EXPECT_FALSE(check.probes_next());
    EXPECT_FALSE(*check.step(*reader));
    EXPECT_EQ(asked, 0);
    EXPECT_TRUE(check.probes_next());
    EXPECT_FALSE(*check.step(*reader));
    EXPECT_FALSE(check.probes_next());
    EXPECT_TRUE(*check.step(*reader));
}

TEST_F(CheckTest, DevicesThatCannotSendNowAreNamed) {
    upload_named(1, 1);
    auto& state = device->device.state;
    state = model::DeviceState::reconnecting;
    EXPECT_EQ(problems(), Problems{});
    state = model::DeviceState::logged_out;
    EXPECT_EQ(checked().problems[0].detail, "device 6281100000001 is not connected");
    state = model::DeviceState::restricted;
    EXPECT_EQ(checked().problems[0].detail,
              "the platform lets device 6281100000001 begin no new chats at present");
    state = model::DeviceState::connected;
    device->device.pause = model::Pause{.since = clock.now()};
    EXPECT_EQ(problems(), Problems{"(device 1)"});
    device.reset();
    EXPECT_EQ(checked().problems[0].detail, "6281100000001 is not a device of this account");
    plan.devices.clear();
    for (std::int64_t place = 0; place < 25; ++place) {
        plan.devices.push_back(recipient(place));
    }
    EXPECT_EQ(problems().size(), 21U);
    EXPECT_EQ(checked().problems.back().count, 5);
}

TEST_F(CheckTest, NumbersOfOtherCountriesThanMostAreCounted) {
    upload_named(1, 3);
    upload({{.number = model::PhoneNumber::from_stored(81'234'567'890), .values = {"Budi"}},
            {.number = model::PhoneNumber::from_stored(81'234'567'891), .values = {"Budi"}},
            {.number = model::PhoneNumber::from_stored(6'591'234'567), .values = {"Budi"}}});
    EXPECT_EQ(problems(), Problems{"(foreign 3)"});
    EXPECT_EQ(checked().problems[0].detail,
              "most numbers begin with 62, but some with 81 (2), 65 (1): a spreadsheet may have "
              "removed their leading zeros");
}

TEST_F(CheckTest, TimeCountsPaceDevicesAndQuietHours) {
    upload_named(1, 100);
    plan.per_minute = 1;
    EXPECT_EQ(checked().seconds, 99min);
    // 10:00 UTC is 17:00 in Jakarta: an hour until it is quiet, and the others from 08:00 on.
    plan.quiet_hours = model::QuietHours{.from = 18h, .to = 8h};
    EXPECT_EQ(checked().seconds, 15h + 39min);
    plan.schedule_at = clock.now() + 2h;
    EXPECT_EQ(checked().seconds, 13h + 99min);
    plan.per_minute.reset();
    plan.quiet_hours.reset();
    device->device.pace.gap_min = 10s;
    EXPECT_EQ(checked().seconds, 990s);
}

TEST_F(CheckTest, ReadsAudiencesOfSeveralSteps) {
    upload_named(1, 2 * static_cast<std::int64_t>(AudienceCheck::rows_max));
    EXPECT_EQ(checked().recipients, 2'000);
    upload_named(50'000, 1);
    EXPECT_EQ(checked().recipients, 2'001);
}

}  // namespace
}  // namespace merpati::campaign
