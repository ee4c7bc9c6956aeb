#include "campaign/audience/audience_import.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/audience/import_fixture.hpp"

namespace merpati::campaign {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct AudienceImportTest : ImportTest {
    AudienceImportTest() {
        campaigns([&](store::CampaignTables& tables) {
            campaign = tables
                           .create_campaign({.account = account,
                                             .plan = {.name = "Promo", .timezone = "Asia/Jakarta"},
                                             .created_at = clock.now()})
                           .value_or(model::Campaign{})
                           .id;
        });
    }

    Result<Imported> import_list(std::string_view text, UploadOptions options = {}) {
        auto import = AudienceImport::begin(rooms, campaign, std::move(options));
        if (!import) {
            return pass(import);
        }
        if (auto taken = import->take(text); !taken) {
            return pass(taken);
        }
        return import->finish();
    }

    std::vector<model::Recipient> recipients() {
        return read([&](store::Reader& reader) {
                   return reader.campaigns().recipients({.campaign = campaign, .limit = 1'000});
               })
            .recipients;
    }
    model::Campaign stored() {
        return *read([&](store::Reader& reader) { return reader.campaigns().campaign(campaign); });
    }
    std::vector<model::CampaignId> unclean() {
        std::vector<model::CampaignId> found;
        for (const auto& one : read([](store::Reader& reader) {
                 return reader.campaigns().campaigns_to_clean(store::ShardSet::all());
             })) {
            found.push_back(one.campaign);
        }
        return found;
    }

    model::CampaignId campaign;
};

TEST_F(AudienceImportTest, EveryRowBecomesARecipient) {
    suppress(62812345670);
    const auto imported = import_list(
        "Nama;No HP;Kota\nBudi;0812-345-678;Solo\n;6.28E+12\n\nAni;62812345678\nSri;0812345670\n");
    ASSERT_TRUE(imported) << imported.error().describe();
    EXPECT_EQ(*imported, (Imported{.rows = 4,
                                   .added = 1,
                                   .invalid = 1,
                                   .duplicate = 1,
                                   .suppressed = 1,
                                   .rounded = 1,
                                   .columns = {"Nama", "No HP", "Kota"}}));
    const auto rows = recipients();
    ASSERT_THAT(rows, SizeIs(4));
    EXPECT_EQ(rows[0].state, model::RecipientState::pending);
    EXPECT_THAT(rows[0].values, ElementsAre("Budi", "0812-345-678", "Solo"));
    EXPECT_EQ(rows[1].reason, model::SkipReason::invalid);
    EXPECT_EQ(rows[1].original, "6.28E+12");
    EXPECT_EQ(rows[2].reason, model::SkipReason::duplicate);
    EXPECT_EQ(rows[3].reason, model::SkipReason::suppressed);
    EXPECT_EQ(rows[3].row, 4U);
    EXPECT_EQ(stored().counts.total(), 4);
    EXPECT_THAT(stored().columns, ElementsAre("Nama", "No HP", "Kota"));
}

TEST_F(AudienceImportTest, ColumnsOfLaterUploadsAreMatchedByName) {
    ASSERT_TRUE(import_list("hp,nama\n0812345678,Budi\n"));
    const auto second = import_list("kota,NAMA ,hp\nSolo,Ani,0812345679\n");
    ASSERT_TRUE(second);
    EXPECT_THAT(second->columns, ElementsAre("kota", "NAMA", "hp"));
    EXPECT_THAT(stored().columns, ElementsAre("hp", "nama", "kota"));
    EXPECT_THAT(recipients()[1].values, ElementsAre("0812345679", "Ani", "Solo"));
    ASSERT_TRUE(import_list(R"({"recipients":[{"number":"0812345670","values":{"Kota":"Yogya"}}]})",
                            {.form = UploadForm::json}));
    EXPECT_THAT(recipients()[2].values, ElementsAre("", "", "Yogya"));
    EXPECT_EQ(recipients()[2].row, 3U);
}

TEST_F(AudienceImportTest, UploadsTogetherHaveABoundedNumberOfColumns) {
    std::string many = "hp";
    for (int column = 1; column < 64; ++column) {
        many += ",c" + std::to_string(column);
    }
    ASSERT_TRUE(import_list(many + "\n0812345678\n"));
    EXPECT_THAT(import_list("hp,lain\n0812345679,x\n").error().detail,
                HasSubstr("more than 64 columns together"));
    EXPECT_THAT(recipients(), SizeIs(1));
}

TEST_F(AudienceImportTest, AFileWithAMistakeAddsNothing) {
    std::string text = "hp,nama\n";
    for (int row = 0; row < 3'000; ++row) {
        text += std::to_string(6281200000000 + row) + ",Budi\n";
    }
    EXPECT_THAT(import_list(text + "1,\"x").error().detail, HasSubstr("line 3002: a quote opens"));
    EXPECT_EQ(stored().counts.total(), 0);
    EXPECT_THAT(recipients(), IsEmpty());
    EXPECT_THAT(unclean(), IsEmpty());
    EXPECT_EQ(import_list(text)->added, 3'000U);
}

TEST_F(AudienceImportTest, AnUploadThatBreaksOffAddsNothing) {
    std::string text = "hp\n";
    for (int row = 0; row < 20'000; ++row) {
        text += std::to_string(6281200000000 + row) + "\n";
    }
    {
        auto import = AudienceImport::begin(rooms, campaign, {});
        ASSERT_TRUE(import);
        ASSERT_TRUE(import->take(text));
        EXPECT_THAT(unclean(), ElementsAre(campaign));
        EXPECT_THAT(recipients(), IsEmpty());
        EXPECT_TRUE(uploads.has(campaign));
    }
    EXPECT_FALSE(uploads.has(campaign));
    EXPECT_THAT(unclean(), IsEmpty());
    EXPECT_EQ(stored().counts.total(), 0);
}

TEST_F(AudienceImportTest, RemovesWhatACrashHasLeft) {
    campaigns([&](store::CampaignTables& tables) {
        store::UploadCounts counts;
        const std::vector<store::NewRecipient> left(
            3, {.number = model::PhoneNumber::from_stored(62812345678), .original = "x"});
        EXPECT_TRUE(tables.stage_rows(campaign, left, counts, clock.now()));
    });
    EXPECT_EQ(import_list("0812345678\n")->added, 1U);
    EXPECT_EQ(recipients()[0].original, "0812345678");
}

TEST_F(AudienceImportTest, ACampaignTakesOneUploadAtATime) {
    auto first = AudienceImport::begin(rooms, campaign, {});
    ASSERT_TRUE(first);
    EXPECT_EQ(AudienceImport::begin(rooms, campaign, {}).error().code, ErrorCode::conflict);
    ASSERT_TRUE(first->take("0812345678\n"));
    EXPECT_EQ(first->finish()->added, 1U);
}

TEST_F(AudienceImportTest, OnlyTheAudienceOfADraftIsChanged) {
    EXPECT_EQ(AudienceImport::begin(rooms, {campaign.value + 1}, {}).error().code,
              ErrorCode::not_found);
    auto import = AudienceImport::begin(rooms, campaign, {});
    ASSERT_TRUE(import->take("0812345678\n"));
    campaigns([&](store::CampaignTables& tables) {
        EXPECT_TRUE(tables.move_campaign(
            campaign, {.state = model::CampaignState::scheduled, .at = clock.now()}));
    });
    EXPECT_EQ(import->finish().error().code, ErrorCode::conflict);
    EXPECT_EQ(import->finish().error().code, ErrorCode::conflict);
    EXPECT_EQ(import->take("x").error().code, ErrorCode::conflict);
    EXPECT_EQ(AudienceImport::begin(rooms, {campaign}, {}).error().code, ErrorCode::conflict);
}

TEST_F(AudienceImportTest, AnUploadAddsNothingIfTheAudienceIsEmptiedMeanwhile) {
    ASSERT_TRUE(import_list("0812345678\n"));
    auto import = AudienceImport::begin(rooms, campaign, {});
    ASSERT_TRUE(import->take("0812345679\n"));
    campaigns([&](store::CampaignTables& tables) { EXPECT_TRUE(tables.empty_audience(campaign)); });
    EXPECT_EQ(import->finish().error().code, ErrorCode::conflict);
}

TEST_F(AudienceImportTest, TakesContactsByTheirTags) {
    for (int person = 0; person < 700; ++person) {
        put_contact({.number = model::PhoneNumber::from_stored(6281200000000 + person),
                     .name = "Budi " + std::to_string(person),
                     .values = {{person % 2 == 0 ? "kota" : "Kota", "Solo"}},
                     .tags = {person % 7 == 0 ? "lain" : "vip"}});
    }
    const auto imported = import_list(R"({"tags":["vip"]})", {.form = UploadForm::json});
    ASSERT_TRUE(imported) << imported.error().describe();
    EXPECT_EQ(imported->added, 600U);
    EXPECT_THAT(imported->columns, ElementsAre("name", "Kota"));
    EXPECT_THAT(recipients()[0].values, ElementsAre("Budi 1", "Solo"));
    EXPECT_EQ(import_list(R"({"tags":["none"]})", {.form = UploadForm::json})->rows, 0U);
}

TEST_F(AudienceImportTest, ContactsThatAreRemovedMeanwhileAreNotTaken) {
    put_contact(
        {.number = model::PhoneNumber::from_stored(6281200000001), .name = "Ani", .tags = {"vip"}});
    put_contact({.number = model::PhoneNumber::from_stored(6281200000002),
                 .name = "Budi",
                 .tags = {"vip"}});
    auto import = AudienceImport::begin(rooms, campaign, {.form = UploadForm::json});
    ASSERT_TRUE(import);
    ASSERT_TRUE(import->take(R"({"tags":["vip"]})"));
    before_change = [this] {  // They have been read.
        before_change = nullptr;
        contacts([&](store::ContactTables& tables) {
            EXPECT_TRUE(
                tables.remove_contact(account, model::PhoneNumber::from_stored(6281200000001)));
        });
    };
    EXPECT_EQ(import->finish()->rows, 1U);
    EXPECT_EQ(recipients().front().number->text(), "6281200000002");
}

TEST_F(AudienceImportTest, ReadsNumbersByTheCountryOfTheAccount) {
    ASSERT_TRUE(import_list("0612345678\n", {.country = "31"}));
    EXPECT_EQ(recipients()[0].number->text(), "31612345678");
    EXPECT_THAT(import_list("x", {.country = "628"}).error().detail,
                HasSubstr("`country` must be"));
    EXPECT_THAT(import_list("x", {.delimiter = 'x'}).error().detail,
                HasSubstr("`delimiter` must be"));
}

}  // namespace
}  // namespace merpati::campaign
