// Requests on their way to several nodes, each of which works for some shards.
#include "forwarding/forwarding_fixture.hpp"

namespace merpati::forwarding {
namespace {

constexpr auto long_enough = 300ms;  // For several looks at what waits.

struct ForwardingShardsTest : ForwardingFixture<> {
    /// The first node works for the even shards, the second for the odd ones.
    Owners shared() const {
        Owners owners;
        for (Shard shard = 0; shard < shard_count; ++shard) {
            owners.at(shard) = shard % 2 == 0 ? owner_at(1, first) : owner_at(2, second);
        }
        return owners;
    }
    RawClient ask(std::string_view line) {
        auto client = connect();
        client.send(request(line));
        return client;
    }
    /// Lets the node answer those of its requests that it carries out now.
    static void answer(WorkingNode& node, std::size_t count, const std::string& text) {
        for (auto& responder : node.take(count)) {
            responder.send({.body = text});
        }
    }
    /// Answers that the shard in the path belongs elsewhere.
    static http::Handler naming(std::string_view shard) {
        return [shard](const http::Request&, http::Responder responder) {
            http::Reply reply{.status = not_here_status};
            reply.add_header(not_here_header, "1");
            reply.add_header(shard_header, shard);
            responder.send(std::move(reply));
        };
    }
};

TEST_F(ForwardingShardsTest, ARequestGoesToTheNodeThatWorksForItsShard) {
    forwarder.set_owners(shared());
    auto even = ask("GET /shards/6");
    auto odd = ask("GET /shards/255");
    answer(first, 1, "even");
    answer(second, 1, "odd");
    EXPECT_EQ(even.receive().body, "even");
    EXPECT_EQ(odd.receive().body, "odd");
    EXPECT_EQ(forwarder.owner(6)->node, 1);
    EXPECT_EQ(forwarder.owner(255)->node, 2);
}

TEST_F(ForwardingShardsTest, RequestsWaitForTheirOwnShardAlone) {
    auto owners = shared();
    owners.at(4).reset();
    forwarder.set_owners(owners);
    auto waiting = ask("GET /shards/4");
    EXPECT_FALSE(waiting.is_readable(50ms));
    auto other = ask("GET /shards/2");
    answer(first, 1, "not affected");
    EXPECT_EQ(other.receive().body, "not affected");
    owners.at(4) = owner_at(2, second);
    forwarder.set_owners(owners);
    answer(second, 1, "taken over");
    EXPECT_EQ(waiting.receive().body, "taken over");
}

TEST_F(ForwardingShardsTest, ANodeThatRefusesConnectionsDelaysNoOther) {
    forwarder.set_owners(shared());
    first.stop();
    auto even = ask("POST /shards/0");
    EXPECT_FALSE(even.is_readable(long_enough));
    auto odd = ask("POST /shards/1");
    answer(second, 1, "odd");
    EXPECT_EQ(odd.receive().body, "odd");
    forwarder.set_owners(owner_of_all(owner_at(2, second)));
    answer(second, 1, "even");
    EXPECT_EQ(even.receive().body, "even");
}

TEST_F(ForwardingShardsTest, OnlyTheNodeWhoseMachineSaysSoIsDead) {
    forwarder.set_owners(shared());
    auto even = ask("GET /shards/0");
    auto odd = ask("GET /shards/1");
    answer(first, 1, "even");
    answer(second, 1, "odd");
    EXPECT_EQ(even.receive().status, 200);
    EXPECT_EQ(odd.receive().status, 200);
    const auto gone = *forwarder.owner(0);
    first.stop();
    even.send(request("GET /shards/0"));
    EXPECT_FALSE(even.is_readable(long_enough));
    EXPECT_FALSE(forwarder.is_dead(gone));
    clock.advance(Forwarder::dead_after);
    EXPECT_TRUE(eventually([&] { return forwarder.is_dead(gone); }));
    EXPECT_FALSE(forwarder.is_dead(*forwarder.owner(1)));
}

TEST_F(ForwardingShardsTest, ANodeMayNameTheShardToWhichARequestBelongs) {
    first.routes.add(http::Method::post, "/moved", naming("7"));
    second.routes.add(http::Method::post, "/moved", [](const auto&, http::Responder responder) {
        responder.send({.body = "here"});
    });
    forwarder.set_owners(shared());
    auto client = ask("POST /moved");
    EXPECT_EQ(client.receive().body, "here");
}

TEST_F(ForwardingShardsTest, NodesThatNameEachOtherEndInARequestThatWaits) {
    first.routes.add(http::Method::post, "/moved", naming("7"));
    second.routes.add(http::Method::post, "/moved", naming("0"));
    forwarder.set_owners(shared());
    auto client = ask("POST /moved");
    EXPECT_FALSE(client.is_readable(long_enough));
    clock.advance(SendingDesk::patience);
    EXPECT_EQ(client.receive().status, 503);
}

TEST_F(ForwardingShardsTest, AShardThatItsNodeHasLostDelaysNoOtherOfTheNode) {
    first.routes.add(http::Method::post, "/moved", naming("0"));
    forwarder.set_owners(shared());
    auto lost = ask("POST /moved");
    EXPECT_FALSE(lost.is_readable(long_enough));
    auto other = ask("POST /shards/2");
    answer(first, 1, "still here");
    EXPECT_EQ(other.receive().body, "still here");
}

TEST_F(ForwardingShardsTest, ANodeThatKeepsShardsKeepsItsRequests) {
    forwarder.set_owners(shared());
    auto client = ask("POST /shards/0");
    auto waiting = first.take(1);
    auto owners = shared();
    owners.at(0) = owner_at(2, second);
    forwarder.set_owners(owners);
    clock.advance(Forwarder::last_answers * 2);
    EXPECT_FALSE(client.is_readable(long_enough));
    waiting.at(0).send({.body = "late, but whole"});
    EXPECT_EQ(client.receive().body, "late, but whole");
}

TEST_F(ForwardingShardsTest, ANodeThatComesBackInTimeIsNotGivenUp) {
    forwarder.set_owners(shared());
    auto client = ask("POST /shards/0");
    auto waiting = first.take(1);
    forwarder.set_owners(owner_of_all(owner_at(2, second)));
    EXPECT_FALSE(client.is_readable(50ms));
    forwarder.set_owners(shared());
    EXPECT_FALSE(client.is_readable(50ms));
    clock.advance(Forwarder::last_answers * 2);
    EXPECT_FALSE(client.is_readable(long_enough));
    waiting.at(0).send({.body = "kept"});
    EXPECT_EQ(client.receive().body, "kept");
}

using FullForwardingShardsTest = ForwardingFixture<2>;

TEST_F(FullForwardingShardsTest, WhatANodeDoesNotAnswerTakesNothingFromOthers) {
    auto owners = owner_of_all(owner_at(1, first));
    owners.at(1) = owner_at(2, second);
    forwarder.set_owners(owners);
    std::vector<RawClient> clients;
    const auto ask = [&](std::string_view line, const std::string& key) {
        clients.push_back(connect());
        clients.back().send(request(line, {}, "Authorization: Bearer " + key + "\r\n"));
        return clients.size() - 1;
    };
    ask("POST /shards/0", "a");
    auto kept = first.take(1);
    ask("POST /shards/2", "b");
    auto kept_too = first.take(1);
    EXPECT_EQ(clients[ask("POST /shards/0", "c")].receive().status, 503);
    const auto other = ask("POST /shards/1", "c");
    second.take(1).at(0).send({.body = "there is room"});
    EXPECT_EQ(clients[other].receive().body, "there is room");
}

}  // namespace
}  // namespace merpati::forwarding
