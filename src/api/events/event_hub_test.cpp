#include "api/events/event_hub.hpp"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/uuid.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::api {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A client that asks for the next piece when the test calls `read`.
class Client final : public http::BodySink, public std::enable_shared_from_this<Client> {
public:
    void take_piece(std::string&& bytes, bool last) override {
        received += bytes;
        ended = ended || last;
        waits = false;
    }
    void cut_off() override { cut = true; }

    /// Reads until no more is available.
    void read() {
        while (!waits && !ended) {
            waits = true;
            source->next(http::BodyWriter{shared_from_this()});
        }
    }
    std::string take() {
        read();
        return std::exchange(received, {});
    }
    [[nodiscard]] std::string last_id() {
        const auto all = kept + received;
        const auto place = all.rfind("id: ");
        return all.substr(place + 4, all.find('\n', place) - place - 4);
    }

    std::unique_ptr<http::BodySource> source;
    std::string received;
    std::string kept;
    bool waits = false;
    bool ended = false;
    bool cut = false;
};

struct EventHubTest : ::testing::Test {
    std::shared_ptr<Client> connect(std::int64_t account = 1, std::string_view last_id = {}) {
        auto client = std::make_shared<Client>();
        client->source =
            hub->open({account}, last_id, [this] { return allowed ? scopes : model::Scopes{}; });
        if (client->source == nullptr) {
            return nullptr;
        }
        client->read();
        return client;
    }
    void tell(std::string data, std::int64_t account = 1) {
        hub->tell({account}, "device.state", std::move(data));
    }
    void note(const Uuid& id, std::string data) {
        hub->note({1}, "message.updated", id, [data] { return data; });
    }
    void tick() { hub->tick(); }

    merpati::testing::ManualClock clock;
    merpati::testing::FixedRandom random;
    UuidSource ids{clock, random};
    bool allowed = true;
    model::Scopes scopes = model::Scopes::all();
    std::optional<std::int64_t> credit = 100;
    std::size_t credit_reads = 0;
    std::unique_ptr<EventHub> hub =
        std::make_unique<EventHub>(clock, random, 64, [this](model::AccountId) {
            ++credit_reads;
            return credit;
        });
};

TEST_F(EventHubTest, AStreamBeginsWithHowToComeBack) {
    const auto client = connect();
    EXPECT_THAT(client->received, HasSubstr("retry: 3000\nid: "));
    EXPECT_THAT(client->received, Not(HasSubstr("event:")));
    EXPECT_TRUE(client->waits);
}

TEST_F(EventHubTest, EventsReachTheirAccountAloneEachWithAnId) {
    const auto ours = connect(1);
    const auto theirs = connect(2);
    (void)theirs->take();
    tell(R"({"number":"628"})");
    tick();
    EXPECT_THAT(ours->received, HasSubstr("event: device.state\ndata: {\"number\":\"628\"}\n\n"));
    EXPECT_THAT(theirs->received, IsEmpty());
}

TEST_F(EventHubTest, AStreamHasOnlyTheEventsThatItsScopesPermit) {
    scopes = {model::Scope::messages_read};
    const auto client = connect();
    (void)client->take();
    const auto tell_all = [this] {
        hub->tell({1}, "device.qr", "{}");
        tell("{}");
        hub->credit_changed({1});
        note(ids.next(), "{}");
        clock.advance(1s);
        tick();
    };
    tell_all();
    EXPECT_THAT(client->received, HasSubstr("event: message.updated"));
    EXPECT_THAT(client->received, Not(HasSubstr("event: device.")));
    EXPECT_THAT(client->received, Not(HasSubstr("event: account.")));
    (void)client->take();
    tell("{}");
    tick();
    EXPECT_THAT(client->received, IsEmpty());
    scopes = {model::Scope::messages_read, model::Scope::account_read};
    credit = 99;
    tell_all();
    EXPECT_THAT(client->received, HasSubstr("event: device.state"));
    EXPECT_THAT(client->received, HasSubstr("event: account.credit"));
    EXPECT_THAT(client->received, Not(HasSubstr("event: device.qr")));
}

TEST_F(EventHubTest, WhereNobodyWatchesNothingIsNoted) {
    EXPECT_FALSE(hub->is_watched());
    tell("{}");
    const auto client = connect();
    EXPECT_TRUE(hub->is_watched());
    tick();
    EXPECT_THAT(client->take(), Not(HasSubstr("event:")));
}

TEST_F(EventHubTest, OneMessageIsToldOnceATickWithItsLatestState) {
    const auto client = connect();
    const auto id = ids.next();
    note(id, "first");
    note(id, "second");
    tick();
    EXPECT_THAT(client->received, HasSubstr("data: second\n"));
    EXPECT_THAT(client->received, Not(HasSubstr("first")));
}

TEST_F(EventHubTest, WhatAnEventSaysIsReadWithoutTheLockThatClientsWaitFor) {
    const auto client = connect();
    std::future<std::size_t> counted;
    hub->note({1}, "message.updated", ids.next(), [&]() -> std::string {
        counted = std::async(std::launch::async, [this] { return hub->streams(); });
        return counted.wait_for(10s) == std::future_status::ready ? "free" : "held";
    });
    tick();
    EXPECT_THAT(client->received, HasSubstr("data: free\n"));
}

TEST_F(EventHubTest, OfVeryManyMessagesTheNumberIsTold) {
    const auto client = connect();
    for (int made = 0; made < 200; ++made) {
        note(ids.next(), "one");
    }
    tick();
    EXPECT_THAT(client->received, HasSubstr("event: message.updated\ndata: {\"many\":200}\n"));
    EXPECT_THAT(client->received, Not(HasSubstr("one")));
}

TEST_F(EventHubTest, FiftyMessagesAreToldEachAndOfMoreTheirNumberHoweverOftenEachChanged) {
    const auto client = connect();
    std::vector<Uuid> changed;
    for (std::size_t made = 0; made < EventHub::each_max; ++made) {
        changed.push_back(ids.next());
    }
    const auto note_all = [&] {
        for (const auto& id : changed) {
            note(id, "one");
            note(id, "two");
        }
        tick();
        return client->take();
    };
    auto received = note_all();
    EXPECT_THAT(received, Not(HasSubstr("many")));
    std::size_t told = 0;
    for (auto at = received.find("data: two\n"); at != std::string::npos;
         at = received.find("data: two\n", at + 1)) {
        ++told;
    }
    EXPECT_EQ(told, EventHub::each_max);
    changed.push_back(ids.next());
    received = note_all();
    EXPECT_THAT(received, HasSubstr("data: {\"many\":51}\n"));
    EXPECT_THAT(received, Not(HasSubstr("two")));
}

TEST_F(EventHubTest, AQuietStreamGetsACommentEveryFifteenSeconds) {
    const auto client = connect();
    (void)client->take();
    clock.advance(14s);
    tick();
    EXPECT_THAT(client->take(), IsEmpty());
    clock.advance(1s);
    tick();
    EXPECT_EQ(client->take(), ": \n\n");
    tick();
    EXPECT_THAT(client->take(), IsEmpty());
}

TEST_F(EventHubTest, WhoComesBackGetsWhatItMissed) {
    auto client = connect();
    tell("1");
    tick();
    const auto id = client->last_id();
    client->source.reset();
    EXPECT_EQ(hub->streams(), 0U);
    tell("2");
    tell("3");
    tick();
    const auto again = connect(1, id);
    EXPECT_THAT(again->received, HasSubstr("data: 2\n\nid:"));
    EXPECT_THAT(again->received, HasSubstr("data: 3\n\n"));
    EXPECT_THAT(again->received, Not(HasSubstr("resync")));
    EXPECT_THAT(again->received, Not(HasSubstr("data: 1")));
}

TEST_F(EventHubTest, WhoComesBackTooLateOrAfterARestartReadsEverythingAnew) {
    auto client = connect();
    tell("1");
    tick();
    const auto id = client->last_id();
    for (std::size_t made = 0; made < EventRing::events_max + 1; ++made) {
        tell("x");
    }
    tick();
    const auto late = connect(1, id);
    EXPECT_THAT(late->received, HasSubstr("event: resync\ndata: {}\n\n"));
    EXPECT_THAT(late->received, Not(HasSubstr("data: x")));
    for (const std::string_view other : {"0-1", "beef-3", "x", "-", "0-99999999999999999999"}) {
        EXPECT_THAT(connect(1, other)->received, HasSubstr("event: resync")) << other;
    }
}

TEST_F(EventHubTest, WhereEventsWereLostEveryoneReadsEverythingAnewAndOnlyOnce) {
    auto gone = connect();
    tell("1");
    tick();
    const auto id = gone->last_id();
    gone->source.reset();
    const auto stayed = connect();
    const auto message = ids.next();
    for (std::size_t noted = 0; noted <= EventHub::noted_max; ++noted) {
        note(message, "x");
    }
    tick();
    const auto again = connect(1, id);
    EXPECT_THAT(again->take(), HasSubstr("event: resync\ndata: {}\n\n"));
    stayed->kept = stayed->take();
    EXPECT_THAT(stayed->kept, HasSubstr("event: resync\ndata: {}\n\n"));
    tell("2");
    tick();
    for (const auto& client : {again, stayed, connect(1, stayed->last_id())}) {
        EXPECT_THAT(client->take(), Not(HasSubstr("resync")));
    }
}

TEST_F(EventHubTest, ARingIsForgottenWhenNobodyHasWatchedForAWhile) {
    auto client = connect();
    const auto id = client->last_id();
    client->source.reset();
    clock.advance(EventHub::ring_kept);
    tick();
    EXPECT_FALSE(hub->is_watched());
    EXPECT_THAT(connect(1, id)->received, HasSubstr("event: resync"));
}

TEST_F(EventHubTest, AStreamThatDoesNotReadHoldsNothingAndIsToldThatItMissedSomething) {
    const auto client = connect();
    tell("first");
    tick();  // The client has taken this, and does not ask for more.
    for (std::size_t made = 0; made < 2 * EventRing::events_max; ++made) {
        tell("x");
        tick();
    }
    client->kept = std::exchange(client->received, {});
    EXPECT_THAT(client->take(), HasSubstr("event: resync"));
    tell("after");
    tick();
    EXPECT_THAT(client->take(), HasSubstr("data: after"));
}

TEST_F(EventHubTest, AStreamEndsWhenItsCallerMayNotSeeItAnyMore) {
    const auto client = connect();
    allowed = false;
    clock.advance(EventHub::checked_every);
    tick();
    EXPECT_TRUE(client->ended);
    const auto secret = connect();
    tell("secret");
    tick();
    EXPECT_TRUE(secret->ended);
    EXPECT_THAT(secret->received, Not(HasSubstr("secret")));
}

TEST_F(EventHubTest, AStreamThatDidNotReadMeanwhileIsShownNothingOfLater) {
    const auto client = connect();
    tell("before");
    tick();
    client->kept = std::exchange(client->received, {});
    client->waits = false;  // The client has taken that, and did not ask for more.
    allowed = false;
    tell("secret");
    tick();
    EXPECT_THAT(client->take(), Not(HasSubstr("secret")));
    EXPECT_TRUE(client->ended);
}

TEST_F(EventHubTest, OneAccountLeavesStreamsToOthers) {
    std::vector<std::shared_ptr<Client>> all;
    while (auto client = connect(1)) {
        all.push_back(std::move(client));
    }
    EXPECT_EQ(all.size(), 32U);
    const auto other = connect(2);
    EXPECT_NE(other, nullptr);
    for (const auto& client : all) {
        client->source.reset();
    }
    EXPECT_EQ(hub->streams(), 1U);
    EXPECT_NE(connect(1), nullptr);
}

TEST_F(EventHubTest, TheCreditIsToldWhenItChangedOnceASecond) {
    const auto client = connect();
    clock.advance(1s);
    hub->credit_changed({1});
    tick();
    EXPECT_THAT(client->take(), HasSubstr("event: account.credit\ndata: {\"credit\":100}\n"));
    credit = 99;
    hub->credit_changed({1});
    tick();
    EXPECT_THAT(client->take(), IsEmpty());
    clock.advance(1s);
    tick();
    EXPECT_THAT(client->take(), HasSubstr("{\"credit\":99}"));
    EXPECT_EQ(credit_reads, 2U);
}

TEST_F(EventHubTest, TheStreamsOfAnAccountThatMovesEndAndWhoComesBackReadsEverythingAnew) {
    const auto ours = connect(1);
    const auto theirs = connect(2);
    tell("1");
    tick();
    const auto last_id = ours->last_id();
    const auto slow = connect(1);
    ours->read();
    tell("2");
    tick();  // Only one of them has read all, and waits.
    ours->read();
    hub->close({1});
    EXPECT_TRUE(ours->ended);
    EXPECT_FALSE(theirs->ended);
    EXPECT_EQ(hub->streams(), 1U);
    const auto back = connect(1, last_id);
    EXPECT_THAT(back->received, HasSubstr("event: resync"));
    slow->read();  // Of the earlier stay.
    EXPECT_TRUE(slow->ended);
    EXPECT_FALSE(back->ended);
}

TEST_F(EventHubTest, StopEndsEveryStream) {
    const auto client = connect();
    hub->stop();
    EXPECT_TRUE(client->ended);
    EXPECT_EQ(connect(), nullptr);
}

}  // namespace
}  // namespace merpati::api
