#include "base/mailbox.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace merpati {
namespace {

using namespace std::chrono_literals;

TEST(MailboxTest, GivesEverythingInOrderAtOnce) {
    Mailbox<int> box{8};
    EXPECT_TRUE(box.put(1));
    EXPECT_TRUE(box.put(2));
    std::vector<int> items;
    EXPECT_TRUE(box.take_all(items));
    EXPECT_EQ(items, (std::vector{1, 2}));
}

TEST(MailboxTest, RefusesWhenFullButLetsResultsIn) {
    Mailbox<int> box{1};
    EXPECT_TRUE(box.put(1));
    EXPECT_FALSE(box.put(2));
    EXPECT_TRUE(box.put_always(3));
    EXPECT_EQ(box.size(), 2U);
}

TEST(MailboxTest, TakesSeveralAtOnceBehindThoseThatWait) {
    Mailbox<int> box{1};
    std::vector<int> several{1, 2};
    EXPECT_TRUE(box.put_all_quietly(several));
    several = {3, 4};
    EXPECT_TRUE(box.put_all_quietly(several));
    std::vector<int> items;
    EXPECT_TRUE(box.take_all(items));
    EXPECT_EQ(items, (std::vector{1, 2, 3, 4}));
    box.close();
    EXPECT_FALSE(box.put_all_quietly(several));
}

TEST(MailboxTest, GivesWhatIsInsideAfterItIsClosedAndThenEnds) {
    Mailbox<int> box{8};
    EXPECT_TRUE(box.put(1));
    box.close();
    EXPECT_FALSE(box.put(2));
    std::vector<int> items;
    EXPECT_TRUE(box.take_all(items));
    EXPECT_FALSE(box.take_all(items));
}

TEST(MailboxTest, ANudgeWakesTheOwnerWithoutAnItem) {
    Mailbox<int> box{8};
    std::thread owner{[&box] {
        std::vector<int> items;
        EXPECT_TRUE(box.take_all(items));
        EXPECT_TRUE(items.empty());
    }};
    box.nudge();
    owner.join();
}

TEST(MailboxTest, GathersUntilAsManyWaitAsWereAskedFor) {
    Mailbox<int> box{8};
    EXPECT_TRUE(box.put(1));
    EXPECT_TRUE(box.put_quietly(2));
    std::thread owner{[&box] {
        box.gather(3, 1h);
        EXPECT_EQ(box.size(), 4U);
    }};
    EXPECT_TRUE(box.put(3));
    EXPECT_TRUE(box.put_always(4));
    owner.join();
    box.gather(3, 1h);  // Three items wait already.
}

TEST(MailboxTest, GathersNoLongerThanItMay) {
    Mailbox<int> box{8};
    EXPECT_TRUE(box.put(1));
    box.gather(2, 1us);
    EXPECT_EQ(box.size(), 1U);
}

TEST(MailboxTest, ANudgeAndTheEndEndTheGathering) {
    Mailbox<int> box{8};
    std::thread nudged{[&box] { box.gather(1, 1h); }};
    box.nudge();
    nudged.join();
    std::vector<int> items;
    EXPECT_TRUE(box.take_all(items));
    std::thread ended{[&box] { box.gather(1, 1h); }};
    box.close();
    ended.join();
}

TEST(MailboxTest, WhatWasPutQuietlyIsTakenAfterAWake) {
    Mailbox<int> box{8};
    std::thread owner{[&box] {
        std::vector<int> items;
        EXPECT_TRUE(box.take_all(items));
        EXPECT_EQ(items.front(), 1);
    }};
    EXPECT_TRUE(box.put_quietly(1));
    EXPECT_TRUE(box.put_quietly(2));
    box.wake();
    owner.join();
}

TEST(MailboxTest, NothingIsLostBetweenManySendersAndTheOwner) {
    static constexpr int each = 2000;
    Mailbox<int> box{16};
    std::vector<std::thread> senders;
    for (int sender = 0; sender < 4; ++sender) {
        senders.emplace_back([&box] {
            for (int item = 0; item < each; ++item) {
                while (!box.put(int{item})) {
                    std::this_thread::yield();
                }
            }
        });
    }
    long sum = 0;
    int count = 0;
    std::vector<int> items;
    while (count < 4 * each && box.take_all(items)) {
        for (const int item : items) {
            sum += item;
            ++count;
        }
    }
    for (auto& sender : senders) {
        sender.join();
    }
    EXPECT_EQ(sum, 4L * each * (each - 1) / 2);
}

}  // namespace
}  // namespace merpati
