#include "daemon/call_rooms.hpp"

#include <algorithm>
#include <utility>

#include "daemon/options.hpp"
#include "store/records.hpp"

namespace merpati::daemon {

CallRooms::CallRooms(CoreRooms& core_rooms, SendingRooms& sending_rooms,
                     CampaignRooms& campaign_rooms, intake::Intake& intake, Hooks given)
    : core(core_rooms),
      sending(sending_rooms),
      campaigns(campaign_rooms),
      hooks(std::move(given)),
      ledger(core.store, core.readers),
      idempotency(ledger, core.readers, core.rights),
      authenticator(core.queue_clock, core.directory, idempotency,
                    authenticator_options(core.settings)),
      callers(core.clock, core.directory, app_address(core.settings), session_limits(core.settings),
              core.settings.api.rate),
      waiters(core.committer),
      send({.clock = core.queue_clock,
            .intake = intake,
            .idempotency = idempotency,
            .waiters = waiters},
           send_options(core.settings)),
      bulk({.clock = core.queue_clock,
            .directory = core.directory,
            .rights = core.rights,
            .intake = intake,
            .readers = core.readers,
            .idempotency = ledger,
            .committer = core.committer},
           bulk_options(core.settings)),
      device_addnew({.clock = core.clock,
                     .directory = core.directory,
                     .rights = core.rights,
                     .ownership = core.ownership,
                     .idempotency = idempotency,
                     .policy = core.policy,
                     .devices = sending.keeper,
                     .committer = core.committer},
                    device_options(core.settings)),
      messages({.clock = core.clock,
                .notices = sending.notices,
                .committer = core.committer,
                .scheduler = sending.scheduler,
                .directory = core.directory,
                .ownership = core.ownership,
                .intake = intake,
                .default_rate = core.settings.api.rate,
                .on_finish = hooks.on_finish}),
      callbacks(sending.callbacks, core.ids, core.queue_clock),
      sign_in(core.clock, core.random, core.directory.people(),
              sign_in_listener(core.tally, core.log.in("people"))),
      people_rooms{.sign_in = sign_in,
                   .session_limits = session_limits(core.settings),
                   .app_url = [this] { return app_url(core.settings, hooks.listening()); }},
      manage(context()),
      management(manage, app_address(core.settings), unread_proxy_listener(core.log.in("api"))) {
    join();
}

api::manage::Context CallRooms::context() {
    return {.clock = core.clock,
            .queue_clock = core.queue_clock,
            .random = core.random,
            .store = core.store,
            .readers = core.readers,
            .idempotency = ledger,
            .change = [this](auto run) { return change(std::move(run)); },
            .directory = core.directory,
            .rights = core.rights,
            .ownership = &core.ownership,
            .policy = core.policy,
            .callback_schemes = callback_schemes(core.settings),
            .version = MERPATI_VERSION,
            .default_connector = core.settings.devices.default_connector,
            .offered_connectors = core.settings.devices.offered_connectors,
            .on_fault =
                [log = core.log.in("api")](const Error& error) {
                    log.error("a call failed", {{"why", error.describe()}});
                },
            .people = people_rooms,
            .devices = sending.keeper,
            .platform = sending.platform_calls,
            .messages = messages,
            .callbacks = callbacks,
            .campaigns = campaigns.for_calls()};
}

/// Its caller's next request may go to any node.
Result<void> CallRooms::change(std::move_only_function<Result<void>(store::Tables&)> run) const {
    if (!hooks.wait_for_others) {
        return core.committer.change_and_wait(std::move(run));
    }
    bool is_of_directory = false;
    auto changed = core.committer.change_and_wait(
        [&is_of_directory, run = std::move(run)](store::Tables& tables) mutable {
            auto done = run(tables);
            is_of_directory = std::ranges::any_of(tables.written(), [](const auto& row) {
                return store::directory_row_of(row).has_value();
            });
            return done;
        });
    if (changed && is_of_directory) {
        hooks.wait_for_others();
    }
    return changed;
}

/// Connects what operations report with the rooms that follow it.
void CallRooms::join() {
    bulk.on_fault = idempotency.on_fault = [this](const Error& error) { manage.report(error); };
    bulk.on_refused =
        authenticator.on_refused = [this](api::Refusal refusal) { core.tally.refused(refusal); };
    callers.on_seen = session_writer(core.committer);
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
