#include "daemon/gateway.hpp"

#include "admission/admission.hpp"
#include "api/authenticator.hpp"
#include "api/callers.hpp"
#include "api/device_addnew.hpp"
#include "api/manage/engine/manage.hpp"
#include "api/manage/engine/service.hpp"
#include "api/monitoring.hpp"
#include "api/routes.hpp"
#include "api/send/bulk.hpp"
#include "api/send/send.hpp"
#include "base/uuid.hpp"
#include "callback/sender.hpp"
#include "config/address.hpp"
#include "daemon/account_keeper.hpp"
#include "daemon/campaign_rooms.hpp"
#include "daemon/connectors.hpp"
#include "daemon/controls.hpp"
#include "daemon/entrances.hpp"
#include "daemon/figures.hpp"
#include "daemon/health.hpp"
#include "daemon/opened_store.hpp"
#include "daemon/options.hpp"
#include "daemon/publisher.hpp"
#include "daemon/sign_in.hpp"
#include "daemon/signing_secrets.hpp"
#include "daemon/tally.hpp"
#include "daemon/upkeep.hpp"
#include "devices/connector_door.hpp"
#include "devices/keeper.hpp"
#include "devices/late_statuses.hpp"
#include "devices/notices.hpp"
#include "devices/platform_calls.hpp"
#include "media/media_fetcher.hpp"
#include "store/reader_pool.hpp"
#include "telemetry/systemd_notify.hpp"

namespace merpati::daemon {

/// Every room, in the order of their dependencies; destroyed in reverse.
class Gateway::Rooms {
    /// For reported outcomes that are not on disk yet.
    static constexpr std::chrono::seconds commit_drain{5};

public:
    Rooms(const Clock& clock, Random& random, const config::Settings& settings,
          const telemetry::Log& log, const Supervisor& supervisor, OpenedStore opened)
        : settings_(settings),
          log_(log),
          queue_clock_(clock),
          store_(std::move(opened.store)),
          readers_(*store_),
          ids_(queue_clock_, random, opened.last_sequence),
          notices_(queue_clock_, ids_),
          policy_(std::move(opened.allowed)),
          rights_(clock, directory_, session_limits(settings)),
          ledger_(*store_, readers_),
          idempotency_(ledger_, readers_, rights_),
          authenticator_(queue_clock_, directory_, idempotency_, authenticator_options(settings)),
          callers_(clock, directory_, app_address(settings), session_limits(settings),
                   settings.api.rate),
          media_fetcher_(clock, policy_, client_options(settings),
                         media_options(settings, log.in("media"))),
          connectors_(make_connectors(clock, random, settings, log)),
          events_(clock, random, settings.http.connections_max / 2,
                  [this](model::AccountId account) { return publisher_.credit_of(account); }),
          open_campaigns_(clock),
          publisher_(events_, directory_, open_campaigns_, readers_),
          committer_(clock, *store_, {}, [log](const Error& error) { end_process(log, error); }),
          sender_(
              queue_clock_, random, *store_, committer_, policy_, client_options(settings),
              [this, &clock](model::AccountId account) {
                  return signing_secrets(directory_, account, clock.now());
              },
              [this](model::AccountId account) {
                  const auto entry = directory_.find_account(account);
                  return entry ? entry->account.callback_batch : std::nullopt;
              },
              callback_options(settings, publisher_.attempt_listener(), log.in("callback"))),
          waiters_(committer_),
          scheduler_(
              queue_clock_, random, *store_, committer_, connectors_,
              [this](const auto& message, const auto& completion) {
                  return notices_.of_end(message, completion);
              },
              [this](store::Finish&& finish) { finished(std::move(finish)); },
              scheduler_options_of(settings, log)),
          late_statuses_(
              {.clock = queue_clock_,
               .random = random,
               .notices = notices_,
               .committer = committer_,
               .retry = scheduler_options(settings, media_fetcher_, log).retry_policy(),
               .on_finish = [this](store::Finish&& finish) { finished(std::move(finish)); },
               .on_returned = devices::returns_to(scheduler_),
               .on_progress = publisher_.progress_listener(),
               .log = log.in("scheduler")}),
          lost_devices_({.clock = queue_clock_,
                         .notices = notices_,
                         .committer = committer_,
                         .log = log.in("device")}),
          restrictions_({.clock = queue_clock_,
                         .notices = notices_,
                         .committer = committer_,
                         .log = log.in("device")}),
          keeper_({.clock = queue_clock_,
                   .ids = ids_,
                   .notices = notices_,
                   .connectors = connectors_,
                   .committer = committer_,
                   .directory = directory_,
                   .ownership = ownership_,
                   .scheduler = scheduler_,
                   .late_statuses = late_statuses_,
                   .lost_devices = lost_devices_,
                   .restrictions = restrictions_,
                   .on_pairing_step = publisher_.pairing_listener(),
                   .log = log.in("device")}),
          doors_({.directory = directory_,
                  .ownership = ownership_,
                  .keeper = keeper_,
                  .committer = committer_,
                  .log = log.in("connector")}),
          admission_({.clock = queue_clock_,
                      .random = random,
                      .directory = directory_,
                      .policy = policy_,
                      .connectors = connectors_,
                      .condition = store_->condition()},
                     admission_options(settings)),
          intake_({.clock = queue_clock_,
                   .ids = ids_,
                   .directory = directory_,
                   .rights = rights_,
                   .admission = admission_,
                   .media_fetcher = media_fetcher_,
                   .committer = committer_,
                   .scheduler = scheduler_}),
          send_({.clock = queue_clock_,
                 .intake = intake_,
                 .idempotency = idempotency_,
                 .waiters = waiters_},
                send_options(settings)),
          bulk_({.clock = queue_clock_,
                 .directory = directory_,
                 .rights = rights_,
                 .intake = intake_,
                 .readers = readers_,
                 .idempotency = ledger_,
                 .committer = committer_},
                bulk_options(settings)),
          device_addnew_({.clock = clock,
                          .directory = directory_,
                          .rights = rights_,
                          .idempotency = idempotency_,
                          .policy = policy_,
                          .devices = keeper_,
                          .committer = committer_},
                         device_options(settings)),
          running_messages_({.clock = clock,
                             .notices = notices_,
                             .committer = committer_,
                             .scheduler = scheduler_,
                             .directory = directory_,
                             .intake = intake_,
                             .default_rate = settings.api.rate,
                             .on_finish =
                                 [this](store::Finish&& finish) {
                                     finished(std::move(finish));
                                     sender_.batch_done();  // after_batch may have run.
                                 }}),
          platform_calls_({.clock = queue_clock_,
                           .connectors = connectors_,
                           .media_fetcher = media_fetcher_,
                           .bytes_max = settings.media.max_bytes,
                           .log = log.in("connector")}),
          running_callbacks_(sender_, ids_, queue_clock_),
          sign_in_(
              random, settings, [this] { return entrances_.addresses(); }, tally_,
              log.in("people")),
          campaigns_({.clock = queue_clock_,
                      .ids = ids_,
                      .random = random,
                      .store = *store_,
                      .readers = readers_,
                      .committer = committer_,
                      .directory = directory_,
                      .scheduler = scheduler_,
                      .connectors = connectors_,
                      .policy = policy_,
                      .media_fetcher = media_fetcher_,
                      .open = open_campaigns_,
                      .platform = platform_calls_,
                      .publisher = publisher_,
                      .tally = tally_,
                      .settings = settings,
                      .listening = [this] { return entrances_.addresses(); },
                      .log = log.in("campaign")}),
          accounts_({.readers = readers_,
                     .committer = committer_,
                     .directory = directory_,
                     .ownership = ownership_,
                     .open_campaigns = open_campaigns_,
                     .campaigns = campaigns_,
                     .scheduler = scheduler_,
                     .devices = keeper_,
                     .late_statuses = late_statuses_,
                     .sender = sender_,
                     .waiters = waiters_,
                     .events = events_}),
          manage_(
              {.clock = clock,
               .queue_clock = queue_clock_,
               .random = random,
               .store = *store_,
               .readers = readers_,
               .idempotency = ledger_,
               .change =
                   [this](auto change) { return committer_.change_and_wait(std::move(change)); },
               .directory = directory_,
               .rights = rights_,
               .policy = policy_,
               .callback_schemes = callback_schemes(settings),
               .version = MERPATI_VERSION,
               .default_connector = settings.devices.default_connector,
               .offered_connectors = settings.devices.offered_connectors,
               .on_fault =
                   [log = log.in("api")](const Error& error) {
                       log.error("a call failed", {{"why", error.describe()}});
                   },
               .people = sign_in_.rooms,
               .devices = keeper_,
               .platform = platform_calls_,
               .messages = running_messages_,
               .callbacks = running_callbacks_,
               .campaigns = campaigns_.for_calls()}),
          manage_service_(manage_, app_address(settings),
                          [log = log.in("api")](std::string_view forwarded) {
                              log.warn(
                                  "a proxy's X-Forwarded-For cannot be read: all its clients "
                                  "count as one",
                                  {{"address", forwarded}});
                          }),
          upkeep_(queue_clock_, store_->condition(), readers_, committer_, waiters_, late_statuses_,
                  lost_devices_, restrictions_, UpkeepOptions::of(settings), log.in("upkeep")),
          health_(clock,
                  {.store = [this](auto answer) { committer_.probe(std::move(answer)); },
                   .scheduler = [this](auto answer) { scheduler_.probe(std::move(answer)); },
                   .store_trouble = [this] { return trouble_of(*store_, committer_); }},
                  health_options(supervisor.watchdog), log.in("health")),
          entrances_(clock, random, connectors_, settings, log) {
        opened.begin(queue_clock_);
        join();
        if (supervisor.watchdog) {
            health_.on_alive = [socket = supervisor.notify_socket] {
                telemetry::notify_systemd(socket, "WATCHDOG=1");
            };
        }
        route();
    }

    Result<void> start() {
        if (auto loaded = accounts_.load(); !loaded) {
            return loaded;
        }
        committer_.start();
        connectors_.start([this](std::string_view name) { return doors_.of(name); },
                          [this](std::string_view name, const Error& error) {
                              log_.error(
                                  "a connector does not start; its devices stay disconnected",
                                  {{"connector", name}, {"why", error.detail}});
                          });
        if (auto started = sender_.start(); !started) {
            return started;
        }
        if (auto started = media_fetcher_.start(); !started) {
            return started;
        }
        if (auto started = scheduler_.start(); !started) {
            return started;
        }
        if (auto started = accounts_.start(); !started) {
            return started;
        }
        health_.connectors_started();
        health_.start();
        upkeep_.start();
        events_.start();
        manage_service_.start();
        idempotency_.start();
        bulk_.start();
        if (auto up = entrances_.start(); !up) {
            return up;
        }
        if (auto started = campaigns_.start(); !started) {
            return started;
        }
        health_.enter(Health::Stage::serving);
        log_.info("using the store", {{"store", config::mask_password(settings_.store.url)},
                                      {"key_file", settings_.store.key_file->string()}});
        for (const auto& address : entrances_.addresses()) {
            log_.info("listening", {{"address", address}});
        }
        return {};
    }

    void stop() {
        health_.enter(Health::Stage::stopping);
        media_fetcher_.stop();        // First: requests that wait for it would delay the drain.
        events_.stop();               // Its streams never end by themselves.
        entrances_.drain(Millis{0});  // Begins the drain; the second call waits for it.
        campaigns_.stop();
        scheduler_.drain(settings_.http.drain_timeout);  // Waits for outcomes.
        connectors_.stop();  // Reports the remaining outcomes, as far as they are known.
        scheduler_.stop(commit_drain);
        waiters_.release_all();  // Answers `pending` to requests whose outcome is not known.
        entrances_.drain(settings_.http.drain_timeout);
        sender_.stop(settings_.callback.timeout + commit_drain);
        manage_service_.stop();
        idempotency_.stop();
        bulk_.stop();
        upkeep_.stop();
        health_.stop();
        entrances_.stop();
        committer_.stop();
        if (const auto moved = store_->checkpoint(); !moved) {
            log_.error("cannot move the log into the store", {{"why", moved.error().detail}});
        }
    }

    AccountKeeper& accounts() noexcept { return accounts_; }

private:
    /// Connects what the committer and the operations report with the rooms that follow it.
    void join() {
        committer_.on_commit = std::bind_front(&Tally::committed, &tally_);
        committer_.on_row_changed = [this](store::RowChange&& change) {
            publisher_.row_changed(change);
            directory_.apply(change);
            accounts_.follow(change);
            if (auto* callback = std::get_if<model::Callback>(&change)) {
                sender_.committed(std::move(*callback));
            }
        };
        committer_.after_batch = [this] {
            scheduler_.batch_done();
            sender_.batch_done();
            campaigns_.batch_done();
        };
        intake_.on_accepted = [this](const model::Message& message) {
            tally_.accepted(message.revision);
            publisher_.message(message, model::MessageState::pending);
        };
        bulk_.on_fault =
            idempotency_.on_fault = [this](const Error& error) { manage_.report(error); };
        bulk_.on_refused =
            authenticator_.on_refused = [this](api::Refusal refusal) { tally_.refused(refusal); };
        callers_.on_seen = session_writer(committer_);
    }

    scheduler::Options scheduler_options_of(const config::Settings& settings,
                                            const telemetry::Log& log) {
        auto options = scheduler_options(settings, media_fetcher_, log.in("scheduler"));
        options.on_handed_over = [this](Timestamp by) { late_statuses_.handed_over(by); };
        options.campaign_may_send = [this](auto id) { return open_campaigns_.may_send(id); };
        options.on_withdrawn = [this](const auto& message) { campaigns_.ended(message); };
        return options;
    }

    void route() {
        monitoring_ = monitoring_of({.clock = queue_clock_,
                                     .tally = tally_,
                                     .store = *store_,
                                     .directory = directory_,
                                     .connectors = connectors_,
                                     .committer = committer_,
                                     .scheduler = scheduler_,
                                     .sender = sender_,
                                     .server = entrances_.server(),
                                     .media_fetcher = media_fetcher_,
                                     .events = events_,
                                     .open_campaigns = open_campaigns_,
                                     .campaigns = campaigns_},
                                    health_, settings_);
        entrances_.route({.authenticator = authenticator_,
                          .callers = callers_,
                          .send = send_,
                          .bulk = bulk_,
                          .device_addnew = device_addnew_,
                          .monitoring = monitoring_,
                          .management = manage_service_,
                          .directory = directory_,
                          .rights = rights_,
                          .events = events_,
                          .opt_out_page = campaigns_.opt_out_page(),
                          .cloud_webhook = entrances_.cloud_webhook()});
    }

    void finished(store::Finish&& finish) {
        tally_.finished(finish.completion);
        publisher_.message(*finish.message, finish.completion.state);
        campaigns_.ended(*finish.message);
        if (finish.message->revision == model::Revision::b) {
            waiters_.finished(*finish.message, finish.completion);
        }
        if (finish.callback) {
            sender_.committed(std::move(*finish.callback));
        }
    }

    const config::Settings& settings_;
    const telemetry::Log& log_;
    Tally tally_;
    QueueClock queue_clock_;
    std::unique_ptr<store::Store> store_;
    store::ReaderPool readers_;
    UuidSource ids_;
    devices::Notices notices_;
    outbound::AddressPolicy policy_;
    admission::Directory directory_;
    admission::Ownership ownership_;
    admission::CallerRights rights_;
    api::IdempotencyLedger ledger_;
    api::Idempotency idempotency_;
    api::Authenticator authenticator_;
    api::Callers callers_;
    media::MediaFetcher media_fetcher_;
    connector::Connectors connectors_;
    api::EventHub events_;
    campaign::OpenCampaigns open_campaigns_;
    Publisher publisher_;
    store::Committer committer_;
    callback::Sender sender_;
    api::OutcomeWaiters waiters_;
    scheduler::Scheduler scheduler_;
    devices::LateStatuses late_statuses_;
    devices::LostDevices lost_devices_;
    devices::Restrictions restrictions_;
    devices::DeviceKeeper keeper_;
    devices::ConnectorDoors doors_;
    admission::Admission admission_;
    api::Intake intake_;
    api::Send send_;
    api::Bulk bulk_;
    api::DeviceAddnew device_addnew_;
    RunningMessages running_messages_;
    devices::PlatformCalls platform_calls_;
    RunningCallbacks running_callbacks_;
    SignIn sign_in_;
    CampaignRooms campaigns_;
    AccountKeeper accounts_;
    api::manage::Manage manage_;
    api::manage::Service manage_service_;
    api::Monitoring monitoring_;
    Upkeep upkeep_;
    Health health_;
    Entrances entrances_;
};

Gateway::Gateway(const Clock& clock, Random& random, const config::Settings& settings,
                 Supervisor supervisor, telemetry::Log log)
    : clock_(clock),
      random_(random),
      settings_(settings),
      supervisor_(std::move(supervisor)),
      log_(std::move(log)) {}

Gateway::~Gateway() {
    stop();
}

Result<void> Gateway::start() {
    auto options = store_options(settings_);
    options.reserve_bytes = settings_.store.reserve_bytes;
    options.on_damage = [log = log_.in("store")](std::string_view place) {
        log.error("the store is damaged; the rest works (docs/operations.md, Damage)",
                  {{"place", place}});
    };
    auto opened = open_store_when_free(clock_, settings_, options, log_);
    if (!opened) {
        return pass(opened);
    }
    rooms_ =
        std::make_unique<Rooms>(clock_, random_, settings_, log_, supervisor_, std::move(*opened));
    return rooms_->start();
}

void Gateway::stop() {
    if (rooms_ != nullptr) {
        rooms_->stop();
        rooms_.reset();
    }
}

AccountKeeper& Gateway::accounts() noexcept {
    return rooms_->accounts();
}

}  // namespace merpati::daemon
