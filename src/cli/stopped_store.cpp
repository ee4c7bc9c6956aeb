#include "cli/stopped_store.hpp"

#include <fmt/format.h>

#include "admission/directory.hpp"
#include "api/manage/context.hpp"
#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "cli/version.hpp"
#include "daemon/notices.hpp"
#include "daemon/options.hpp"
#include "outbound/address_policy.hpp"
#include "scheduler/details.hpp"
#include "store/store.hpp"

namespace merpati::cli {
namespace {

namespace manage = api::manage;

Result<void> write_change(store::Store& store,
                          std::move_only_function<Result<void>(store::Tables&)> run) {
    store::WriteBatch batch;
    batch.changes.push_back({.run = std::move(run)});
    if (auto written = store.write(batch); !written) {
        return written;
    }
    return std::move(batch.changes.front().result);
}

/// Only the record changes, and the webhook's notice is stored with it; the server's connector
/// follows it at its next start.
class RecordedDevices final : public manage::DeviceControl {
public:
    RecordedDevices(const Clock& clock, store::Store& store, admission::Directory& directory,
                    daemon::Notices& notices)
        : clock_(clock), store_(store), directory_(directory), notices_(notices) {}

    Result<model::DeviceState> first_state(model::ConnectorKind kind) override {
        if (kind != model::ConnectorKind::simulator) {
            return no_connector(kind);
        }
        return model::DeviceState::connected;
    }
    Result<void> put(const model::Device& device, bool is_new) override {
        const auto notice = is_new ? notices_.of_state(device, {}) : std::nullopt;
        return notice ? write_change(store_,
                                     [&](auto& tables) { return tables.add_callback(*notice); })
                      : Result<void>{};
    }
    Result<model::Device> connect(const model::Device& device) override {
        if (device.connector != model::ConnectorKind::simulator) {
            return no_connector(device.connector);
        }
        return record(device, model::DeviceState::connected, {});
    }
    Result<model::Device> disconnect(const model::Device& device) override {
        return record(device, model::DeviceState::disconnected, model::disconnected_by_request);
    }
    void removed(const model::Device& /*device*/) override {}

private:
    static std::unexpected<Error> no_connector(model::ConnectorKind kind) {
        return fail(ErrorCode::refused,
                    fmt::format("this program has no connector '{}'", model::to_string(kind)));
    }

    Result<model::Device> record(model::Device device, model::DeviceState state,
                                 std::string_view reason) {
        if (device.state == state) {
            return device;
        }
        device.state = state;
        device.state_since = clock_.now();
        const auto notice = notices_.of_state(device, reason);
        auto changed = write_change(store_, [&](store::Tables& tables) -> Result<void> {
            auto set = tables.set_device_state(device.number, device.state, device.state_since);
            return set && notice ? tables.add_callback(*notice) : std::move(set);
        });
        if (!changed) {
            return pass(changed);
        }
        directory_.put_device(device);
        return device;
    }

    const Clock& clock_;
    store::Store& store_;
    admission::Directory& directory_;
    daemon::Notices& notices_;
};

/// Nothing is being sent while the server is stopped, so the record is all there is.
class RecordedMessages final : public manage::MessageControl {
public:
    RecordedMessages(const Clock& clock, store::Store& store, daemon::Notices& notices)
        : clock_(clock), store_(store), notices_(notices) {}

    Result<void> cancel(store::QueuedMessage queued) override {
        if (queued.intent_recorded) {
            return fail(ErrorCode::conflict,
                        "its send had begun when the server ended, so the platform may have it: "
                        "start the server, which finds out");
        }
        store::Finish finish{.message = std::move(queued.message),
                             .queued_at = queued.queued_at,
                             .completion = {.state = model::MessageState::cancelled,
                                            .code = model::StatusCode::failed,
                                            .details = std::string{scheduler::details::cancelled},
                                            .finished_at = clock_.now(),
                                            .attempts = queued.attempts}};
        finish.callback = notices_.of_end(*finish.message, finish.completion);
        store::WriteBatch batch;
        batch.finishes.push_back(std::move(finish));
        if (auto written = store_.write(batch); !written) {
            return written;
        }
        return batch.finishes.front().finished ? Result<void>{}
                                               : fail(ErrorCode::conflict, "the message has ended");
    }
    Result<void> fail_held(model::Message message) override {
        const auto completion = daemon::given_up(clock_.now());
        const auto callback = notices_.of_end(message, completion);
        return write_change(store_, [&](store::Tables& tables) {
            return tables.fail_message(message.id, completion, callback);
        });
    }
    void released(const model::Message& /*message*/, Timestamp /*due*/) override {}

private:
    const Clock& clock_;
    store::Store& store_;
    daemon::Notices& notices_;
};

class RecordedCallbacks final : public manage::CallbackControl {
public:
    void wake(const store::Endpoint& /*endpoint*/) override {}
};

}  // namespace

class StoppedStore::Impl {
public:
    Impl(const config::Settings& settings, const Clock& clock, Random& random,
         std::unique_ptr<store::Store> store, std::vector<outbound::Cidr> allowed,
         std::int64_t last_sequence, Millis clock_offset)
        : queue_clock_(clock),
          store_(std::move(store)),
          ids_(queue_clock_, random, last_sequence),
          notices_(queue_clock_, ids_),
          policy_(std::move(allowed)),
          devices_(clock, *store_, directory_, notices_),
          messages_(clock, *store_, notices_),
          manage_({.clock = clock,
                   .queue_clock = queue_clock_,
                   .random = random,
                   .store = *store_,
                   .change = [this](auto run) { return write_change(*store_, std::move(run)); },
                   .directory = directory_,
                   .policy = policy_,
                   .allow_http_callbacks = settings.outbound.allow_http_callbacks,
                   .version = version,
                   .devices = devices_,
                   .messages = messages_,
                   .callbacks = callbacks_}) {
        queue_clock_.begin(clock_offset, Uuid{last_sequence, 0}.time());
    }

    Result<void> load(store::Reader& reader) { return directory_.load(reader); }

    manage::Manage& manage() { return manage_; }

private:
    QueueClock queue_clock_;
    std::unique_ptr<store::Store> store_;
    UuidSource ids_;
    daemon::Notices notices_;
    admission::Directory directory_;
    outbound::AddressPolicy policy_;
    RecordedDevices devices_;
    RecordedMessages messages_;
    RecordedCallbacks callbacks_;
    manage::Manage manage_;
};

Result<std::unique_ptr<StoppedStore>> StoppedStore::open(const config::Settings& settings,
                                                         const Clock& clock, Random& random) {
    auto allowed = daemon::allowed_ranges(settings);
    if (!allowed) {
        return pass(allowed);
    }
    auto store = store::open_store(daemon::store_options(settings));
    if (!store) {
        return pass(store);
    }
    auto reader = (*store)->open_reader();
    if (!reader) {
        return pass(reader);
    }
    const auto last = (*reader)->last_sequence();
    if (!last) {
        return std::unexpected(last.error());
    }
    const auto clock_offset = (*reader)->clock_offset();
    if (!clock_offset) {
        return std::unexpected(clock_offset.error());
    }
    auto impl = std::make_unique<Impl>(settings, clock, random, std::move(*store),
                                       std::move(*allowed), *last, *clock_offset);
    if (auto loaded = impl->load(**reader); !loaded) {
        return pass(loaded);
    }
    return std::unique_ptr<StoppedStore>{new StoppedStore{std::move(impl)}};
}

StoppedStore::StoppedStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StoppedStore::~StoppedStore() = default;

manage::Outcome StoppedStore::handle(http::Method method, std::string_view path,
                                     std::string_view query, std::string_view body) {
    return impl_->manage().handle(method, path, query, body);
}

}  // namespace merpati::cli
