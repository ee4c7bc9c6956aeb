// A gateway whose store is in a database, as its node.
#include <stdexcept>
#include <tuple>

#include <gtest/gtest.h>

#include "daemon/gateway.hpp"
#include "daemon/gateway_fixture.hpp"
#include "store/nodes.hpp"
#include "store/postgres/test_server_fixture.hpp"
#include "store/store.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::daemon {
namespace {

/// Of a machine that has none.
class FailingRandom final : public Random {
public:
    void fill(std::span<std::byte> /*bytes*/) override {
        throw std::runtime_error{"no randomness"};
    }
};

struct GatewayNodeTest : ::testing::Test {
    GatewayNodeTest() {
        settings.store.url = server.create_database();
        settings.store.folder = folder.path();
        settings.cluster.node = "one";
    }

    testing::TemporaryFolder folder;
    store::postgres::TestServer server{true};
    SystemClock clock;
    config::Settings settings = settings_in(folder);
};

TEST_F(GatewayNodeTest, AStartThatThrowsAfterItsNodeHasJoinedFreesTheAccounts) {
    FailingRandom random;
    {
        Gateway gateway{clock, random, settings, {}, telemetry::Log::none()};
        EXPECT_THROW(std::ignore = gateway.start(), std::runtime_error);
    }
    const auto store =
        store::open_store({.url = settings.store.url, .key_file = *settings.store.key_file});
    ASSERT_TRUE(store) << store.error().describe();
    const auto nodes = (*store)->nodes()->list();
    ASSERT_TRUE(nodes && nodes->size() == 1);
    EXPECT_EQ(nodes->front().state, store::Node::State::gone);
}

}  // namespace
}  // namespace merpati::daemon
