#include "media/host_limiter.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace merpati::media {
namespace {

using namespace std::chrono_literals;

constexpr model::AccountId shop{1};

struct HostLimiterTest : ::testing::Test {
    SlotPtr ask(model::AccountId account, const std::string& host) {
        auto slot = std::make_shared<Slot>(account, host);
        const bool stands = limiter.ask(slot, [this, slot] { granted.push_back(slot); });
        EXPECT_TRUE(stands);
        return slot;
    }
    [[nodiscard]] bool has(const SlotPtr& slot) const {
        return std::ranges::find(granted, slot) != granted.end();
    }
    void release(const SlotPtr& slot, std::optional<Millis> answered_in) {
        ASSERT_EQ(std::erase(granted, slot), 1U);
        limiter.release(slot, answered_in);
    }
    /// Makes one request, which the host answers promptly.
    void make_healthy(model::AccountId account, const std::string& host) {
        const auto slot = ask(account, host);
        ASSERT_TRUE(has(slot));
        release(slot, 10ms);
    }
    [[nodiscard]] std::size_t held_by(model::AccountId account) const {
        return static_cast<std::size_t>(std::ranges::count_if(
            granted, [account](const auto& slot) { return slot->account == account; }));
    }

    HostLimiter limiter{{.total_max = 16,
                         .per_host_max = 4,
                         .unproven_max = 8,
                         .account_unproven_max = 3,
                         .unhealthy_max = 4,
                         .account_unhealthy_max = 1,
                         .waiting_max = 100'000,
                         .hosts_max = 1'000}};
    std::vector<SlotPtr> granted;
};

TEST_F(HostLimiterTest, GivesAHostThatNeverAnsweredOneSlot) {
    const auto first = ask(shop, "a");
    const auto second = ask(shop, "a");
    EXPECT_TRUE(has(first));
    EXPECT_FALSE(has(second));
    release(first, 10ms);
    EXPECT_TRUE(has(second));
    for (int number = 0; number < 5; ++number) {
        ask(shop, "a");
    }
    EXPECT_EQ(granted.size(), 4U) << "per_host_max, once it has answered";
}

TEST_F(HostLimiterTest, GivesMoreSlotsOnceAHostHasAnsweredWhateverItsFileTakes) {
    const auto first = ask(shop, "a");
    const auto second = ask(shop, "a");
    limiter.answered(first, 10ms);
    EXPECT_TRUE(has(second));
    for (const auto* host : {"b", "c", "d"}) {
        EXPECT_TRUE(has(ask(shop, host))) << "the account's slots at such hosts are free again";
    }
    limiter.answered(second, 1'001ms);
    EXPECT_FALSE(has(ask(shop, "a")));
    release(first, 10ms);
    release(second, 1'001ms);
    EXPECT_EQ(limiter.in_flight(), 4U);
}

TEST_F(HostLimiterTest, TakesSlotsBackFromAHostThatGetsSlowOrSilent) {
    for (const std::optional<Millis> bad :
         {std::optional<Millis>{1'001ms}, std::optional<Millis>{}}) {
        make_healthy(shop, "a");
        const auto first = ask(shop, "a");
        const auto second = ask(shop, "a");
        EXPECT_TRUE(has(second));
        release(first, bad);
        const auto third = ask(shop, "a");
        EXPECT_FALSE(has(third));
        release(second, bad);
        EXPECT_TRUE(has(third));
        release(third, 10ms);
    }
}

TEST_F(HostLimiterTest, AHostThatWasNotAskedKeepsItsStanding) {
    make_healthy(shop, "a");
    const auto first = ask(shop, "a");
    ASSERT_EQ(std::erase(granted, first), 1U);
    limiter.give_back(first);
    EXPECT_EQ(limiter.in_flight(), 0U);
    EXPECT_TRUE(has(ask(shop, "a")) && has(ask(shop, "a"))) << "still healthy";
    const auto untried = ask(shop, "b");
    ASSERT_EQ(std::erase(granted, untried), 1U);
    limiter.give_back(untried);
    for (const auto* host : {"b", "c", "d"}) {
        EXPECT_TRUE(has(ask(shop, host))) << "account_unproven_max, not account_unhealthy_max";
    }
}

TEST_F(HostLimiterTest, LimitsAllUnprovenHostsOfAnAccount) {
    for (int number = 0; number < 1'000; ++number) {
        ask(shop, "hole" + std::to_string(number));
    }
    EXPECT_EQ(granted.size(), 3U);
    const model::AccountId other{2};
    make_healthy(other, "good");
}

TEST_F(HostLimiterTest, KeepsASlotForAHostThatWasNeverTriedBesideThoseThatFail) {
    for (int number = 0; number < 3; ++number) {
        const auto slot = ask(shop, "hole" + std::to_string(number));
        release(slot, std::nullopt);
    }
    for (int number = 0; number < 3; ++number) {
        ask(shop, "hole" + std::to_string(number));
    }
    EXPECT_EQ(granted.size(), 1U) << "account_unhealthy_max";
    EXPECT_TRUE(has(ask(shop, "new")));
}

TEST_F(HostLimiterTest, LeavesEachNewAccountAFreeSlotHoweverGreedyTheOthersAre) {
    for (std::int64_t account = 1; account <= 4; ++account) {
        for (int host = 0; host < 10; ++host) {
            make_healthy({account}, "host" + std::to_string(host));
        }
        for (int host = 0; host < 10; ++host) {
            for (int number = 0; number < 10; ++number) {
                ask({account}, "host" + std::to_string(host));
            }
        }
        EXPECT_GE(held_by({account}), 1U) << account;
    }
    EXPECT_EQ(held_by({1}), 8U) << "half";
    EXPECT_LT(limiter.in_flight(), 16U);
}

TEST_F(HostLimiterTest, LeavesANewAccountsUnprovenHostASlot) {
    for (std::int64_t account = 1; account <= 3; ++account) {
        for (int host = 0; host < 100; ++host) {
            ask({account}, "hole" + std::to_string(host));
        }
    }
    EXPECT_TRUE(has(ask({4}, "new")));
}

TEST_F(HostLimiterTest, ServesAccountsAndTheHostsOfEachRoundRobin) {
    HostLimiter one{{.total_max = 1, .per_host_max = 1, .unproven_max = 1}};
    std::vector<std::string> order;
    std::vector<SlotPtr> slots;
    const auto line_up = [&](std::int64_t account, const std::string& host) {
        slots.push_back(std::make_shared<Slot>(model::AccountId{account}, host));
        EXPECT_TRUE(one.ask(slots.back(), [&, slot = slots.back()] {
            order.push_back(slot->account.text() + slot->host);
        }));
    };
    line_up(9, "first");
    for (const auto* host : {"a", "a", "b"}) {
        line_up(1, host);
    }
    line_up(2, "c");
    for (const std::size_t ended : {0U, 1U, 4U, 2U, 3U}) {
        one.release(slots[ended], 10ms);
    }
    EXPECT_EQ(order,
              (std::vector<std::string>{"acc_9first", "acc_1a", "acc_2c", "acc_1a", "acc_1b"}));
    EXPECT_EQ(one.in_flight(), 0U);
}

TEST_F(HostLimiterTest, LetsNobodyFillTheLine) {
    HostLimiter small{{.total_max = 1, .per_host_max = 1, .unproven_max = 1, .waiting_max = 10}};
    const auto line_up = [&small](std::int64_t account) {
        return small.ask(std::make_shared<Slot>(model::AccountId{account}, "a"), [] {});
    };
    EXPECT_TRUE(line_up(1));
    int lined_up = 0;
    for (int number = 0; number < 100; ++number) {
        lined_up += line_up(1) ? 1 : 0;
    }
    EXPECT_EQ(lined_up, 5);
    EXPECT_TRUE(line_up(2));
    EXPECT_TRUE(line_up(3));
}

TEST_F(HostLimiterTest, ForgetsWhoGaveUp) {
    const auto first = ask(shop, "a");
    const auto second = ask(shop, "a");
    const auto third = ask(shop, "a");
    limiter.cancel(second);
    limiter.cancel(second);
    limiter.cancel(first);
    EXPECT_EQ(limiter.waiting(), 1U);
    release(first, 10ms);
    EXPECT_FALSE(has(second));
    EXPECT_TRUE(has(third));
    release(third, 10ms);
    EXPECT_EQ(limiter.in_flight(), 0U);
}

TEST_F(HostLimiterTest, MayBeAskedAndReleasedWithinAGrant) {
    int rounds = 0;
    std::function<void()> again = [&] {
        if (++rounds > 10'000) {
            return;
        }
        auto slot = std::make_shared<Slot>(shop, "a");
        EXPECT_TRUE(limiter.ask(slot, [&, slot] {
            again();
            limiter.release(slot, 10ms);
        }));
    };
    again();
    EXPECT_EQ(rounds, 10'001);
    EXPECT_EQ(limiter.in_flight(), 0U);
    EXPECT_EQ(limiter.waiting(), 0U);
}

TEST_F(HostLimiterTest, ForgetsAllThatWaitWhenCleared) {
    const auto first = ask(shop, "a");
    ask(shop, "a");
    ask(shop, "b");
    limiter.clear();
    EXPECT_EQ(limiter.waiting(), 0U);
    release(first, 10ms);
    EXPECT_EQ(granted.size(), 1U) << "b's";
}

TEST_F(HostLimiterTest, RemembersTheStandingOfFewHostsOfAnAccountThatNamesMany) {
    const model::AccountId flood{2};
    make_healthy(shop, "good");
    for (int number = 0; number < 100'000; ++number) {
        release(ask(flood, "host" + std::to_string(number)), std::nullopt);
    }
    const auto first = ask(shop, "good");
    const auto second = ask(shop, "good");
    EXPECT_TRUE(has(first) && has(second)) << "still known as healthy";
}

}  // namespace
}  // namespace merpati::media
