#include "campaign/audience/people_import.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/audience/import_fixture.hpp"
#include "campaign/audience/list_spool.hpp"

namespace merpati::campaign {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

struct PeopleImportTest : ImportTest {
    Result<Imported> import_contacts(std::string_view text, std::vector<std::string> tags = {},
                                     UploadOptions options = {}) {
        auto import = ContactImport::begin(rooms, account, std::move(options), std::move(tags));
        if (!import) {
            return pass(import);
        }
        if (auto taken = import->take(text); !taken) {
            return pass(taken);
        }
        return import->finish();
    }
    Result<Imported> import_suppressions(std::string_view text) {
        auto import = SuppressionImport::begin(rooms, account, {});
        if (auto taken = import->take(text); !taken) {
            return pass(taken);
        }
        return import->finish();
    }

    std::optional<model::Contact> contact(std::int64_t number) {
        return read([&](store::Reader& reader) {
            return reader.contacts().contact(account, model::PhoneNumber::from_stored(number));
        });
    }
};

TEST_F(PeopleImportTest, ColumnsBecomeFieldsAndValues) {
    const auto imported = import_contacts(
        "No HP,Nama,Tags,consent_source,consent_at,consent_text,Kota\n"
        "0812345678,Budi,\"vip, solo;vip\",toko,2026-01-02T03:04:05Z,setuju,Solo\nx,Ani\n"
        "0812345679,Ani\n",
        {"promo"});
    ASSERT_TRUE(imported) << imported.error().describe();
    EXPECT_EQ(imported->rows, 3U);
    EXPECT_EQ(imported->added, 2U);
    EXPECT_EQ(imported->invalid, 1U);
    const auto budi = contact(62812345678);
    ASSERT_TRUE(budi);
    EXPECT_EQ(budi->name, "Budi");
    EXPECT_THAT(budi->tags, ElementsAre("promo", "solo", "vip"));
    EXPECT_THAT(budi->values, ElementsAre(Pair("Kota", "Solo")));
    ASSERT_TRUE(budi->consent);
    EXPECT_EQ(budi->consent->source, "toko");
    EXPECT_EQ(to_rfc3339(budi->consent->at), "2026-01-02T03:04:05.000Z");
    EXPECT_FALSE(contact(62812345679)->consent);
}

TEST_F(PeopleImportTest, KnownContactsAreMergedAndARepeatChangesNothing) {
    put_contact({.number = model::PhoneNumber::from_stored(62812345678),
                 .name = "Budi",
                 .values = {{"kota", "Solo"}, {"usia", "40"}},
                 .tags = {"lama"}});
    const auto text = "nomor,name,KOTA,consent_source\n0812345678,,Yogya,toko\n";
    const auto imported = import_contacts(text, {"baru"}, {.number_column = "nomor"});
    ASSERT_TRUE(imported);
    EXPECT_EQ(imported->changed, 1U);
    const auto budi = contact(62812345678);
    EXPECT_EQ(budi->name, "Budi");
    EXPECT_THAT(budi->values, ElementsAre(Pair("kota", "Yogya"), Pair("usia", "40")));
    EXPECT_THAT(budi->tags, ElementsAre("baru", "lama"));
    clock.advance(std::chrono::hours{1});
    EXPECT_EQ(import_contacts(text, {"baru"})->duplicate, 1U);
    EXPECT_EQ(contact(62812345678), budi);
}

TEST_F(PeopleImportTest, AMistakeChangesNothing) {
    std::string text = "hp,nama\n";
    for (int row = 0; row < 10'000; ++row) {
        text += std::to_string(6281200000000 + row) + ",Budi\n";
    }
    const auto before = changes;
    EXPECT_THAT(import_contacts(text + "1,\"x").error().detail, HasSubstr("line 10002"));
    EXPECT_EQ(changes, before);
    EXPECT_EQ(import_contacts(text)->added, 10'000U);
    EXPECT_GT(changes, before + 1);
}

TEST_F(PeopleImportTest, ALongListIsWholeOrAbsent) {
    std::string text = "hp,nama\n";
    for (int row = 0; row < 5'000; ++row) {
        text += std::to_string(6281200000000 + row) + "," + std::string(2'000, 'x') + "\n";
    }
    ASSERT_GT(text.size(), ListSpool::memory_max);
    const auto before = changes;
    {
        auto broken_off = ContactImport::begin(rooms, account, {}, {});
        ASSERT_TRUE(broken_off->take(text));
    }
    EXPECT_THAT(import_contacts(text + "1,\"x").error().detail, HasSubstr("line 5002"));
    EXPECT_EQ(changes, before);
    EXPECT_FALSE(contact(6281200000000));
    EXPECT_EQ(import_contacts(text)->added, 5'000U);
    EXPECT_EQ(contact(6281200004999)->name, std::string(2'000, 'x'));
    EXPECT_EQ(import_suppressions(text)->added, 5'000U);
}

TEST_F(PeopleImportTest, RefusesTagsThatAreTooLongOrTooMany) {
    EXPECT_THAT(import_contacts("0812345678", {std::string(65, 'x')}).error().detail,
                HasSubstr("`tag` must be"));
    std::string tags;
    for (int tag = 0; tag < 33; ++tag) {
        tags += std::to_string(tag) + "|";
    }
    EXPECT_THAT(import_contacts("hp,tags\n0812345678," + tags).error().detail,
                HasSubstr("62812345678 would have more than 64 values or 32 tags"));
    EXPECT_FALSE(contact(62812345678));
}

TEST_F(PeopleImportTest, NumbersAreSuppressedOnce) {
    suppress(62812345670);
    const auto imported = import_suppressions("hp\n0812345678\n62812345678\n0812345670\nx\n");
    ASSERT_TRUE(imported);
    EXPECT_EQ(imported->rows, 4U);
    EXPECT_EQ(imported->added, 1U);
    EXPECT_EQ(imported->duplicate, 2U);
    EXPECT_EQ(imported->invalid, 1U);
    const auto reason = [&](std::int64_t number) {
        return read([&](store::Reader& reader) {
                   return reader.contacts().suppression(account,
                                                        model::PhoneNumber::from_stored(number));
               })
            ->reason;
    };
    EXPECT_EQ(reason(62812345678), model::SuppressionReason::import);
    EXPECT_EQ(reason(62812345670), model::SuppressionReason::opt_out);
}

}  // namespace
}  // namespace merpati::campaign
