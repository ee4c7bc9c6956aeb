#include "cli/stopped_store.hpp"

#include <algorithm>

#include "admission/directory.hpp"
#include "api/manage/callbacks/callback_control.hpp"
#include "api/manage/devices/device_control.hpp"
#include "api/manage/devices/platform_control.hpp"
#include "api/manage/engine/context.hpp"
#include "api/manage/messages/message_control.hpp"
#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "campaign/audience/uploads.hpp"
#include "campaign/control.hpp"
#include "campaign/opt_out_links.hpp"
#include "cli/version.hpp"
#include "daemon/connectors.hpp"
#include "daemon/node.hpp"
#include "daemon/opened_store.hpp"
#include "daemon/options.hpp"
#include "devices/changes.hpp"
#include "devices/notices.hpp"
#include "model/texts.hpp"
#include "outbound/address_policy.hpp"
#include "scheduler/doubt.hpp"
#include "store/reader_pool.hpp"
#include "store/store.hpp"

namespace merpati::cli {
namespace {

namespace manage = api::manage;

Result<void> write_change(store::Store& store, admission::Directory& directory,
                          std::move_only_function<Result<void>(store::Tables&)> run) {
    store::WriteBatch batch;
    batch.changes.push_back({.run = std::move(run)});
    if (auto written = store.write(batch); !written) {
        return written;
    }
    for (const auto& row : batch.row_changes) {
        directory.apply(row);
    }
    return std::move(batch.changes.front().result);
}

/// Changes only the record, and stores the webhook with the change. The server's connector follows
/// the record at the next start.
class RecordedDevices final : public manage::DeviceControl {
public:
    RecordedDevices(const Clock& clock, const connector::Connectors& connectors,
                    store::Store& store, admission::Directory& directory, devices::Notices& notices)
        : clock_(clock),
          connectors_(connectors),
          store_(store),
          directory_(directory),
          notices_(notices) {}

    [[nodiscard]] std::vector<manage::ConnectorFacts> connectors() const override {
        return devices::facts_of(connectors_, "the server is stopped");
    }
    Result<void> prepare(model::Device& device) override { return connectors_.prepare(device); }
    Result<void> announce(store::Tables& tables, const model::Device& device) override {
        return devices::announce(tables, notices_, device);
    }
    Result<void> mark_connected(store::Tables& tables, const model::Device& device) override {
        const auto marked =
            devices::record_state(tables, notices_, store::DeviceIdentity::of(device),
                                  model::DeviceState::connected, {}, clock_.now());
        return marked ? Result<void>{} : pass(marked);
    }
    Result<model::Device> connect(model::PhoneNumber number, Exported exported) override {
        if (exported == Exported::connect) {
            auto known = write_change(store_, directory_, [number](store::Tables& tables) {
                return devices::forget_export(tables, number);
            });
            if (!known) {
                return pass(known);
            }
        }
        return record(number, model::DeviceState::connected, {});
    }
    Result<model::Device> disconnect(model::PhoneNumber number) override {
        return record(number, model::DeviceState::disconnected, model::reasons::requested);
    }
    [[nodiscard]] Result<void> check_pairing(model::PhoneNumber, std::string_view) const override {
        return stopped();
    }
    Result<void> pair(model::PhoneNumber, std::string, std::optional<model::QueueChoice>) override {
        return stopped();
    }
    Result<void> answer(model::PhoneNumber, std::string) override { return stopped(); }
    [[nodiscard]] manage::Pairing pairing(model::PhoneNumber) const override { return {}; }
    Result<std::unique_ptr<Stillness>> keep_still(model::PhoneNumber number) override {
        const auto device = directory_.find_device(number);
        if (device == nullptr) {
            return fail(ErrorCode::not_found, "there is no such device");
        }
        const auto* connector = connectors_.find(device->connector);
        if (connector == nullptr) {
            return connectors_.missing(device->connector);
        }
        if (auto checked = devices::check_still(*device, *connector); !checked) {
            return pass(checked);
        }
        return std::make_unique<Stillness>();  // No server runs that could use the device.
    }

private:
    static std::unexpected<Error> stopped() {
        return fail(ErrorCode::refused,
                    "the server is stopped: start it, its connector pairs the device");
    }

    Result<model::Device> record(model::PhoneNumber number, model::DeviceState state,
                                 std::string_view reason) {
        model::Device device;
        auto changed = write_change(store_, directory_, [&](store::Tables& tables) -> Result<void> {
            auto found = tables.find_device(number);
            if (!found || !*found) {
                return found ? fail(ErrorCode::not_found, "there is no such device") : pass(found);
            }
            device = **std::move(found);
            if (state == model::DeviceState::connected &&
                connectors_.find(device.connector) == nullptr) {
                return connectors_.missing(device.connector);
            }
            if (state == model::DeviceState::connected && device.exported_at) {
                return devices::refuse_exported(device);
            }
            auto set = devices::record_state(tables, notices_, store::DeviceIdentity::of(device),
                                             state, reason, clock_.now());
            if (!set) {
                return pass(set);
            }
            device = std::move(*set).value_or(std::move(device));
            return {};
        });
        return changed ? Result<model::Device>{std::move(device)} : pass(changed);
    }

    const Clock& clock_;
    const connector::Connectors& connectors_;
    store::Store& store_;
    admission::Directory& directory_;
    devices::Notices& notices_;
};

/// Changes only the record: a stopped server has no sends in flight.
class RecordedMessages final : public manage::MessageControl {
public:
    RecordedMessages(const Clock& clock, const QueueClock& queue_clock, store::Store& store,
                     admission::Directory& directory, devices::Notices& notices)
        : clock_(clock),
          queue_clock_(queue_clock),
          store_(store),
          directory_(directory),
          notices_(notices) {}

    Result<void> cancel(store::QueuedMessage queued) override {
        if (queued.intent_recorded) {
            return fail(ErrorCode::conflict,
                        "its send had begun when the server ended, so the platform may have it: "
                        "start the server, which finds out");
        }
        std::vector<store::QueuedMessage> one;
        one.push_back(std::move(queued));
        const auto ended = cancel_all(std::move(one));
        if (!ended) {
            return pass(ended);
        }
        return *ended == 1 ? Result<void>{} : fail(ErrorCode::conflict, "the message has ended");
    }
    Result<std::size_t> cancel_all(std::vector<store::QueuedMessage> messages) override {
        store::WriteBatch batch;
        for (auto& queued : messages) {
            if (!queued.intent_recorded) {
                batch.finishes.push_back(cancelled(std::move(queued)));
            }
        }
        if (auto written = store_.write(batch); !written) {
            return pass(written);
        }
        return static_cast<std::size_t>(
            std::ranges::count_if(batch.finishes, &store::Finish::finished));
    }
    Result<void> fail_held(model::Message message) override {
        const auto completion = devices::given_up(clock_.now());
        const auto callback = notices_.of_end(message, completion);
        return write_change(store_, directory_, [&](store::Tables& tables) {
            return tables.fail_message(message.id, completion, callback);
        });
    }
    Result<void> hasten(store::QueuedMessage queued) override {
        const auto& message = *queued.message;
        store::WriteBatch batch;
        batch.reschedules.push_back(
            {.message = message.id,
             .device = message.device,
             .source = message.source,
             .queued_at = queued.queued_at,
             .queue_at = queue_clock_.now(),
             .attempts = queued.attempts,
             .crashes = queued.crashes,
             .perhaps_sent = queued.perhaps_sent,
             .as_template = queued.as_template,
             .events = {{.step = model::MessageStep::hastened, .at = clock_.now()}}});
        if (auto written = store_.write(batch); !written) {
            return written;
        }
        return batch.reschedules.front().rescheduled
                   ? Result<void>{}
                   : fail(ErrorCode::conflict, "the message has ended");
    }
    Result<model::MessageId> retry(const model::Message& /*failed*/,
                                   const admission::Principal& /*caller*/) override {
        return fail(ErrorCode::refused,
                    "the server is stopped: start it, it decides what may be sent");
    }
    Result<api::SingleSend::Sent> send(api::SingleMessage /*message*/,
                                       const admission::Principal& /*caller*/) override {
        return fail(ErrorCode::refused,
                    "the server is stopped: start it, it decides what may be sent");
    }
    std::optional<scheduler::Wait> wait_of(store::QueuedMessage /*message*/) override {
        return std::nullopt;
    }
    void released(const model::Message& /*message*/, Timestamp /*due*/) override {}

private:
    store::Finish cancelled(store::QueuedMessage queued) {
        store::Finish finish{.message = std::move(queued.message),
                             .queued_at = queued.queued_at,
                             .completion = {.state = model::MessageState::cancelled,
                                            .code = model::StatusCode::failed,
                                            .details = std::string{model::details::cancelled},
                                            .finished_at = clock_.now(),
                                            .attempts = queued.attempts}};
        if (queued.perhaps_sent) {
            scheduler::note_doubt(finish.completion);
        }
        finish.callback = notices_.of_end(*finish.message, finish.completion);
        return finish;
    }

    const Clock& clock_;
    const QueueClock& queue_clock_;
    store::Store& store_;
    admission::Directory& directory_;
    devices::Notices& notices_;
};

class RecordedCallbacks final : public manage::CallbackControl {
public:
    void wake(const store::Endpoint& /*endpoint*/) override {}
    Result<model::CallbackAttempt> test(model::AccountId /*account*/,
                                        std::string /*url*/) override {
        return fail(ErrorCode::refused, "the server is stopped: start it, it delivers callbacks");
    }
    std::vector<callback::EndpointHealth> health(model::AccountId /*account*/) override {
        return {};
    }
};

}  // namespace

class StoppedStore::Impl {
public:
    Impl(const config::Settings& settings, const Clock& clock, Random& random,
         daemon::OpenedStore opened)
        : settings_(settings),
          clock_(clock),
          default_connector_(settings.devices.default_connector),
          offered_connectors_(settings.devices.offered_connectors),
          queue_clock_(clock),
          store_(std::move(opened.store)),
          readers_(*store_),
          ledger_(*store_, readers_),
          ids_(queue_clock_, random, opened.last_sequence),
          notices_(queue_clock_, ids_),
          rights_(clock, directory_, daemon::session_limits(settings)),
          policy_(std::move(opened.allowed)),
          connectors_(daemon::make_connectors(
              {.clock = clock, .random = random, .settings = settings}, telemetry::Log::none())),
          devices_(clock, connectors_, *store_, directory_, notices_),
          messages_(clock, queue_clock_, *store_, directory_, notices_),
          sign_in_(clock, random, directory_.people()),
          people_{.sign_in = sign_in_,
                  .session_limits = daemon::session_limits(settings),
                  .app_url = [&settings] { return daemon::app_url(settings, {}); }},
          links_(*store_, daemon::app_url(settings, {})),
          manage_(
              {.clock = clock,
               .queue_clock = queue_clock_,
               .random = random,
               .store = *store_,
               .readers = readers_,
               .idempotency = ledger_,
               .change =
                   [this](auto run) { return write_change(*store_, directory_, std::move(run)); },
               .directory = directory_,
               .rights = rights_,
               .policy = policy_,
               .callback_schemes = daemon::callback_schemes(settings),
               .version = version,
               .default_connector = default_connector_,
               .offered_connectors = offered_connectors_,
               .people = people_,
               .devices = devices_,
               .platform = platform_,
               .messages = messages_,
               .callbacks = callbacks_,
               .campaigns = {
                   .control = campaign_control_,
                   .uploads = uploads_,
                   .links = [this]() -> const campaign::OptOutLinks& { return links_; }}}) {
        opened.begin(queue_clock_);
    }

    Result<void> load() {
        const auto reader = store_->open_reader();
        return reader ? directory_.load(**reader) : pass(reader);
    }

    /// Reads again, because another server may have worked since the store was opened.
    Result<void> keep_others_out() {
        auto* nodes = store_->nodes();
        if (nodes == nullptr || node_ != nullptr) {
            return {};
        }
        auto node = daemon::enter_for_command(clock_, *nodes, settings_);
        if (!node) {
            return pass(node);
        }
        if (auto loaded = load(); !loaded) {
            return loaded;
        }
        node_ = std::move(*node);
        return {};
    }

    manage::Manage& manage() { return manage_; }

private:
    const config::Settings& settings_;
    const Clock& clock_;
    const std::string default_connector_;
    const std::vector<std::string> offered_connectors_;
    QueueClock queue_clock_;
    std::unique_ptr<store::Store> store_;
    store::ReaderPool readers_;
    api::IdempotencyLedger ledger_;
    UuidSource ids_;
    devices::Notices notices_;
    admission::Directory directory_;
    admission::CallerRights rights_;
    outbound::AddressPolicy policy_;
    connector::Connectors connectors_;
    RecordedDevices devices_;
    manage::StoppedPlatformControl platform_;
    RecordedMessages messages_;
    RecordedCallbacks callbacks_;
    people::SignIn sign_in_;
    const manage::PeopleRooms people_;
    campaign::StoppedControl campaign_control_;
    campaign::Uploads uploads_;
    campaign::OptOutLinks links_;
    manage::Manage manage_;
    std::unique_ptr<daemon::Node> node_;  // Null: nothing was changed, or nobody shares the store.
};

Result<std::unique_ptr<StoppedStore>> StoppedStore::open(const config::Settings& settings,
                                                         const Clock& clock, Random& random,
                                                         bool create) {
    auto options = daemon::store_options(settings);
    options.create = create;
    auto opened = daemon::open_store(settings, options);
    if (!opened) {
        return pass(opened);
    }
    auto impl = std::make_unique<Impl>(settings, clock, random, std::move(*opened));
    if (auto loaded = impl->load(); !loaded) {
        return pass(loaded);
    }
    return std::unique_ptr<StoppedStore>{new StoppedStore{std::move(impl)}};
}

StoppedStore::StoppedStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StoppedStore::~StoppedStore() = default;

Result<void> StoppedStore::keep_others_out() {
    return impl_->keep_others_out();
}

manage::Outcome StoppedStore::handle(http::Method method, std::string_view path,
                                     std::string_view query, std::string_view body) {
    return impl_->manage().handle(method, path, query, body);
}

manage::Outcome StoppedStore::upload(http::Method method, std::string_view path,
                                     std::string_view query, std::string_view type,
                                     manage::Upload& body) {
    return impl_->manage().handle_upload(method, path, query, type, body);
}

}  // namespace merpati::cli
