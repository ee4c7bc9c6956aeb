#include "daemon/call_rooms.hpp"

#include <algorithm>
#include <utility>

#include "daemon/options.hpp"
#include "store/records.hpp"

namespace merpati::daemon {

CallRooms::CallRooms(Rooms given)
    : rooms(std::move(given)),
      idempotency(rooms.ledger, rooms.readers, rooms.rights),
      authenticator(rooms.queue_clock, rooms.directory, idempotency,
                    authenticator_options(rooms.settings)),
      callers(rooms.clock, rooms.directory, app_address(rooms.settings),
              session_limits(rooms.settings), rooms.settings.api.rate),
      waiters(rooms.committer),
      send({.clock = rooms.queue_clock,
            .intake = rooms.intake,
            .idempotency = idempotency,
            .waiters = waiters},
           send_options(rooms.settings)),
      bulk({.clock = rooms.queue_clock,
            .directory = rooms.directory,
            .rights = rooms.rights,
            .intake = rooms.intake,
            .readers = rooms.readers,
            .idempotency = rooms.ledger,
            .committer = rooms.committer},
           bulk_options(rooms.settings)),
      device_addnew({.clock = rooms.clock,
                     .directory = rooms.directory,
                     .rights = rooms.rights,
                     .ownership = rooms.ownership,
                     .idempotency = idempotency,
                     .policy = rooms.policy,
                     .devices = rooms.sending.keeper,
                     .committer = rooms.committer},
                    device_options(rooms.settings)),
      messages({.clock = rooms.clock,
                .notices = rooms.sending.notices,
                .committer = rooms.committer,
                .scheduler = rooms.sending.scheduler,
                .directory = rooms.directory,
                .intake = rooms.intake,
                .default_rate = rooms.settings.api.rate,
                .on_finish = rooms.on_finish}),
      callbacks(rooms.sending.callbacks, rooms.ids, rooms.queue_clock),
      sign_in(rooms.random, rooms.settings, rooms.listening, rooms.tally, rooms.log.in("people")),
      manage(context()),
      management(manage, app_address(rooms.settings), unread_proxy_listener(rooms.log.in("api"))) {
    join();
}

api::manage::Context CallRooms::context() {
    return {.clock = rooms.clock,
            .queue_clock = rooms.queue_clock,
            .random = rooms.random,
            .store = rooms.store,
            .readers = rooms.readers,
            .idempotency = rooms.ledger,
            .change = [this](auto run) { return change(std::move(run)); },
            .directory = rooms.directory,
            .rights = rooms.rights,
            .ownership = &rooms.ownership,
            .policy = rooms.policy,
            .callback_schemes = callback_schemes(rooms.settings),
            .version = MERPATI_VERSION,
            .default_connector = rooms.settings.devices.default_connector,
            .offered_connectors = rooms.settings.devices.offered_connectors,
            .on_fault =
                [log = rooms.log.in("api")](const Error& error) {
                    log.error("a call failed", {{"why", error.describe()}});
                },
            .people = sign_in.rooms,
            .devices = rooms.sending.keeper,
            .platform = rooms.sending.platform_calls,
            .messages = messages,
            .callbacks = callbacks,
            .campaigns = rooms.campaigns.for_calls()};
}

/// Its caller's next request may go to any node.
Result<void> CallRooms::change(std::move_only_function<Result<void>(store::Tables&)> run) const {
    if (!rooms.wait_for_others) {
        return rooms.committer.change_and_wait(std::move(run));
    }
    bool is_of_directory = false;
    auto changed = rooms.committer.change_and_wait(
        [&is_of_directory, run = std::move(run)](store::Tables& tables) mutable {
            auto done = run(tables);
            is_of_directory = std::ranges::any_of(tables.written(), [](const auto& row) {
                return store::directory_row_of(row).has_value();
            });
            return done;
        });
    if (changed && is_of_directory) {
        rooms.wait_for_others();
    }
    return changed;
}

/// Connects what operations report with the rooms that follow it.
void CallRooms::join() {
    bulk.on_fault = idempotency.on_fault = [this](const Error& error) { manage.report(error); };
    bulk.on_refused =
        authenticator.on_refused = [this](api::Refusal refusal) { rooms.tally.refused(refusal); };
    callers.on_seen = session_writer(rooms.committer);
}

void CallRooms::start() {
    management.start();
    idempotency.start();
    bulk.start();
}

void CallRooms::stop() {
    management.stop();
    idempotency.stop();
    bulk.stop();
}

}  // namespace merpati::daemon
