// A copy of a campaign is there with its audience, or not at all.
#include "api/manage/engine/manage_fixture.hpp"
#include "store/campaigns.hpp"

namespace merpati::api::manage {
namespace {

struct CampaignCloneTest : testing::ManageTest {
    CampaignCloneTest() {
        id = make_campaign(account, "6281100000001");
        store::WriteBatch batch;
        batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
            const std::vector<store::NewRecipient> rows{
                {.number = model::PhoneNumber::parse("6281234567890"),
                 .original = "6281234567890",
                 .values = {}}};
            store::UploadCounts counts;
            auto staged = tables.campaigns().stage_rows(campaign(), rows, counts, clock.now());
            if (!staged) {
                return staged;
            }
            const auto whole = tables.campaigns().complete_upload(campaign(), {}, counts);
            return whole ? Result<void>{} : pass(whole);
        }});
        write(batch);
        EXPECT_TRUE(batch.changes.front().result);
    }

    [[nodiscard]] model::CampaignId campaign() const { return *model::CampaignId::parse(id); }
    testing::Answer clone() {
        return post("/campaigns/" + id + "/clone", R"({"recipients":true})");
    }
    std::size_t count() { return get("/campaigns?account=" + account).items().size(); }
    std::vector<store::CampaignToClean> to_clean() {
        return *(*store->open_reader())->campaigns().campaigns_to_clean(store::ShardSet::all());
    }
    void set(admission::Stay stay) {
        const auto shard = store::shard_of(*model::AccountId::parse(account));
        ownership.set({&shard, 1}, stay);
    }

    const std::string account = make_account();
    std::string id;
};

TEST_F(CampaignCloneTest, ItHasTheAudience) {
    const auto made = clone();
    EXPECT_EQ(made.status, 200) << made.whole();
    EXPECT_EQ(made.json.at("counts").at("pending"), 1) << made.whole();
    EXPECT_EQ(count(), 2U);
    EXPECT_TRUE(to_clean().empty());
}

TEST_F(CampaignCloneTest, IfTheAccountLeavesMeanwhileItsNextOwnerFindsWhatToRemove) {
    after_change = [this] {
        if (!to_clean().empty()) {  // The copy was begun.
            set(admission::Stay::elsewhere);
        }
    };
    const auto refused = clone();
    EXPECT_EQ(refused.status, 503) << refused.whole();
    after_change = nullptr;
    set(admission::Stay::here);
    EXPECT_EQ(count(), 1U);
    ASSERT_EQ(to_clean().size(), 1U);
    EXPECT_FALSE(uploads.has(to_clean().front().campaign));
}

}  // namespace
}  // namespace merpati::api::manage
