#include "api/send/bulk_trial.hpp"

#include <gtest/gtest.h>

#include "base/digest.hpp"

namespace merpati::api {
namespace {

using admission::Refusal;

struct BulkTrialTest : ::testing::Test {
    void add(std::string_view key = "", std::string_view content = "Halo") {
        auto& made = messages.emplace_back();
        made.message = std::make_unique<model::Message>();
        if (!key.empty()) {
            made.key.emplace();
            made.key->key = key;
            made.key->fingerprint = sha256(content);
        }
    }
    void add_refused() { messages.emplace_back().end = admission::refuse(Refusal::message_empty); }
    /// By message: whether it would be sent, or why not.
    std::vector<std::optional<Refusal>> end(std::optional<std::int64_t> credit = {}) {
        end_trial(messages, credit);
        std::vector<std::optional<Refusal>> ends;
        for (const auto& one : messages) {
            ends.push_back(one.end ? std::nullopt : std::optional{one.end.error()});
        }
        return ends;
    }
    using Ends = std::vector<std::optional<Refusal>>;

    BulkMessages messages;
};

TEST_F(BulkTrialTest, EachMessageCostsACredit) {
    add();
    add_refused();
    add();
    add();
    EXPECT_EQ(end(2), (Ends{{}, Refusal::message_empty, {}, Refusal::credit_exhausted}));
    EXPECT_EQ(count_accepted(messages), 2U);
}

TEST_F(BulkTrialTest, CreditThatIsNotCountedIsNotMissing) {
    add();
    add();
    EXPECT_EQ(end(), (Ends{{}, {}}));
}

TEST_F(BulkTrialTest, EqualKeysCostOneCredit) {
    add("pesanan-1");
    add("pesanan-1");
    add("pesanan-2");
    add("pesanan-1");
    add();
    EXPECT_EQ(end(2), (Ends{{}, {}, {}, {}, Refusal::credit_exhausted}));
}

TEST_F(BulkTrialTest, AnotherMessageWithAKeyOfTheRequestIsRefusedAndCostsNothing) {
    add("pesanan-1");
    add("pesanan-1", "lain");
    add();
    EXPECT_EQ(end(2), (Ends{{}, Refusal::idempotency_key_reused, {}}));
}

TEST_F(BulkTrialTest, AMessageThatIsRefusedTakesNoKey) {
    add("pesanan-1");
    add("pesanan-1", "lain");
    EXPECT_EQ(end(0), (Ends{Refusal::credit_exhausted, Refusal::credit_exhausted}));
    messages.clear();
    add("pesanan-1");
    messages.back().message.reset();
    messages.back().end = admission::refuse(Refusal::media_unreachable);
    add("pesanan-1", "lain");
    EXPECT_EQ(end(), (Ends{Refusal::media_unreachable, {}}));
}

}  // namespace
}  // namespace merpati::api
