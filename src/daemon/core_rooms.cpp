#include "daemon/core_rooms.hpp"

#include <optional>
#include <utility>

#include "daemon/options.hpp"

namespace merpati::daemon {
namespace {

std::optional<IdSlot> slot_of(const store::Nodes* nodes) {
    return nodes == nullptr ? std::nullopt : nodes->slot();
}

}  // namespace

CoreRooms::CoreRooms(const Clock& given_clock, Random& given_random,
                     const config::Settings& given_settings, telemetry::Log given_log,
                     const OpenedStore& opened, store::Store& opened_store, Node* given_node)
    : clock(given_clock),
      random(given_random),
      settings(given_settings),
      log(std::move(given_log)),
      node(given_node),
      store(opened_store),
      queue_clock(clock),
      readers(store),
      ids(queue_clock, random, opened.last_sequence, slot_of(opened.nodes)),
      policy(opened.allowed),
      ownership(is_together() ? admission::Stay::elsewhere : admission::Stay::here),
      rights(clock, directory, session_limits(settings)),
      open_campaigns(clock),
      events(clock, random, settings.http.connections_max / 2,
             [this](model::AccountId account) { return publisher.credit_of(account); }),
      publisher(events, directory, open_campaigns, readers),
      committer(clock, store, {},
                [this](const Error& error) { end_process(log, settings.store, error); }) {
    opened.begin(queue_clock);
}

}  // namespace merpati::daemon
