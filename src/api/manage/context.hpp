// What management handlers stand on, in the server and in the CLI's own process alike.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/json/value.hpp>

#include "admission/directory.hpp"
#include "api/manage/people_rooms.hpp"
#include "base/error.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "callback/sender.hpp"
#include "media/received_file.hpp"
#include "model/device.hpp"
#include "model/message.hpp"
#include "outbound/address_policy.hpp"
#include "outbound/url.hpp"
#include "scheduler/scheduler.hpp"
#include "store/store.hpp"

namespace merpati::api::manage {

/// How far the pairing of a device has come. The step is the last one; a later one replaces it.
struct Pairing {
    bool under_way = false;
    std::string method;   // Empty: there is no step.
    std::string payload;  // What a person is to scan, type in or answer.
    std::optional<Timestamp> expires_at;
    std::string reason;  // Why it ended without the device being connected.
};

/// What differs for devices between a running server, which has connectors, and a stopped one's
/// store, where only the record changes.
class DeviceControl {
public:
    virtual ~DeviceControl() = default;

    /// Sets the state and the pace with which a new device begins. Errors: refused (no such
    /// connector here).
    [[nodiscard]] virtual Result<void> prepare(model::Device& device) = 0;

    /// Part of the change that adds a device: stores what its webhook is told of its first state.
    [[nodiscard]] virtual Result<void> announce(store::Tables& tables,
                                                const model::Device& device) = 0;

    /// What becomes of a device that was exported and that somebody asks to connect.
    enum class Exported : std::uint8_t { refuse, connect };

    /// Both answer the device as it is afterwards, its state committed and in the directory. A
    /// connector that needs longer than a moment leaves it `reconnecting` or `pairing`.
    /// Errors: not_found, refused (no such connector, pairing needed), conflict (it was exported,
    /// or is being moved), busy, store_failed.
    [[nodiscard]] virtual Result<model::Device> connect(model::PhoneNumber number,
                                                        Exported exported) = 0;
    [[nodiscard]] virtual Result<model::Device> disconnect(model::PhoneNumber number) = 0;

    /// Begins to pair the device, in this way; empty: the connector's own. `queue`: what becomes of
    /// the messages that wait for it; empty: as was chosen for the pairing that is under way, else
    /// `hold`. One that was exported is paired anew, without its old secrets. Errors: refused (no
    /// such connector, no such way, the server is stopped), conflict (it is being moved),
    /// not_found, busy.
    [[nodiscard]] virtual Result<void> pair(model::PhoneNumber number, std::string method,
                                            std::optional<model::QueueChoice> queue) = 0;
    /// Hands the answer to a step over that asks for one. Errors: refused, not_found.
    [[nodiscard]] virtual Result<void> answer(model::PhoneNumber number, std::string answer) = 0;
    [[nodiscard]] virtual Pairing pairing(model::PhoneNumber number) const = 0;

    /// As long as it lives nobody connects or pairs the device, and its connector writes none of
    /// its secrets.
    class Stillness {
    public:
        virtual ~Stillness() = default;
    };
    /// Errors: conflict (the device is connected, connecting or pairing, or is being moved),
    /// refused (its connector keeps no secrets, or is not here), not_found, busy.
    [[nodiscard]] virtual Result<std::unique_ptr<Stillness>> keep_still(
        model::PhoneNumber number) = 0;
};

/// What only a device's platform knows. Of a stopped server, which asks none: a running one derives
/// from it.
///
/// Threads: any; does not block. Answers come once, on any thread, also from within, or not at all
/// where the server stops first. Errors of both: refused, conflict (the device cannot just now),
/// busy, too_many_requests (of this device or account), timeout, unreachable, shutting_down.
class PlatformControl {
public:
    virtual ~PlatformControl() = default;

    /// The media of a message that the device received, whole. Errors: not_found (the platform has
    /// them no more), io_failed too.
    using Fetched = std::move_only_function<void(Result<media::ReceivedFilePtr>)>;
    virtual void fetch_media(const model::Device& /*device*/, const store::ReceivedMedia& /*media*/,
                             Fetched done) {
        done(stopped());
    }

    struct NumberCheck {
        bool registered = false;
        Timestamp checked_at;
    };
    /// Whether the number is registered at the device's platform. Errors: invalid_argument too.
    using Checked = std::move_only_function<void(Result<NumberCheck>)>;
    virtual void check_number(const model::Device& /*device*/, const std::string& /*number*/,
                              Checked done) {
        done(stopped());
    }

private:
    static std::unexpected<Error> stopped() {
        return fail(ErrorCode::refused,
                    "the server is stopped: start it, its connector asks the platform");
    }
};

/// What differs for messages: a running server's scheduler owns those that wait.
class MessageControl {
public:
    virtual ~MessageControl() = default;

    /// Ends a waiting message as cancelled; returns when that is durable.
    /// Errors: conflict (it is being sent, or has ended), timeout, store_failed.
    [[nodiscard]] virtual Result<void> cancel(store::QueuedMessage message) = 0;

    /// Ends these as cancelled, and returns of how many that is durable. Those that are being sent,
    /// or have ended, stay as they are. Errors: timeout, store_failed, shutting_down.
    [[nodiscard]] virtual Result<std::size_t> cancel_all(
        std::vector<store::QueuedMessage> messages) = 0;

    /// Ends a held message as failed, its credit given back and its callback stored in the same
    /// commit; returns when that is durable. Errors: not_found, conflict (not held), store_failed.
    [[nodiscard]] virtual Result<void> fail_held(model::Message message) = 0;

    /// Makes a waiting message due now; returns when that is durable.
    /// Errors: conflict (it is being sent, or has ended), timeout, store_failed.
    [[nodiscard]] virtual Result<void> hasten(store::QueuedMessage message) = 0;

    /// Sends a failed message again, as a new one, whose id it answers.
    /// Errors: refused (by admission, or the server is stopped), conflict (it was sent again
    /// before), busy, timeout.
    [[nodiscard]] virtual Result<model::MessageId> retry(const model::Message& failed) = 0;

    /// What a waiting message waits for; empty: nobody knows beside the rows.
    [[nodiscard]] virtual std::optional<scheduler::Wait> wait_of(store::QueuedMessage message) = 0;

    /// A held message was put back into its lane, due at `due`.
    virtual void released(const model::Message& message, Timestamp due) = 0;
};

/// The same for callbacks: a running server's sender owns those that wait.
class CallbackControl {
public:
    virtual ~CallbackControl() = default;

    /// Callbacks of this endpoint were made due in the store.
    virtual void wake(const store::Endpoint& endpoint) = 0;

    /// Posts a signed test to the address, and waits for the answer. The attempt's error is empty
    /// where it was delivered. Errors: busy, refused (the server is stopped), timeout.
    [[nodiscard]] virtual Result<model::CallbackAttempt> test(model::AccountId account,
                                                              std::string url) = 0;

    /// Of the account's origins that have a queue in memory.
    [[nodiscard]] virtual std::vector<callback::EndpointHealth> health(
        model::AccountId account) = 0;
};

/// Everything a handler may use. All of it must outlive Manage. A handler decides inside `change`,
/// by the rows it reads there; what it read before serves lists and error messages.
///
/// Threads: any, in a server. A stopped store is used by one thread.
struct Context {
    /// Runs one change and returns when it is durable and in the directory;
    /// Committer::change_and_wait in the server.
    using Change =
        std::function<Result<void>(std::move_only_function<Result<void>(store::Tables&)>)>;

    const Clock& clock;             // The wall clock.
    const QueueClock& queue_clock;  // In which releases and replays are due.
    Random& random;
    store::Store& store;  // For readers and backups; changes go through `change`.
    Change change;
    const admission::Directory& directory;
    const outbound::AddressPolicy& policy;
    outbound::Schemes callback_schemes = outbound::Schemes::https_only;
    std::string_view version;                      // Of this program, for `status`.
    std::string_view default_connector{};          // Of devices that are added without naming one.
    std::function<void(const Error&)> on_fault{};  // Told of faults that callers are not told.
    const PeopleRooms& people;
    DeviceControl& devices;
    PlatformControl& platform;
    MessageControl& messages;
    CallbackControl& callbacks;

    /// What `ask` answers of a reader of the store.
    template <class Ask>
    [[nodiscard]] auto read(Ask ask) const -> std::invoke_result_t<Ask, store::Reader&> {
        auto reader = store.open_reader();
        if (!reader) {
            return pass(reader);
        }
        return ask(**reader);
    }

    /// Commits what `decide` does to the tables, then answers `show` of what it decided. A refusal
    /// of `decide` undoes what it wrote, and is the answer.
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
