// A node takes accounts in although pages of what they begin with are lost.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/local_files.hpp"
#include "daemon/damage_fixture.hpp"
#include "daemon/gateway.hpp"
#include "http/local_client.hpp"
#include "store/postgres/test_server_fixture.hpp"

namespace merpati::daemon {
namespace {

struct SharedDamageTest : DamageTest {
    SharedDamageTest() {
        settings.store.url = server.create_database();
        settings.store.folder = folder.path();
        settings.cluster.node = "one";
        settings.cluster.listen = "127.0.0.1:0";
        fill();
    }

    /// Pauses the device, which only a node does that works for its account. "": it is done.
    std::string pause(std::int64_t device) {
        const auto reply = http::request(
            config::local_socket_path(settings.store), http::Method::post,
            fmt::format("/v1/devices/{}/pause", device), "", std::chrono::seconds{30});
        constexpr int ok = 200;
        return !reply ? reply.error().describe() : reply->status == ok ? "" : reply->body;
    }

    store::postgres::TestServer server{true};
};

TEST_F(SharedDamageTest, PagesThatAreLostKeepNoAccountFromBeingServed) {
    server.damage(settings.store.url,
                  {"api_key", "callback", "callback_waiting", "campaign", "campaign_plan",
                   "campaign_recipient", "campaign_recipient_waiting", "completion", "handed_over",
                   "lane", "membership", "message", "person", "queue", "session"});
    Gateway gateway{clock, random, settings, {}, telemetry::Log::none()};
    const auto started = gateway.start();
    ASSERT_TRUE(started) << started.error().describe();
    for (const auto device : {first_device, second_device}) {
        std::string refusal;  // After damage a change may be refused once.
        EXPECT_TRUE(comes_true([&] { return (refusal = pause(device)).empty(); })) << refusal;
    }
    gateway.stop();
}

}  // namespace
}  // namespace merpati::daemon
