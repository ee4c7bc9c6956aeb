// The gateway's rooms without a network: a real store, its committer, the directory that follows
// it, two operations of the API, the catalogue, and a platform that checks how it is called.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <boost/json/parse.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/authenticator.hpp"
#include "api/device_addnew.hpp"
#include "api/manage/callbacks/callback_control.hpp"
#include "api/manage/devices/platform_control.hpp"
#include "api/manage/engine/manage.hpp"
#include "api/operation.hpp"
#include "api/send/send.hpp"
#include "base/random.hpp"
#include "campaign/audience/uploads.hpp"
#include "campaign/control.hpp"
#include "campaign/opt_out_links.hpp"
#include "daemon/controls.hpp"
#include "devices/connector_door.hpp"
#include "devices/keeper.hpp"
#include "devices/stored_secrets.hpp"
#include "model/texts.hpp"
#include "people/sign_in.hpp"
#include "store/conformance/repeating_store.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::daemon {

/// Sends at once. Counts messages that are sent by a device of another account, and calls about
/// devices that come from a second thread.
class CheckingPlatform final : public connector::Connector {
public:
    explicit CheckingPlatform(const admission::Directory& directory) : directory_(directory) {}

    std::atomic<int> sent = 0;
    std::atomic<int> wrong_senders = 0;
    std::atomic<int> wrong_threads = 0;

    [[nodiscard]] std::set<model::PhoneNumber> connected() {
        const std::lock_guard lock{mutex_};
        return connected_;
    }

    /// What was said of the device: its state each time that it was named, and "started".
    [[nodiscard]] std::vector<std::string> told_of(model::PhoneNumber device) {
        const std::lock_guard lock{mutex_};
        return told_[device];
    }

    [[nodiscard]] connector::CapabilitiesPtr capabilities() const override { return abilities_; }
    [[nodiscard]] model::DeviceState first_state(model::PhoneNumber) const override {
        return model::DeviceState::connected;
    }
    [[nodiscard]] Result<void> start(connector::ConnectorEvents& events,
                                     connector::DeviceSecrets&) override {
        events_ = &events;
        return {};
    }
    void stop() override {}
    void know_device(const model::Device& device) override {
        note(device, model::to_string(device.state));
    }
    void start_device(const model::Device& device, std::string_view) override {
        note(device, "started");
        set(device.number, model::DeviceState::connected);
    }
    void answer_pairing(model::PhoneNumber, std::string_view, Settled settled) override {
        settled({});
    }
    void stop_device(model::PhoneNumber device) override {
        set(device, model::DeviceState::disconnected);
    }
    void forget_device(model::PhoneNumber device) override {
        set(device, model::DeviceState::disconnected);
    }
    [[nodiscard]] bool keeps_secrets() const override { return true; }
    /// With `holds_settling`, answers when `settle` is called; otherwise at once.
    void settle_device(model::PhoneNumber /*device*/, Settled settled) override {
        if (!holds_settling) {
            settled({});
            return;
        }
        const std::lock_guard lock{mutex_};
        settling_ = std::move(settled);
        is_settling = true;
        is_settling.notify_all();
    }
    void settle(Result<void> how) {
        Settled settled;
        {
            const std::lock_guard lock{mutex_};
            settled = std::exchange(settling_, {});
        }
        settled(std::move(how));
    }
    std::atomic<bool> holds_outcomes = false;  // Reports no outcomes of sends.
    std::atomic<bool> holds_settling = false;
    std::atomic<bool> is_settling = false;

    void send(const connector::SendRequest& request) override {
        const auto& message = request.message;
        const auto device = directory_.find_device(message.device);
        wrong_senders += device == nullptr || device->account != message.account ? 1 : 0;
        sent += 1;
        sent.notify_all();
        if (holds_outcomes) {
            return;
        }
        events_->outcome(message.id, message.device,
                         {.kind = model::Outcome::Kind::sent, .code = model::StatusCode::sent});
    }

private:
    void note(const model::Device& device, std::string_view what) {
        const std::lock_guard lock{mutex_};
        told_[device.number].emplace_back(what);
    }

    void set(model::PhoneNumber device, model::DeviceState state) {
        {
            const std::lock_guard lock{mutex_};
            if (steered_by_ == std::thread::id{}) {
                steered_by_ = std::this_thread::get_id();
            }
            wrong_threads += steered_by_ == std::this_thread::get_id() ? 0 : 1;
            if (state == model::DeviceState::connected) {
                connected_.insert(device);
            } else {
                connected_.erase(device);
            }
        }
        events_->device_state(
            device, state,
            std::string{state == model::DeviceState::connected ? std::string_view{}
                                                               : model::reasons::requested},
            [](const Result<void>&) {});
    }

    const admission::Directory& directory_;
    const connector::CapabilitiesPtr abilities_ =
        std::make_shared<const connector::Capabilities>(connector::Capabilities{.window = 16});
    connector::ConnectorEvents* events_ = nullptr;
    std::mutex mutex_;
    std::set<model::PhoneNumber> connected_;
    std::map<model::PhoneNumber, std::vector<std::string>> told_;
    Settled settling_;
    std::thread::id steered_by_;
};

/// Counts each account's devices in the order of the commits.
struct DeviceLimits {
    std::map<model::AccountId, std::uint32_t> devices_max;
    std::map<model::AccountId, std::set<model::PhoneNumber>> devices;
    int exceeded = 0;

    void follow(const store::RowChange& change) {
        if (const auto* account = std::get_if<model::Account>(&change)) {
            devices_max[account->id] = account->devices_max;
        } else if (const auto* written = std::get_if<store::DeviceWritten>(&change)) {
            auto& all = devices[written->device.account];
            all.insert(written->device.number);
            exceeded += all.size() > devices_max[written->device.account] ? 1 : 0;
        } else if (const auto* removed = std::get_if<store::DeviceRemoved>(&change)) {
            devices[removed->device.account].erase(removed->device.number);
        }
    }
};

struct NoCallbacks final : api::manage::CallbackControl {
    void wake(const store::Endpoint&) override {}
    Result<model::CallbackAttempt> test(model::AccountId, std::string) override {
        return fail(ErrorCode::refused, "nothing is delivered here");
    }
    std::vector<callback::EndpointHealth> health(model::AccountId) override { return {}; }
};

struct ConcurrencyFixture : ::testing::Test {
    ConcurrencyFixture() {
        auto made = std::make_unique<CheckingPlatform>(directory);
        platform = made.get();
        connectors.add("checking", std::move(made));
        committer.on_row_changed = [this](store::RowChange&& change) {
            directory.apply(change);
            keeper.follow(change);
            limits.follow(change);
        };
        committer.after_batch = [this] { scheduler.batch_done(); };
        EXPECT_TRUE(platform->start(events, secrets));
        committer.start();
        idempotency.start();
        EXPECT_TRUE(scheduler.start());
        EXPECT_TRUE(keeper.start());
    }
    ~ConcurrencyFixture() override { stop(); }

    void stop() {
        idempotency.stop();
        scheduler.stop(std::chrono::seconds{20});
        committer.stop();
    }

    /// Makes one request of the API and returns its answer.
    http::Reply request(std::string_view path, std::string_view key, std::string_view body,
                        std::string_view idempotency_key = {}) {
        struct Sink final : http::ReplySink {
            void deliver(http::Reply&& reply) override { promise.set_value(std::move(reply)); }
            std::promise<http::Reply> promise;
        };
        auto sink = std::make_shared<Sink>();
        auto reply = sink->promise.get_future();
        const std::array<http::Request::Header, 1> headers{{{"Idempotency-Key", idempotency_key}}};
        const auto authorization = "Bearer " + std::string{key};
        http::Request asked;
        asked.method = http::Method::post;
        asked.path = path;
        asked.body = body;
        asked.authorization = authorization;
        if (!idempotency_key.empty()) {
            asked.headers = headers;
        }
        const auto operation = std::ranges::find(api::operations(), path, &api::Operation::path);
        authenticator.authenticate(asked, http::Responder{sink}, *operation,
                                   [this, operation](api::Call&& call) {
                                       if (operation->has_revisions) {
                                           sending.handle(std::move(call));
                                       } else {
                                           device_addnew.handle(std::move(call));
                                       }
                                   });
        return reply.get();
    }
    http::Reply addnew(std::string_view key, std::string_view number, std::string_view webhook = {},
                       std::string_view idempotency_key = {}) {
        return request("/v1/device/addnew", key,
                       fmt::format(R"({{"device":"{}","webhook":"{}"}})", number, webhook),
                       idempotency_key);
    }
    http::Reply send(std::string_view key, std::string_view from,
                     std::string_view idempotency_key = {}) {
        return request(
            "/v1/send", key,
            fmt::format(R"({{"to":"6281234567890","from":"{}","Type":"text","message":"halo"}})",
                        from),
            idempotency_key);
    }
    api::manage::Outcome call(http::Method method, const std::string& path,
                              std::string_view body = {}) {
        return manage.handle(method, "/v1" + path, {}, body);
    }
    /// Makes a call that must succeed, and returns one text field of its answer.
    std::string post(const std::string& path, std::string_view body, std::string_view field) {
        const auto outcome = call(http::Method::post, path, body);
        EXPECT_EQ(outcome.status, 200) << outcome.body;
        return boost::json::parse(outcome.body).at(field).as_string().c_str();
    }

    testing::TemporaryFolder folder;
    SystemClock machine;
    QueueClock clock{machine};
    SystemRandom random;
    std::unique_ptr<store::Store> store =
        store::open_repeating_store({.url = "sqlite:" + folder.file("merpati.db")});
    store::ReaderPool readers{*store};
    UuidSource ids{clock, random};
    devices::Notices notices{clock, ids};
    outbound::AddressPolicy policy{{}};
    admission::Directory directory;
    admission::Ownership ownership;
    admission::CallerRights rights{machine, directory, {}};
    api::IdempotencyLedger ledger{*store, readers};
    api::Idempotency idempotency{ledger, readers, rights};
    api::Authenticator authenticator{clock, directory, idempotency, {}};
    media::MediaFetcher media_fetcher{clock, policy, {}, {}};
    connector::Connectors connectors;
    CheckingPlatform* platform = nullptr;
    DeviceLimits limits;  // Used on the committer's thread.
    store::Committer committer{
        clock, *store, {}, [](const Error& error) { ADD_FAILURE() << error.describe(); }};
    api::OutcomeWaiters waiters{committer};
    scheduler::Scheduler scheduler{
        clock,
        random,
        *store,
        committer,
        connectors,
        [](const auto&, const auto&) { return std::optional<model::Callback>{}; },
        [](store::Finish&&) {},
        {}};
    devices::StoredSecrets secrets{committer, "checking"};
    devices::LateStatuses late_statuses{{.clock = clock,
                                         .random = random,
                                         .notices = notices,
                                         .committer = committer,
                                         .ownership = ownership,
                                         .on_finish = [](store::Finish&&) {},
                                         .on_returned = [](const auto&) {},
                                         .log = telemetry::Log::none()}};
    devices::LostDevices lost_devices{{.clock = clock,
                                       .notices = notices,
                                       .committer = committer,
                                       .log = telemetry::Log::none()}};
    devices::Restrictions restrictions{{.clock = clock,
                                        .notices = notices,
                                        .committer = committer,
                                        .log = telemetry::Log::none()}};
    devices::DeviceKeeper keeper{{.clock = clock,
                                  .ids = ids,
                                  .notices = notices,
                                  .connectors = connectors,
                                  .committer = committer,
                                  .directory = directory,
                                  .ownership = ownership,
                                  .scheduler = scheduler,
                                  .late_statuses = late_statuses,
                                  .lost_devices = lost_devices,
                                  .restrictions = restrictions,
                                  .log = telemetry::Log::none()}};
    devices::ConnectorDoors doors{{.directory = directory,
                                   .ownership = ownership,
                                   .keeper = keeper,
                                   .committer = committer,
                                   .log = telemetry::Log::none()}};
    connector::ConnectorEvents& events = doors.of("checking").events;
    admission::Admission admission{{.clock = clock,
                                    .random = random,
                                    .directory = directory,
                                    .policy = policy,
                                    .connectors = connectors,
                                    .condition = store->condition()},
                                   {}};
    intake::Intake intake{{.clock = clock,
                           .ids = ids,
                           .directory = directory,
                           .rights = rights,
                           .ownership = ownership,
                           .admission = admission,
                           .media_fetcher = media_fetcher,
                           .committer = committer,
                           .scheduler = scheduler}};
    api::Send sending{
        {.clock = clock, .intake = intake, .idempotency = idempotency, .waiters = waiters}, {}};
    api::DeviceAddnew device_addnew{{.clock = machine,
                                     .directory = directory,
                                     .rights = rights,
                                     .ownership = ownership,
                                     .idempotency = idempotency,
                                     .policy = policy,
                                     .devices = keeper,
                                     .committer = committer},
                                    {.default_connector = "checking"}};
    RunningMessages messages{{.clock = clock,
                              .notices = notices,
                              .committer = committer,
                              .scheduler = scheduler,
                              .directory = directory,
                              .ownership = ownership,
                              .intake = intake,
                              .default_rate = {},
                              .on_finish = [](store::Finish&&) {}}};
    NoCallbacks callbacks;
    campaign::StoppedControl campaign_control;
    campaign::Uploads uploads;
    campaign::OptOutLinks links{*store, "https://merpati.example"};
    api::manage::StoppedPlatformControl no_platform;
    people::SignIn sign_in{
        machine, random, directory.people(), {}, {.passes = 1, .memory_bytes = 8192}};
    const api::manage::PeopleRooms people{.sign_in = sign_in, .session_limits = {}, .app_url = [] {
                                              return std::string{"https://merpati.example"};
                                          }};
    api::manage::Manage manage{
        {.clock = machine,
         .queue_clock = clock,
         .random = random,
         .store = *store,
         .readers = readers,
         .idempotency = ledger,
         .change = [this](auto change) { return committer.change_and_wait(std::move(change)); },
         .directory = directory,
         .rights = rights,
         .policy = policy,
         .version = "1",
         .default_connector = "checking",
         .people = people,
         .devices = keeper,
         .platform = no_platform,
         .messages = messages,
         .callbacks = callbacks,
         .campaigns = {.control = campaign_control,
                       .uploads = uploads,
                       .links = [this]() -> const campaign::OptOutLinks& { return links; }}}};
};

}  // namespace merpati::daemon
