#include "daemon/sending_rooms.hpp"

#include <utility>

#include "daemon/connectors.hpp"
#include "daemon/options.hpp"
#include "daemon/signing_secrets.hpp"

namespace merpati::daemon {
namespace {

constexpr std::chrono::seconds commit_drain{5};  // For reported outcomes that are not on disk yet.

}  // namespace

SendingRooms::SendingRooms(CoreRooms& core_rooms, Listeners given)
    : core(core_rooms),
      listeners(std::move(given)),
      notices(core.queue_clock, core.ids),
      media_fetcher(core.clock, core.policy, client_options(core.settings),
                    media_options(core.settings, core.log.in("media"))),
      connectors(make_connectors({.clock = core.clock,
                                  .random = core.random,
                                  .settings = core.settings,
                                  .may_begin = may_begin(core.node)},
                                 core.log)),
      callbacks(
          core.queue_clock, core.random, core.store, core.committer, core.policy,
          client_options(core.settings),
          [this](model::AccountId account) {
              return signing_secrets(core.directory, account, core.clock.now());
          },
          [this](model::AccountId account) {
              const auto entry = core.directory.find_account(account);
              return entry ? entry->account.callback_batch : std::nullopt;
          },
          options_of_callbacks()),
      scheduler(
          core.queue_clock, core.random, core.store, core.committer, connectors,
          [this](const auto& message, const auto& completion) {
              return notices.of_end(message, completion);
          },
          listeners.on_finish, options_of_scheduler()),
      late_statuses({.clock = core.queue_clock,
                     .random = core.random,
                     .notices = notices,
                     .committer = core.committer,
                     .ownership = core.ownership,
                     .retry = options_of_scheduler().retry_policy(),
                     .on_finish = listeners.on_finish,
                     .on_returned = devices::returns_to(scheduler),
                     .on_progress = core.publisher.progress_listener(),
                     .log = core.log.in("scheduler")}),
      lost_devices({.clock = core.queue_clock,
                    .notices = notices,
                    .committer = core.committer,
                    .log = core.log.in("device")}),
      restrictions({.clock = core.queue_clock,
                    .notices = notices,
                    .committer = core.committer,
                    .log = core.log.in("device")}),
      keeper({.clock = core.queue_clock,
              .ids = core.ids,
              .notices = notices,
              .connectors = connectors,
              .committer = core.committer,
              .directory = core.directory,
              .ownership = core.ownership,
              .scheduler = scheduler,
              .late_statuses = late_statuses,
              .lost_devices = lost_devices,
              .restrictions = restrictions,
              .on_pairing_step = core.publisher.pairing_listener(),
              .log = core.log.in("device")}),
      doors({.directory = core.directory,
             .ownership = core.ownership,
             .keeper = keeper,
             .committer = core.committer,
             .log = core.log.in("connector")}),
      platform_calls({.clock = core.queue_clock,
                      .connectors = connectors,
                      .media_fetcher = media_fetcher,
                      .bytes_max = core.settings.media.max_bytes,
                      .log = core.log.in("connector")}) {}

callback::Options SendingRooms::options_of_callbacks() {
    auto options = callback_options(core.settings, may_begin(core.node),
                                    core.publisher.attempt_listener(), core.log.in("callback"));
    options.starts_empty = core.ownership.here().empty();
    return options;
}

scheduler::Options SendingRooms::options_of_scheduler() {
    auto options = scheduler_options(core.settings, media_fetcher, core.log.in("scheduler"));
    options.may_begin = may_begin(core.node);
    options.starts_empty = core.ownership.here().empty();
    options.on_handed_over = [this](Timestamp by) { late_statuses.handed_over(by); };
    options.campaign_may_send = [this](auto id) { return core.open_campaigns.may_send(id); };
    options.campaign_is_open = [this](auto id) { return core.open_campaigns.find(id) != nullptr; };
    options.on_withdrawn = listeners.on_withdrawn;
    return options;
}

Result<void> SendingRooms::start() {
    connectors.start([this](std::string_view name) { return doors.of(name); },
                     start_failure_listener(core.log));
    if (auto started = callbacks.start(); !started) {
        return started;
    }
    if (auto started = media_fetcher.start(); !started) {
        return started;
    }
    return scheduler.start();
}

void SendingRooms::stop_sends(std::chrono::milliseconds patience) {
    scheduler.drain(patience);
    connectors.stop();
    scheduler.stop(commit_drain);
}

void SendingRooms::stop_callbacks() {
    callbacks.stop(core.settings.callback.timeout + commit_drain);
}

}  // namespace merpati::daemon
