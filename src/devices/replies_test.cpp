#include "devices/replies.hpp"

#include <gtest/gtest.h>

#include "store/conformance/repeating_store.hpp"
#include "store/contacts.hpp"
#include "store/store.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::devices {
namespace {

using model::SuppressionReason;

struct RepliesTest : ::testing::Test {
    RepliesTest() {
        store = store::open_repeating_store({.url = "sqlite:" + folder.file("merpati.db")});
        EXPECT_TRUE(change([](store::Tables& tables) -> Result<void> {
            EXPECT_EQ(tables.create_account({})->value, 1);
            EXPECT_EQ(tables.create_account({})->value, 2);
            return {};
        }));
    }

    Result<void> change(std::move_only_function<Result<void>(store::Tables&)> run) {
        store::WriteBatch batch;
        batch.changes.push_back({.run = std::move(run)});
        EXPECT_TRUE(store->write(batch));
        return batch.changes.front().result;
    }
    void receive(const std::string& text, const std::string& sender = "6281234567890") {
        EXPECT_TRUE(change([&](store::Tables& tables) {
            connector::InboundMessage message;
            message.sender = sender;
            message.text = text;
            return take_reply(tables, account, message, now);
        }));
    }
    [[nodiscard]] std::optional<model::Suppression> suppression(model::AccountId of) const {
        return *(*store->open_reader())->contacts().suppression(of, writer);
    }

    testing::TemporaryFolder folder;
    std::unique_ptr<store::Store> store;
    const model::AccountId account{1};
    const model::PhoneNumber writer = model::PhoneNumber::from_stored(6281234567890);
    const Timestamp now = from_unix_millis(1'795'168'800'000);
};

TEST_F(RepliesTest, AWordOfRefusalSuppressesItsSenderForTheAccountAlone) {
    receive(" Berhenti! ");
    const auto found = suppression(account);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->reason, SuppressionReason::opt_out);
    EXPECT_EQ(found->at, now);
    EXPECT_EQ(found->campaign, std::nullopt);
    EXPECT_EQ(suppression({2}), std::nullopt);
}

TEST_F(RepliesTest, OtherTextsAndOtherSendersChangeNothing) {
    receive("kapan berhenti hujan?");
    receive("STOP", "a group");
    EXPECT_EQ(suppression(account), std::nullopt);
}

TEST_F(RepliesTest, AWordOfAgreementTakesBackARefusalAndNothingElse) {
    receive("STOP");
    receive("mulai");
    EXPECT_EQ(suppression(account), std::nullopt);
    EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
        EXPECT_TRUE(tables.contacts().put_suppression({.account = account,
                                                       .number = writer,
                                                       .reason = SuppressionReason::manual,
                                                       .at = now}));
        return {};
    }));
    receive("mulai");
    EXPECT_TRUE(suppression(account));
}

}  // namespace
}  // namespace merpati::devices
