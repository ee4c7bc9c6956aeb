// What platforms report of messages, as a Change reads and writes it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "store/records.hpp"
#include "store/shard_set.hpp"

namespace merpati::store {

struct Reschedule;

/// A part of Tables. Reports are identified by device and platform id.
class PlatformTables {
public:
    virtual ~PlatformTables() = default;

    /// Records an inbound message. False: its id was recorded before.
    virtual Result<bool> note_inbound(model::PhoneNumber device, std::string_view platform_id,
                                      Timestamp now) = 0;

    /// Records a status.
    virtual Result<NotedStatus> note_status(model::PhoneNumber device, std::string_view platform_id,
                                            const model::PlatformStatus& status, Timestamp now) = 0;
    /// Counts how far a message of a campaign has come, in its row and its campaign; nothing for
    /// others. Only where the account's campaigns are written.
    virtual Result<void> count_report(const model::Message& message, model::Progress progress,
                                      Timestamp now) = 0;
    /// A recorded status names a message by the gateway's id. Call it if no message was handed over
    /// with the platform's id. Counts only a message of the device and its account.
    virtual Result<Named> name_message(const model::Device& device, std::string_view platform_id,
                                       model::MessageId message) = 0;
    /// The message that was handed over with this id. Of several, the latest that has not ended;
    /// if all have ended, the latest.
    virtual Result<std::optional<PlatformMessage>> find_platform_message(
        model::PhoneNumber device, std::string_view platform_id) = 0;
    /// Messages of the shards' accounts that are handed over, with a `decide_by` of at most
    /// `until`, the earliest first. If there are more than `limit`, each device has some of its
    /// own, in turn from call to call. If a row is damaged, the change ends as damaged; later calls
    /// leave the message out.
    virtual Result<std::vector<PlatformMessage>> undecided(Timestamp until, std::size_t limit,
                                                           const ShardSet& shards) = 0;
    /// The earliest `decide_by` of the messages of all accounts; empty: none is handed over. That
    /// of some alone would take a walk over all others.
    virtual Result<std::optional<Timestamp>> next_decide_by() = 0;
    /// Ends a message that is handed over, as a Finish does; the callback is not reported as a row.
    /// False: the message is not handed over.
    virtual Result<bool> end_handed_over(const model::Message& message,
                                         const model::Completion& completion,
                                         const std::optional<model::Callback>& callback) = 0;
    /// Puts a message that is handed over back into its lane; `queued_at` and `sent` are not used.
    /// Later statuses of the platform id that it had are not news. False: the message is not handed
    /// over.
    virtual Result<bool> return_to_lane(const Reschedule& place) = 0;
};

}  // namespace merpati::store
