// Creates what the other rooms of a running server share.
#pragma once

#include "admission/caller_rights.hpp"
#include "admission/directory.hpp"
#include "admission/ownership.hpp"
#include "api/events/event_hub.hpp"
#include "base/clock.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "base/uuid.hpp"
#include "campaign/open_campaigns.hpp"
#include "config/settings.hpp"
#include "daemon/node.hpp"
#include "daemon/opened_store.hpp"
#include "daemon/publisher.hpp"
#include "daemon/tally.hpp"
#include "outbound/address_policy.hpp"
#include "store/committer.hpp"
#include "store/reader_pool.hpp"
#include "store/store.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// The clocks, the store with its readers and its committer, and what is followed in memory of its
/// rows. Queue time begins with its creation.
///
/// Threads: the owner's; the rooms say which threads may use them.
struct CoreRooms {
    /// `node`: null if no other process can share the store. All of the references must outlive it.
    CoreRooms(const Clock& given_clock, Random& given_random,
              const config::Settings& given_settings, telemetry::Log given_log,
              const OpenedStore& opened, store::Store& opened_store, Node* given_node);
    CoreRooms(const CoreRooms&) = delete;
    CoreRooms& operator=(const CoreRooms&) = delete;

    /// Other nodes work on the same store at the same time.
    [[nodiscard]] bool is_together() const { return node != nullptr && node->is_together(); }

    const Clock& clock;
    Random& random;
    const config::Settings& settings;
    const telemetry::Log log;
    Node* const node;
    store::Store& store;
    Tally tally;
    QueueClock queue_clock;
    store::ReaderPool readers;
    UuidSource ids;
    outbound::AddressPolicy policy;
    admission::Directory directory;
    admission::Ownership ownership;
    admission::CallerRights rights;
    campaign::OpenCampaigns open_campaigns;
    api::EventHub events;
    Publisher publisher;
    store::Committer committer;
};

}  // namespace merpati::daemon
