// What handlers of the catalogue use, in the server and, for a stopped server's store, in the CLI.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

#include "admission/caller_rights.hpp"
#include "admission/directory.hpp"
#include "admission/ownership.hpp"
#include "admission/principal.hpp"
#include "api/idempotency_ledger.hpp"
#include "api/manage/people/people_rooms.hpp"
#include "api/send/single_send.hpp"
#include "base/error.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "callback/sender.hpp"
#include "campaign/audience/uploads.hpp"
#include "campaign/control.hpp"
#include "campaign/opt_out_links.hpp"
#include "connector/connector.hpp"
#include "media/received_file.hpp"
#include "model/device.hpp"
#include "model/message.hpp"
#include "outbound/address_policy.hpp"
#include "outbound/url.hpp"
#include "scheduler/scheduler.hpp"
#include "store/reader_pool.hpp"
#include "store/store.hpp"

namespace merpati::api::manage {

/// The state of a device's pairing, with its latest step.
struct Pairing {
    bool under_way = false;
    std::string method;   // Empty: there is no step.
    std::string payload;  // What a person must scan, type in or answer.
    std::optional<Timestamp> expires_at;
    std::string reason;  // Why it ended without connecting the device.
};

/// What a running server knows of one of its connectors.
struct ConnectorFacts {
    std::string name;
    std::vector<std::string> pairing;        // The methods; empty: a device needs no pairing.
    std::string trouble;                     // Why it does not run; empty: it runs.
    std::size_t text_characters_max = 4096;  // The longest text that it takes.
};

/// Operations on devices that differ between a running server, which has connectors, and a stopped
/// server's store, where only the record changes.
class DeviceControl {
public:
    virtual ~DeviceControl() = default;

    /// All connectors of this server, by name.
    [[nodiscard]] virtual std::vector<ConnectorFacts> connectors() const = 0;

    /// Sets the initial state and pace of a new device. Errors: refused (no such connector here).
    [[nodiscard]] virtual Result<void> prepare(model::Device& device) = 0;

    /// Runs in the transaction that adds a device. Stores the notice of its first state for its
    /// webhook.
    [[nodiscard]] virtual Result<void> announce(store::Tables& tables,
                                                const model::Device& device) = 0;

    /// Runs in the transaction that gives a device what it needs to connect. Sets it `connected`,
    /// with the notice for its webhook.
    [[nodiscard]] virtual Result<void> mark_connected(store::Tables& tables,
                                                      const model::Device& device) = 0;

    /// Whether `connect` refuses a device that was exported.
    enum class Exported : std::uint8_t { refuse, connect };

    /// Both answer the device as it is afterwards, with its state committed and in the directory.
    /// While its connector is still at work, the state is `reconnecting` or `pairing`.
    /// Errors: not_found, refused (no such connector, pairing needed), conflict (it was exported,
    /// or is being moved), busy, store_failed; `connect` also too_many_requests, as `pair`.
    [[nodiscard]] virtual Result<model::Device> connect(model::PhoneNumber number,
                                                        Exported exported) = 0;
    [[nodiscard]] virtual Result<model::Device> disconnect(model::PhoneNumber number) = 0;

    /// Whether `pair` by this method may begin now. Errors: those of `pair`.
    [[nodiscard]] virtual Result<void> check_pairing(model::PhoneNumber number,
                                                     std::string_view method) const = 0;

    /// After too_many_requests: how long until the device may be connected or paired again.
    [[nodiscard]] virtual std::chrono::seconds pairing_wait(model::PhoneNumber) const { return {}; }

    /// Begins to pair the device by `method`; empty: the connector's default. `queue`: what happens
    /// to messages that wait for it; empty: as chosen for the pairing under way, else `hold`. A
    /// device that was exported is paired again without its old secrets. A method that is refused
    /// changes nothing. Errors: refused (no such connector, no such method, the server is stopped),
    /// conflict (it is being moved), not_found, busy, too_many_requests (it or another device of
    /// its account was paired too often).
    [[nodiscard]] virtual Result<void> pair(model::PhoneNumber number, std::string method,
                                            std::optional<model::QueueChoice> queue) = 0;
    /// Gives the answer to a step that asks for one, and waits until the connector has taken it.
    /// Errors: conflict (it is wrong), busy, timeout, unreachable, not_found.
    [[nodiscard]] virtual Result<void> answer(model::PhoneNumber number, std::string answer) = 0;
    [[nodiscard]] virtual Pairing pairing(model::PhoneNumber number) const = 0;

    /// While this object exists, the device is not connected or paired, and its connector does not
    /// write its secrets.
    class Stillness {
    public:
        virtual ~Stillness() = default;
    };
    /// Errors: conflict (the device is connected, connecting or pairing, or is being moved),
    /// refused (its connector keeps no secrets, or is not here), not_found, busy.
    [[nodiscard]] virtual Result<std::unique_ptr<Stillness>> keep_still(
        model::PhoneNumber number) = 0;
};

/// Asks a device's platform. This class is for a stopped server and refuses everything; a running
/// server derives from it.
///
/// Threads: any; does not block. The answer comes once, on any thread, possibly before the call
/// returns; or not at all if the server stops first.
///
/// Errors of all: refused, conflict (not in the device's present state), busy, too_many_requests
/// (of this device or account), timeout, unreachable, shutting_down.
class PlatformControl {
public:
    virtual ~PlatformControl() = default;

    /// Downloads the media of a message that the device received. Further errors: not_found (the
    /// platform no longer has them), io_failed.
    using Fetched = std::move_only_function<void(Result<media::ReceivedFilePtr>)>;
    virtual void fetch_media(const model::Device& /*device*/, const store::ReceivedMedia& /*media*/,
                             Fetched done) {
        done(stopped());
    }

    struct NumberCheck {
        bool registered = false;
        Timestamp checked_at;
    };
    /// Whether the number is registered at the device's platform. Further errors: invalid_argument.
    using Checked = std::move_only_function<void(Result<NumberCheck>)>;
    virtual void check_number(const model::Device& /*device*/, const std::string& /*number*/,
                              Checked done) {
        done(stopped());
    }

    /// What the official platform says of a number. `device` need not be stored yet.
    using AccessChecked = connector::Connector::AccessChecked;
    virtual void check_access(const model::Device& /*device*/, connector::PlatformAccess /*access*/,
                              AccessChecked done) {
        done(stopped());
    }
    /// The templates of the device's business account.
    using TemplatesListed = connector::Connector::TemplatesListed;
    virtual void list_templates(const model::Device& /*device*/,
                                connector::PlatformAccess /*access*/, std::string /*cursor*/,
                                TemplatesListed done) {
        done(stopped());
    }

private:
    static std::unexpected<Error> stopped() {
        return fail(ErrorCode::refused,
                    "the server is stopped: start it, its connector asks the platform");
    }
};

/// Operations on messages that differ between a running server, whose scheduler owns waiting
/// messages, and a stopped server's store.
class MessageControl {
public:
    virtual ~MessageControl() = default;

    /// Ends a waiting message as cancelled. Returns when that is durable.
    /// Errors: conflict (it is being sent, or has ended), timeout, store_failed, shutting_down.
    [[nodiscard]] virtual Result<void> cancel(store::QueuedMessage message) = 0;

    /// Ends these as cancelled. Returns, when that is durable, how many were. Messages that are
    /// being sent or have ended are left alone. Errors: timeout, store_failed, shutting_down.
    [[nodiscard]] virtual Result<std::size_t> cancel_all(
        std::vector<store::QueuedMessage> messages) = 0;

    /// Ends a held message as failed. The same commit refunds its credit and stores its callback.
    /// Returns when that is durable. Errors: not_found, conflict (not held), store_failed.
    [[nodiscard]] virtual Result<void> fail_held(model::Message message) = 0;

    /// Makes a waiting message due now. Returns when that is durable.
    /// Errors: conflict (it is being sent, or has ended), timeout, store_failed, shutting_down.
    [[nodiscard]] virtual Result<void> hasten(store::QueuedMessage message) = 0;

    /// Sends a failed or cancelled message again as a new one, and answers the new message's id.
    /// Errors: refused (by admission, or the server is stopped), forbidden (the caller has lost its
    /// rights meanwhile), conflict (it was sent again before), busy, timeout.
    [[nodiscard]] virtual Result<model::MessageId> retry(const model::Message& failed,
                                                         const admission::Principal& caller) = 0;

    /// Sends a new message; it counts against the rate of the account's sends. Errors: refused (the
    /// server is stopped), forbidden (the caller has lost its rights meanwhile), timeout.
    [[nodiscard]] virtual Result<SingleSend::Sent> send(SingleMessage message,
                                                        const admission::Principal& caller) = 0;

    /// What a waiting message waits for. Empty: there is no scheduler, or it did not answer; the
    /// caller must derive it from the rows.
    [[nodiscard]] virtual std::optional<scheduler::Wait> wait_of(store::QueuedMessage message) = 0;

    /// Call after a held message was put back into its lane, due at `due`.
    virtual void released(const model::Message& message, Timestamp due) = 0;
};

/// The same for callbacks: a running server's sender owns waiting callbacks.
class CallbackControl {
public:
    virtual ~CallbackControl() = default;

    /// Call after callbacks of this endpoint were made due in the store.
    virtual void wake(const store::Endpoint& endpoint) = 0;

    /// Posts a signed test callback to the address and waits for the answer. The attempt's error is
    /// empty if it was delivered. Errors: busy, refused (no https URL, or the server is stopped),
    /// timeout, shutting_down.
    [[nodiscard]] virtual Result<model::CallbackAttempt> test(model::AccountId account,
                                                              std::string url) = 0;

    /// The health of those of the account's origins that have a queue in memory.
    [[nodiscard]] virtual std::vector<callback::EndpointHealth> health(
        model::AccountId account) = 0;
};

/// What handlers of campaigns use.
struct CampaignRooms {
    campaign::Control& control;
    campaign::Uploads& uploads;
    /// Their address is known once the server listens.
    std::function<const campaign::OptOutLinks&()> links;
    std::function<std::uint64_t()> operations{};  // As campaign::ImportMeans::operations.
};

/// Everything a handler may use. All of it must outlive Manage. A handler must decide inside
/// `change`, from the rows that it reads there. What it has read before is only good for lists and
/// error messages.
///
/// Threads: any, in a server. One, on a stopped server's store.
struct Context {
    /// Runs one change. Returns when it is durable and in the directory. In the server it is
    /// Committer::change_and_wait.
    using Change =
        std::function<Result<void>(std::move_only_function<Result<void>(store::Tables&)>)>;

    const Clock& clock;             // The wall clock.
    const QueueClock& queue_clock;  // For the time at which messages and callbacks are due.
    Random& random;
    store::Store& store;         // For backups; changes go through `change`.
    store::ReaderPool& readers;  // Of `store`; see `read`.
    IdempotencyLedger& idempotency;
    Change change;
    const admission::Directory& directory;
    const admission::CallerRights& rights;
    /// Null: this process works for all accounts.
    const admission::Ownership* ownership = nullptr;
    const outbound::AddressPolicy& policy;
    outbound::Schemes callback_schemes = outbound::Schemes::https_only;
    std::string_view version;              // Of this program, for `status`.
    std::string_view default_connector{};  // For devices that are added without one.
    /// Those on which accounts may add devices; empty: all. Must outlive the context.
    std::span<const std::string> offered_connectors{};
    std::function<void(const Error&)> on_fault{};  // Called with faults of the store and of files.
    const PeopleRooms& people;
    DeviceControl& devices;
    PlatformControl& platform;
    MessageControl& messages;
    CallbackControl& callbacks;
    CampaignRooms campaigns;

    /// The queue time of a time by the wall clock, for comparisons with ids.
    [[nodiscard]] std::optional<Timestamp> queue_time(std::optional<Timestamp> wall) const {
        return wall.transform([this](Timestamp time) { return time + queue_clock.offset(); });
    }

    /// As ReaderPool::read.
    template <class Ask>
    [[nodiscard]] auto read(Ask ask) const -> std::invoke_result_t<Ask, store::Reader&> {
        return readers.read(std::move(ask));
    }

    /// Commits what `decide` writes, then answers `show` of the value that `decide` returned. An
    /// error of `decide` rolls its writes back and is the answer.
    template <class Decide, class Show>
    [[nodiscard]] Result<boost::json::value> commit_and_show(Decide decide, Show show) const {
        using Decided = typename std::invoke_result_t<Decide, store::Tables&>::value_type;
        Decided decided;
        auto committed = change([&](store::Tables& tables) -> Result<void> {
            auto made = decide(tables);
            if (!made) {
                return pass(made);
            }
            decided = std::move(*made);
            return {};
        });
        if (!committed) {
            return pass(committed);
        }
        return show(decided);
    }
};

}  // namespace merpati::api::manage
