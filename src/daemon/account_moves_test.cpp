// Accounts that are given up and taken in again by a running gateway, while messages, a campaign
// and callbacks are under way. The platform is the simulator.
#include <array>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/local_files.hpp"
#include "daemon/account_keeper.hpp"
#include "daemon/gateway.hpp"
#include "daemon/gateway_fixture.hpp"
#include "http/local_client.hpp"
#include "outbound/scripted_server_fixture.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::daemon {
namespace {

using namespace std::chrono_literals;
using model::Leave;
namespace json = boost::json;

/// Begins at noon, so that no day ends during a test.
class NoonClock final : public Clock {
public:
    [[nodiscard]] Timestamp now() const noexcept override { return machine_.now() + shift_; }
    [[nodiscard]] SteadyTime steady_now() const noexcept override { return machine_.steady_now(); }

private:
    const SystemClock machine_;
    const Millis shift_ =
        std::chrono::floor<std::chrono::days>(machine_.now()) + 12h - machine_.now();
};

/// A line of the simulator's log.
struct Attempt {
    std::string message;
    std::string recipient;
    Timestamp at;
};

/// Counts callbacks by their ids.
class Receiver {
public:
    ~Receiver() {
        hold(false);
        io_.stop();
        thread_.join();
    }

    [[nodiscard]] std::string url() const {
        return fmt::format("http://127.0.0.1:{}/status", server_.port());
    }
    /// False: fewer different ones have come within `patience`.
    [[nodiscard]] bool wait_for(std::size_t count, std::chrono::seconds patience) {
        std::unique_lock lock{mutex_};
        return came_.wait_for(lock, patience, [&] { return ids_.size() >= count; });
    }
    /// Whether callbacks that come are not answered, until that is over.
    void hold(bool holds) {
        const std::lock_guard lock{mutex_};
        holds_ = holds;
        changed_.notify_all();
    }
    /// By id, how often it came.
    [[nodiscard]] std::map<std::string, int> ids() {
        const std::lock_guard lock{mutex_};
        return ids_;
    }

private:
    outbound::ScriptedReply take(const std::string& head) {
        static constexpr std::string_view name = "webhook-id: ";
        const auto place = head.find(name) + name.size();
        std::unique_lock lock{mutex_};
        ++ids_[head.substr(place, head.find('\r', place) - place)];
        came_.notify_all();
        changed_.wait(lock, [this] { return !holds_; });
        return {.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"};
    }

    std::mutex mutex_;
    std::condition_variable came_;
    std::condition_variable changed_;
    std::map<std::string, int> ids_;
    bool holds_ = false;
    boost::asio::io_context io_;
    outbound::ScriptedServer server_{io_, [this](int, const auto& head) { return take(head); }};
    std::thread thread_{[this] { io_.run(); }};
};

struct AccountMovesTest : ::testing::Test {
    AccountMovesTest() {
        settings.outbound.allow = {"127.0.0.0/8"};
        settings.outbound.allow_http_callbacks = true;
        gateway = std::make_unique<Gateway>(clock, random, settings, ServiceManager{},
                                            telemetry::Log::none());
        const auto started = gateway->start();
        EXPECT_TRUE(started) << (started ? "" : started.error().describe());
    }
    ~AccountMovesTest() override { gateway->stop(); }

    /// Makes a call of the machine's operator.
    auto ask(http::Method method, std::string_view target, const json::value& body = {}) {
        return http::request(config::local_socket_path(settings.store), method, target,
                             body.is_null() ? std::string{} : json::serialize(body), 60s);
    }
    int status_of(http::Method method, std::string_view target, const json::value& body = {}) {
        const auto reply = ask(method, target, body);
        return reply ? reply->status : 0;
    }
    /// Makes one that must succeed.
    json::value call(http::Method method, std::string_view target, const json::value& body = {}) {
        const auto reply = ask(method, target, body);
        EXPECT_TRUE(reply) << (reply ? "" : reply.error().describe());
        EXPECT_EQ(reply ? reply->status : 0, 200) << target << (reply ? reply->body : "");
        return reply ? json::parse(reply->body) : json::value{};
    }
    json::value post(std::string_view target, const json::value& body = json::object{}) {
        return call(http::Method::post, target, body);
    }

    std::string add_account(const std::string& callback) {
        return post("/v1/admin/accounts",
                    {{"name", "toko"}, {"callback", callback}, {"rate", "none"}})
            .at("id")
            .as_string()
            .c_str();
    }
    void add_device(const std::string& account, const std::string& number,
                    const json::object& pace = {}) {
        json::object device = pace;
        device["account"] = account;
        device["number"] = number;
        device["connector"] = "simulator";
        post("/v1/devices", device);
    }
    /// Submits a message; again and again, while nobody works for the account.
    std::string send(const std::string& account, const std::string& from, int number) {
        const json::value body{{"account", account},
                               {"from", from},
                               {"to", fmt::format("62812340{:05}", number)},
                               {"type", "text"},
                               {"message", fmt::format("{:05}", number)}};
        std::string id;
        const auto is_taken = [&] {
            const auto reply =
                http::request(config::local_socket_path(settings.store), http::Method::post,
                              "/v1/messages", json::serialize(body), 60s);
            constexpr int not_here = 503;
            if (reply && reply->status == not_here) {
                return false;
            }
            EXPECT_TRUE(reply && reply->status == 200) << (reply ? reply->body : "");
            id = json::parse(reply->body).at("id").as_string().c_str();
            return true;
        };
        EXPECT_TRUE(comes_true(is_taken));
        return id;
    }

    void attach(const std::string& account) {
        const auto done = gateway->accounts().attach(shard_of(account));
        EXPECT_TRUE(done) << (done ? "" : done.error().describe());
    }
    void detach(const std::string& account, Leave how = Leave::when_settled) {
        const auto done = gateway->accounts().detach(shard_of(account), how);
        EXPECT_TRUE(done) << (done ? "" : done.error().describe());
    }
    static std::array<store::Shard, 1> shard_of(const std::string& account) {
        const model::AccountId id{.value = std::stoll(account.substr(account.find('_') + 1))};
        return {store::shard_of(id)};
    }

    /// What the platform was given, in its order; of these devices, or of all.
    [[nodiscard]] std::vector<Attempt> attempts(const std::set<std::string>& devices = {}) const {
        std::vector<Attempt> all;
        std::ifstream file{*settings.simulator.log};
        for (std::string line; std::getline(file, line) && line.ends_with('}');) {
            const auto read = json::parse(line);
            const auto text = [&read](const char* name) {
                return std::string{read.at(name).as_string()};
            };
            if (devices.empty() || devices.contains(text("from"))) {
                all.push_back({.message = text("messageid").substr(std::string{"sim-"}.size()),
                               .recipient = text("to"),
                               .at = *parse_rfc3339(text("time"))});
            }
        }
        return all;
    }

    testing::TemporaryFolder folder;
    NoonClock clock;
    SystemRandom random;
    config::Settings settings = settings_in(folder);
    Receiver receiver;
    std::unique_ptr<Gateway> gateway;
};

const std::string fast = "6281100000001";
const std::string paced = "6281100000002";
const std::string capped = "6281100000003";
const std::string of_campaign = "6281100000004";
const std::string other = "6281100000005";
constexpr int each = 40;     // Messages of each device.
constexpr int cap = 15;      // Of them, those that the capped device may send.
constexpr auto gap = 20ms;   // Of the paced device.
constexpr int listed = 120;  // Recipients of the campaign.
constexpr int notices = 2;   // That the campaign began, and finished.
constexpr std::size_t callbacks = 3 * each + cap + listed + notices;
constexpr auto patience = 60s;

struct MovesUnderLoadTest : AccountMovesTest {
    MovesUnderLoadTest() {
        mover = add_account(receiver.url());
        stayer = add_account(receiver.url());
        add_device(mover, fast);
        add_device(mover, paced, {{"gap_ms", gap.count()}});
        add_device(mover, capped, {{"per_day_max", cap}});
        add_device(mover, of_campaign, {{"gap_ms", 5}});
        add_device(stayer, other);
    }

    void start_campaign() {
        campaign = post("/v1/campaigns", {{"account", mover},
                                          {"name", "November"},
                                          {"purpose", "transactional"},
                                          {"devices", json::array{of_campaign}},
                                          {"message", "halo"}})
                       .at("id")
                       .as_string()
                       .c_str();
        json::array recipients;
        for (int number = 0; number < listed; ++number) {
            recipients.push_back({{"number", fmt::format("62812350{:05}", number)}});
        }
        post("/v1/campaigns/" + campaign + "/recipients", {{"recipients", recipients}});
        post("/v1/campaigns/" + campaign + "/start");
    }
    [[nodiscard]] json::value shown_campaign() {
        return call(http::Method::get, "/v1/campaigns/" + campaign);
    }

    /// Submits messages of these devices and of the account that stays, each in its order, from a
    /// thread of its own.
    void load(const std::vector<std::string>& devices) {
        begin_load(other, stayer);
        for (const auto& device : devices) {
            begin_load(device, mover);
        }
    }
    void begin_load(const std::string& device, const std::string& account) {
        loads.emplace_back([this, device, account] {
            for (int number = 0; number < each; ++number) {
                const auto id = send(account, device, number);
                const std::lock_guard lock{mutex};
                accepted[device].push_back(id);
                has_accepted.notify_all();
            }
        });
    }
    void end_load() {
        for (auto& thread : loads) {
            thread.join();
        }
        loads.clear();
    }
    /// Waits until more messages of the account that stays were accepted, or all.
    void wait_for_load() {
        std::unique_lock lock{mutex};
        const auto before = accepted[other].size();
        has_accepted.wait(lock, [&] {
            const auto now = accepted[other].size();
            return now >= before + 3 || now == each;
        });
    }

    void expect_sent_once_in_order(const std::string& device, std::size_t count) {
        const auto all = attempts({device});
        ASSERT_EQ(all.size(), count) << device;
        for (std::size_t at = 0; at < all.size(); ++at) {
            EXPECT_EQ(all[at].message, accepted[device][at]) << device;
        }
    }

    std::string mover;
    std::string stayer;
    std::string campaign;
    std::mutex mutex;
    std::condition_variable has_accepted;
    std::map<std::string, std::vector<std::string>> accepted;  // By device, in their order.
    std::vector<std::thread> loads;
};

TEST_F(MovesUnderLoadTest, NothingIsLostOrSentTwiceAndOrderPaceAndCapAreKept) {
    start_campaign();
    load({fast, paced, capped});
    for (int move = 0; move < 8; ++move) {
        wait_for_load();
        detach(mover);
        const auto before = attempts({fast, paced, capped, of_campaign}).size();
        wait_for_load();
        EXPECT_EQ(attempts({fast, paced, capped, of_campaign}).size(), before);
        attach(mover);
    }
    end_load();
    ASSERT_TRUE(receiver.wait_for(callbacks, patience)) << receiver.ids().size();
    expect_sent_once_in_order(fast, each);
    expect_sent_once_in_order(paced, each);
    expect_sent_once_in_order(capped, cap);
    expect_sent_once_in_order(other, each);
    const auto slow = attempts({paced});
    for (std::size_t at = 1; at < slow.size(); ++at) {
        EXPECT_GE(slow[at].at - slow[at - 1].at, gap - 10ms);  // They end on another thread.
    }
    std::set<std::string> recipients;
    for (const auto& attempt : attempts({of_campaign})) {
        EXPECT_TRUE(recipients.insert(attempt.recipient).second) << attempt.recipient;
    }
    EXPECT_EQ(recipients.size(), static_cast<std::size_t>(listed));
    EXPECT_EQ(shown_campaign().at("counts").at("sent").as_int64(), listed);
    for (const auto& [id, times] : receiver.ids()) {
        EXPECT_EQ(times, 1) << id;
    }
    EXPECT_EQ(receiver.ids().size(), callbacks);
}

TEST_F(MovesUnderLoadTest, NothingIsLostWhereTheProcessMayRecordNothingMore) {
    load({fast, paced});
    for (int move = 0; move < 4; ++move) {
        wait_for_load();
        detach(mover, Leave::at_once);
        wait_for_load();
        attach(mover);
    }
    end_load();
    ASSERT_TRUE(receiver.wait_for(3UL * each, patience)) << receiver.ids().size();
    EXPECT_EQ(receiver.ids().size(), 3UL * each);
    std::set<std::string> sent;
    for (const auto& attempt : attempts()) {
        sent.insert(attempt.message);
    }
    for (const auto& device : {fast, paced, other}) {
        for (const auto& id : accepted[device]) {
            EXPECT_TRUE(sent.contains(id)) << device;
        }
    }
    expect_sent_once_in_order(other, each);  // Nobody else is concerned.
}

TEST_F(AccountMovesTest, ADeviceKeepsItsStateAndIsToldOfNothingWhenItsAccountMoves) {
    const auto account = add_account(receiver.url());
    add_device(account, fast, {{"webhook", receiver.url()}});
    ASSERT_TRUE(receiver.wait_for(1, patience));  // It is connected.
    for (const auto how : {Leave::when_settled, Leave::at_once}) {
        detach(account, how);
        attach(account);
        EXPECT_EQ(call(http::Method::get, "/v1/devices/" + fast).at("state"), "connected");
    }
    send(account, fast, 1);
    ASSERT_TRUE(receiver.wait_for(2, patience));
    EXPECT_EQ(call(http::Method::get, "/v1/devices/" + fast).at("state"), "connected");
    EXPECT_EQ(receiver.ids().size(), 2U);
}

TEST_F(AccountMovesTest, WhatWaitsWhileTheAccountIsElsewhereIsSentWhenItComesBack) {
    const auto account = add_account(receiver.url());
    add_device(account, fast);
    post("/v1/devices/" + fast + "/pause");
    const auto id = send(account, fast, 1);
    detach(account);
    detach(account);  // Giving it up twice changes nothing.
    attach(account);
    post("/v1/devices/" + fast + "/resume");
    ASSERT_TRUE(receiver.wait_for(1, patience));
    EXPECT_EQ(attempts({fast}).at(0).message, id);
}

TEST_F(AccountMovesTest, WhileACallbackEndsQuestionsAreAnsweredAndMessagesTakenButChangesWait) {
    constexpr int waits = 503;
    const auto account = add_account(receiver.url());
    add_device(account, fast);
    receiver.hold(true);
    const auto id = send(account, fast, 1);
    ASSERT_TRUE(receiver.wait_for(1, patience));
    std::thread mover{[&] { detach(account); }};
    const auto change = [&] {
        return status_of(http::Method::patch, "/v1/admin/accounts/" + account, {{"name", "baru"}});
    };
    EXPECT_TRUE(comes_true([&] { return change() == waits; }));
    EXPECT_EQ(call(http::Method::get, "/v1/messages/" + id).at("state"), "sent");
    const json::value message{
        {"from", fast}, {"to", "6281234000002"}, {"Type", "text"}, {"message", "dua"}};
    const auto taken =
        post("/v1/messages/bulk", {{"account", account}, {"messages", json::array{message}}});
    EXPECT_EQ(taken.at("accepted"), 1) << taken;
    EXPECT_EQ(change(), waits);
    EXPECT_EQ(attempts({fast}).size(), 1U) << "nothing more is begun";
    receiver.hold(false);
    mover.join();
    EXPECT_EQ(status_of(http::Method::get, "/v1/messages/" + id), waits);
    attach(account);
    ASSERT_TRUE(receiver.wait_for(2, patience));
    EXPECT_EQ(attempts({fast}).size(), 2U);
}

TEST_F(AccountMovesTest, ManyAccountsMoveTogether) {
    constexpr int count = 300;  // More than there are shards.
    std::vector<std::string> accounts;
    std::vector<store::Shard> all;
    for (store::Shard shard = 0; shard < store::shard_count; ++shard) {
        all.push_back(shard);
    }
    for (int number = 0; number < count; ++number) {
        accounts.push_back(add_account(receiver.url()));
        const auto device = fmt::format("6281200{:06}", number);
        add_device(accounts.back(), device);
        post("/v1/devices/" + device + "/pause");
        send(accounts.back(), device, number);
    }
    ASSERT_TRUE(gateway->accounts().detach(all, Leave::when_settled));
    EXPECT_TRUE(attempts().empty());
    ASSERT_TRUE(gateway->accounts().attach(all));
    for (int number = 0; number < count; ++number) {
        post(fmt::format("/v1/devices/6281200{:06}/resume", number));
    }
    ASSERT_TRUE(receiver.wait_for(count, patience));
    EXPECT_EQ(attempts().size(), static_cast<std::size_t>(count));
}

}  // namespace
}  // namespace merpati::daemon
