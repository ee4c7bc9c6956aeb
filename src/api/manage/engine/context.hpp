// What handlers of the catalogue use, in the server and, for a stopped server's store, in the CLI.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/json/value.hpp>

#include "admission/caller_rights.hpp"
#include "admission/directory.hpp"
#include "admission/ownership.hpp"
#include "api/idempotency_ledger.hpp"
#include "api/manage/campaigns/campaign_rooms.hpp"
#include "api/manage/people/people_rooms.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "outbound/address_policy.hpp"
#include "outbound/url.hpp"
#include "store/reader_pool.hpp"
#include "store/records.hpp"
#include "store/store.hpp"
#include "store/tables.hpp"

namespace merpati::api::manage {

class CallbackControl;
class DeviceControl;
class MessageControl;
class PlatformControl;

/// The Idempotency-Key of a call (IdempotentCalls).
struct CallKey {
    store::IdempotencyRecord record;  // Without an answer.
    bool is_stored = false;           // With something that the call has committed.
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
    CallKey* key = nullptr;  // Null: the call has none.
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

    /// The key, for a message that is not stored by `change`: it goes into the same commit, or the
    /// message would be sent again if the process died before the next one. Empty: there is none,
    /// or it is stored.
    [[nodiscard]] std::optional<store::IdempotencyRecord> unstored_key() const {
        return key == nullptr || key->is_stored ? std::nullopt : std::optional{key->record};
    }
    /// Call it when the message is stored.
    void key_was_stored(model::MessageId with) const {
        if (key != nullptr && !key->is_stored) {
            key->record.message = with;
            key->is_stored = true;
        }
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
