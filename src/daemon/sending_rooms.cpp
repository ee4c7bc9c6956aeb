#include "daemon/sending_rooms.hpp"

#include <utility>

#include "daemon/connectors.hpp"
#include "daemon/options.hpp"
#include "daemon/signing_secrets.hpp"

namespace merpati::daemon {
namespace {

constexpr std::chrono::seconds commit_drain{5};  // For reported outcomes that are not on disk yet.

}  // namespace

SendingRooms::SendingRooms(Rooms given)
    : rooms(std::move(given)),
      notices(rooms.queue_clock, rooms.ids),
      media_fetcher(rooms.clock, rooms.policy, client_options(rooms.settings),
                    media_options(rooms.settings, rooms.log.in("media"))),
      connectors(make_connectors(rooms.clock, rooms.random, rooms.settings, rooms.log)),
      callbacks(
          rooms.queue_clock, rooms.random, rooms.store, rooms.committer, rooms.policy,
          client_options(rooms.settings),
          [this](model::AccountId account) {
              return signing_secrets(rooms.directory, account, rooms.clock.now());
          },
          [this](model::AccountId account) {
              const auto entry = rooms.directory.find_account(account);
              return entry ? entry->account.callback_batch : std::nullopt;
          },
          options_of_callbacks()),
      scheduler(
          rooms.queue_clock, rooms.random, rooms.store, rooms.committer, connectors,
          [this](const auto& message, const auto& completion) {
              return notices.of_end(message, completion);
          },
          rooms.on_finish, options_of_scheduler()),
      late_statuses({.clock = rooms.queue_clock,
                     .random = rooms.random,
                     .notices = notices,
                     .committer = rooms.committer,
                     .ownership = rooms.ownership,
                     .retry = options_of_scheduler().retry_policy(),
                     .on_finish = rooms.on_finish,
                     .on_returned = devices::returns_to(scheduler),
                     .on_progress = rooms.publisher.progress_listener(),
                     .log = rooms.log.in("scheduler")}),
      lost_devices({.clock = rooms.queue_clock,
                    .notices = notices,
                    .committer = rooms.committer,
                    .log = rooms.log.in("device")}),
      restrictions({.clock = rooms.queue_clock,
                    .notices = notices,
                    .committer = rooms.committer,
                    .log = rooms.log.in("device")}),
      keeper({.clock = rooms.queue_clock,
              .ids = rooms.ids,
              .notices = notices,
              .connectors = connectors,
              .committer = rooms.committer,
              .directory = rooms.directory,
              .ownership = rooms.ownership,
              .scheduler = scheduler,
              .late_statuses = late_statuses,
              .lost_devices = lost_devices,
              .restrictions = restrictions,
              .on_pairing_step = rooms.publisher.pairing_listener(),
              .log = rooms.log.in("device")}),
      doors({.directory = rooms.directory,
             .ownership = rooms.ownership,
             .keeper = keeper,
             .committer = rooms.committer,
             .log = rooms.log.in("connector")}),
      platform_calls({.clock = rooms.queue_clock,
                      .connectors = connectors,
                      .media_fetcher = media_fetcher,
                      .bytes_max = rooms.settings.media.max_bytes,
                      .log = rooms.log.in("connector")}) {}

callback::Options SendingRooms::options_of_callbacks() {
    auto options = callback_options(rooms.settings, rooms.may_begin,
                                    rooms.publisher.attempt_listener(), rooms.log.in("callback"));
    options.starts_empty = rooms.ownership.here().empty();
    return options;
}

scheduler::Options SendingRooms::options_of_scheduler() {
    auto options = scheduler_options(rooms.settings, media_fetcher, rooms.log.in("scheduler"));
    options.may_begin = rooms.may_begin;
    options.starts_empty = rooms.ownership.here().empty();
    options.on_handed_over = [this](Timestamp by) { late_statuses.handed_over(by); };
    options.campaign_may_send = [this](auto id) { return rooms.open_campaigns.may_send(id); };
    options.on_withdrawn = rooms.on_withdrawn;
    return options;
}

Result<void> SendingRooms::start() {
    connectors.start([this](std::string_view name) { return doors.of(name); },
                     start_failure_listener(rooms.log));
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
    callbacks.stop(rooms.settings.callback.timeout + commit_drain);
}

}  // namespace merpati::daemon
