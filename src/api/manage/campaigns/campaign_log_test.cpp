// Each change of a campaign, a contact or a suppression leaves one entry in the log of changes,
// without the texts and the values of people.
#include "api/manage/engine/manage_fixture.hpp"
#include "store/campaigns.hpp"

namespace merpati::api::manage {
namespace {

using testing::HasSubstr;
using testing::Not;

struct CampaignLogTest : testing::ManageTest {
    CampaignLogTest() { make_device(account, "6281100000001"); }

    std::string campaign() {
        const auto made = call_as(owner, http::Method::post, "/campaigns",
                                  R"({"name":"Promo","purpose":"transactional",)"
                                  R"("message":"rahasia","devices":["6281100000001"]})");
        EXPECT_EQ(made.status, 200) << made.whole();
        return made.text("id");
    }
    std::string filled_campaign() {
        const auto text = campaign();
        const auto id = *model::CampaignId::parse(text);
        store::WriteBatch batch;
        batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
            const std::vector<store::NewRecipient> rows{
                {.number = model::PhoneNumber::parse("6281234567890"),
                 .original = "6281234567890",
                 .values = {"rahasia"}}};
            store::UploadCounts counts;
            auto staged = tables.campaigns().stage_rows(id, rows, counts, clock.now());
            if (!staged) {
                return staged;
            }
            const auto whole = tables.campaigns().complete_upload(id, {"kode"}, counts);
            return whole ? Result<void>{} : pass(whole);
        }});
        write(batch);
        EXPECT_TRUE(batch.changes.front().result);
        return text;
    }

    static std::string text_in(const boost::json::value& entry, const char* field) {
        const auto* text = entry.at(field).if_string();
        return text == nullptr ? std::string{} : std::string{*text};
    }
    /// The log, the latest entry first.
    boost::json::array log() { return get("/admin/log?limit=1000").items(); }
    /// Makes the call, which must leave this one entry.
    boost::json::value entry_of(http::Method method, const std::string& path,
                                std::string_view operation, std::string_view body = {}) {
        const auto before = log().size();
        const auto answer = call_as(owner, method, path, body);
        EXPECT_EQ(answer.status, 200) << operation << answer.whole();
        const auto all = log();
        EXPECT_EQ(all.size(), before + 1) << operation;
        EXPECT_EQ(text_in(all.front(), "operation"), operation);
        EXPECT_EQ(text_in(all.front(), "outcome"), "done") << operation;
        EXPECT_EQ(text_in(all.front(), "account"), account) << operation;
        EXPECT_THAT(boost::json::serialize(all), Not(HasSubstr("rahasia"))) << operation;
        return all.front();
    }
    boost::json::value act(const std::string& id, const std::string& name,
                           std::string_view body = {}) {
        return entry_of(http::Method::post, "/campaigns/" + id + "/" + name,
                        "POST /v1/campaigns/{}/" + name, body);
    }

    const std::string account = make_account();
    admission::Principal owner = key_of(account, model::Scopes::all());
};

TEST_F(CampaignLogTest, AChangeOfACampaignIsLoggedWithoutItsTexts) {
    const auto id = campaign();
    EXPECT_EQ(text_in(log().front(), "object"), id);
    const auto changed = entry_of(http::Method::patch, "/campaigns/" + id, "PATCH /v1/campaigns/{}",
                                  R"({"message":"rahasia 2"})");
    EXPECT_EQ(changed.at("after"), (boost::json::value{{"message", "changed"}}));
    const auto named = entry_of(http::Method::patch, "/campaigns/" + id, "PATCH /v1/campaigns/{}",
                                R"({"name":"Lain"})");
    EXPECT_EQ(named.at("before"), (boost::json::value{{"name", "Promo"}}));
    entry_of(http::Method::del, "/campaigns/" + id + "/recipients",
             "DELETE /v1/campaigns/{}/recipients");
    entry_of(http::Method::del, "/campaigns/" + id, "DELETE /v1/campaigns/{}");
}

TEST_F(CampaignLogTest, EachActIsLogged) {
    const auto id = filled_campaign();
    act(id, "test", R"({"to":["6281234567890"]})");
    EXPECT_EQ(act(id, "start").at("after"), (boost::json::value{{"state", "running"}}));
    act(id, "pause");
    act(id, "resume");
    act(id, "retry", R"({"scope":"failed"})");
    act(id, "clone", R"({"recipients":true})");
    act(id, "cancel");
}

TEST_F(CampaignLogTest, WhatIsDoneAlreadyIsNotLoggedAgain) {
    const auto id = filled_campaign();
    act(id, "start");
    const auto before = log().size();
    EXPECT_EQ(call_as(owner, http::Method::post, "/campaigns/" + id + "/start").status, 200);
    EXPECT_EQ(call_as(owner, http::Method::patch, "/campaigns/" + id, R"({"name":"Promo"})").status,
              200);
    EXPECT_EQ(log().size(), before);
}

TEST_F(CampaignLogTest, PeopleAreLoggedByTheirNumbersAlone) {
    const std::string contact = "/contacts/6281234567890";
    const auto put = entry_of(http::Method::put, contact, "PUT /v1/contacts/{}",
                              R"({"name":"rahasia","values":{"kota":"rahasia"}})");
    EXPECT_EQ(text_in(put, "object"), "6281234567890");
    EXPECT_TRUE(put.at("after").is_null());
    entry_of(http::Method::del, contact, "DELETE /v1/contacts/{}");
    const std::string suppression = "/suppressions/6281234567890";
    entry_of(http::Method::put, suppression, "PUT /v1/suppressions/{}");
    entry_of(http::Method::del, suppression, "DELETE /v1/suppressions/{}");
}

TEST_F(CampaignLogTest, APauseAnswersWhenQueuedMessagesAreBack) {
    const auto id = filled_campaign();
    act(id, "start");
    act(id, "pause");
    EXPECT_EQ(control.withdrawn, std::vector{*model::CampaignId::parse(id)});
}

}  // namespace
}  // namespace merpati::api::manage
