// A gateway whose store is in a database, as its node, alone and together with others.
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "config/local_files.hpp"
#include "daemon/account_keeper.hpp"
#include "daemon/gateway.hpp"
#include "daemon/gateway_fixture.hpp"
#include "http/local_client.hpp"
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

/// Machines that share a database, with a gateway each.
struct TogetherGatewayTest : ::testing::Test {
    struct Machine {
        testing::TemporaryFolder folder;
        config::Settings settings = settings_in(folder);
        SystemRandom random;
        std::unique_ptr<Gateway> gateway;
    };

    std::unique_ptr<Machine> machine(const std::string& name) {
        auto made = std::make_unique<Machine>();
        auto& settings = made->settings;
        settings.store.url = url;
        settings.store.folder = made->folder.path();
        settings.store.key_file = keys.file("key");
        settings.cluster.node = name;
        settings.cluster.listen = "127.0.0.1:0";
        settings.cluster.lease = std::chrono::seconds{3};
        return made;
    }
    std::unique_ptr<Machine> start(const std::string& name) {
        auto made = machine(name);
        made->gateway = std::make_unique<Gateway>(clock, made->random, made->settings,
                                                  ServiceManager{}, telemetry::Log::none());
        const auto started = made->gateway->start();
        EXPECT_TRUE(started) << (started ? "" : started.error().describe());
        return made;
    }

    static boost::json::value call(const Machine& machine, http::Method method,
                                   std::string_view target, const boost::json::value& body = {}) {
        const auto reply =
            http::request(config::local_socket_path(machine.settings.store), method, target,
                          body.is_null() ? std::string{} : boost::json::serialize(body),
                          std::chrono::seconds{30});
        EXPECT_TRUE(reply && reply->status == 200)
            << target << (reply ? reply->body : reply.error().describe());
        return reply ? boost::json::parse(reply->body) : boost::json::value{};
    }
    static std::string add_account(const Machine& machine, const std::string& device,
                                   boost::json::object pace = {}) {
        const std::string account = call(machine, http::Method::post, "/v1/admin/accounts",
                                         {{"name", "toko"}, {"rate", "none"}})
                                        .at("id")
                                        .as_string()
                                        .c_str();
        add_device(machine, account, device, std::move(pace));
        return account;
    }
    static void add_device(const Machine& machine, const std::string& account,
                           const std::string& number, boost::json::object device = {}) {
        device["account"] = account;
        device["number"] = number;
        device["connector"] = "simulator";
        call(machine, http::Method::post, "/v1/devices", device);
    }
    /// Moves the account's work to another machine, whichever owns the shard.
    static void move(const std::string& account, Machine& from, Machine& to) {
        const auto shard = store::shard_of(*model::AccountId::parse(account));
        ASSERT_TRUE(from.gateway->accounts().detach({&shard, 1}, model::Leave::when_settled));
        ASSERT_TRUE(to.gateway->accounts().attach({&shard, 1}));
    }
    static std::string send(const Machine& machine, const std::string& account,
                            const std::string& device) {
        return call(machine, http::Method::post, "/v1/messages",
                    {{"account", account},
                     {"from", device},
                     {"to", "6281234567890"},
                     {"type", "text"},
                     {"message", "halo"}})
            .at("id")
            .as_string()
            .c_str();
    }
    static void expect_sent(const Machine& machine, const std::string& message) {
        const auto is_sent = [&] {
            return call(machine, http::Method::get, "/v1/messages/" + message).at("state") ==
                   "sent";
        };
        EXPECT_TRUE(comes_true(is_sent)) << message;
    }

    /// How many shards the node of this name owns, as the database says.
    std::size_t owned(const std::string& name) {
        const auto nodes = *observer->nodes()->list();
        const auto owners = *observer->nodes()->owners();
        std::size_t count = 0;
        for (const auto& node : nodes) {
            for (const auto& [shard, owner] : owners) {
                count += node.entry.name == name && owner == node.id ? 1 : 0;
            }
        }
        return count;
    }

    testing::TemporaryFolder keys;  // What all machines have.
    store::postgres::TestServer server{true};
    const std::string url = server.create_database();
    SystemClock clock;
    std::unique_ptr<store::Store> observer;  // Opened by `observe`, when the schema is there.
    void observe() {
        auto opened = store::open_store({.url = url, .key_file = keys.file("key")});
        ASSERT_TRUE(opened) << opened.error().describe();
        observer = std::move(*opened);
    }
};

constexpr std::size_t all_shards = store::shard_count;
const std::string first = "6281100000001";
const std::string second = "6281100000002";

TEST_F(TogetherGatewayTest, ANodeThatIsAloneWorksForEverythingWhenItHasStarted) {
    const auto one = start("one");
    observe();
    EXPECT_EQ(owned("one"), all_shards);
    const auto account = add_account(*one, first);
    expect_sent(*one, send(*one, account, first));
}

TEST_F(TogetherGatewayTest, WhenANodeStopsTheOtherWorksForItsAccounts) {
    auto one = start("one");
    observe();
    const auto account = add_account(*one, first);
    const auto other_account = add_account(*one, second);
    expect_sent(*one, send(*one, account, first));
    const auto two = start("two");
    EXPECT_EQ(owned("two"), 0U) << "it is new";
    call(*one, http::Method::post, "/v1/devices/" + first + "/pause");
    const auto waiting = send(*one, account, first);
    one->gateway->stop();
    EXPECT_TRUE(comes_true([&] { return owned("two") == all_shards; }));
    expect_sent(*two, send(*two, other_account, second));
    call(*two, http::Method::post, "/v1/devices/" + first + "/resume");
    expect_sent(*two, waiting);
}

TEST_F(TogetherGatewayTest, ADeviceThatWasAddedAnewElsewhereComesBackAsItIsNow) {
    const auto one = start("one");
    const auto two = start("two");
    const auto account = add_account(*one, first, {{"per_day_max", 1}});
    expect_sent(*one, send(*one, account, first));  // Its cap is reached.
    move(account, *one, *two);
    call(*two, http::Method::del, "/v1/devices/" + first);
    add_device(*two, account, first, {{"per_day_max", 2}, {"gap_ms", 0}, {"jitter_ms", 0}});
    expect_sent(*two, send(*two, account, first));
    move(account, *two, *one);
    expect_sent(*one, send(*one, account, first));
    const auto capped = send(*one, account, first);
    const auto is_capped = [&] {
        const auto shown = call(*one, http::Method::get, "/v1/messages/" + capped);
        return shown.at("waits").is_object() && shown.at("waits").at("for") == "cap";
    };
    EXPECT_TRUE(comes_true(is_capped)) << "of its two messages";
}

TEST_F(TogetherGatewayTest, ANodeThatIsSilentIsFollowed) {
    auto one = start("one");
    const auto account = add_account(*one, first);
    one->gateway->stop();
    observe();
    const auto dead = machine("dead");
    auto opened = store::open_store({.url = url, .key_file = keys.file("key")});
    ASSERT_TRUE(opened) << opened.error().describe();
    auto& nodes = *(*opened)->nodes();
    ASSERT_TRUE(nodes.join({.name = "dead", .address = "127.0.0.1:1", .version = "1"},
                           dead->settings.cluster.lease));
    std::vector<store::Shard> all;
    for (store::Shard shard = 0; shard < store::shard_count; ++shard) {
        all.push_back(shard);
    }
    ASSERT_TRUE(nodes.claim(all));
    const auto two = start("two");
    EXPECT_EQ(owned("two"), 0U);
    EXPECT_TRUE(comes_true([&] { return owned("two") == all_shards; }));
    expect_sent(*two, send(*two, account, first));
}

}  // namespace
}  // namespace merpati::daemon
