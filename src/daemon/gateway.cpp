#include "daemon/gateway.hpp"

#include <functional>
#include <thread>
#include <utility>
#include <variant>

#include "admission/caller_rights.hpp"
#include "admission/directory.hpp"
#include "admission/ownership.hpp"
#include "api/events/event_hub.hpp"
#include "api/idempotency_ledger.hpp"
#include "api/monitoring.hpp"
#include "api/routes.hpp"
#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "campaign/open_campaigns.hpp"
#include "config/address.hpp"
#include "daemon/account_keeper.hpp"
#include "daemon/call_rooms.hpp"
#include "daemon/campaign_rooms.hpp"
#include "daemon/entrances.hpp"
#include "daemon/figures.hpp"
#include "daemon/health.hpp"
#include "daemon/node.hpp"
#include "daemon/opened_store.hpp"
#include "daemon/options.hpp"
#include "daemon/publisher.hpp"
#include "daemon/sending_rooms.hpp"
#include "daemon/standby.hpp"
#include "daemon/tally.hpp"
#include "daemon/upkeep.hpp"
#include "outbound/address_policy.hpp"
#include "store/committer.hpp"
#include "store/reader_pool.hpp"
#include "telemetry/systemd_notify.hpp"

namespace merpati::daemon {

Pause never_stopped() {
    return [](std::chrono::milliseconds time) {
        std::this_thread::sleep_for(time);
        return false;
    };
}

/// Every room, in the order of their dependencies; destroyed in reverse.
class Gateway::Rooms {
public:
    Rooms(const Clock& clock, Random& random, const config::Settings& settings,
          const telemetry::Log& log, const Supervisor& supervisor, const OpenedStore& opened,
          store::Store& store, const Node* node, const Standby* standby)
        : clock_(clock),
          random_(random),
          settings_(settings),
          log_(log),
          node_(node),
          standby_(standby),
          queue_clock_(clock),
          store_(store),
          readers_(store_),
          ledger_(store_, readers_),
          ids_(queue_clock_, random, opened.last_sequence),
          policy_(opened.allowed),
          rights_(clock, directory_, session_limits(settings)),
          open_campaigns_(clock),
          events_(clock, random, settings.http.connections_max / 2,
                  [this](model::AccountId account) { return publisher_.credit_of(account); }),
          publisher_(events_, directory_, open_campaigns_, readers_),
          committer_(clock, store_, {},
                     [this](const Error& error) { end_process(log_, settings_.store, error); }),
          sending_(for_sending()),
          campaigns_(for_campaigns()),
          calls_(for_calls()),
          accounts_(for_accounts()),
          upkeep_(queue_clock_, store_.condition(), readers_, committer_, calls_.waiters,
                  sending_.late_statuses, sending_.lost_devices, sending_.restrictions,
                  UpkeepOptions::of(settings), log.in("upkeep")),
          health_(
              clock,
              {.store = [this](auto answer) { committer_.probe(std::move(answer)); },
               .scheduler = [this](auto answer) { sending_.scheduler.probe(std::move(answer)); },
               .store_trouble = [this] { return trouble_of(store_, committer_); }},
              health_options(supervisor.watchdog), log.in("health")),
          entrances_(clock, random, sending_.connectors,
                     standby == nullptr ? nullptr : &standby->secret(), settings, log) {
        opened.begin(queue_clock_);
        join();
        if (supervisor.watchdog) {
            health_.on_alive = [socket = supervisor.notify_socket] {
                telemetry::notify_systemd(socket, "WATCHDOG=1");
            };
        }
        route();
    }

    /// `before_listening` frees the addresses.
    Result<void> start(const std::function<void()>& before_listening) {
        if (auto loaded = accounts_.load(); !loaded) {
            return loaded;
        }
        committer_.start();
        if (auto started = sending_.start(); !started) {
            return started;
        }
        if (auto started = accounts_.start(); !started) {
            return started;
        }
        health_.connectors_started();
        health_.start();
        upkeep_.start();
        events_.start();
        calls_.start();
        before_listening();
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
        sending_.stop_fetching();
        events_.stop();               // Its streams never end by themselves.
        entrances_.drain(Millis{0});  // Begins the drain; the second call waits for it.
        campaigns_.stop();
        sending_.stop_sends(settings_.http.drain_timeout);
        calls_.waiters.release_all();  // Answers `pending` to requests whose outcome is not known.
        entrances_.drain(settings_.http.drain_timeout);
        sending_.stop_callbacks();
        calls_.stop();
        upkeep_.stop();
        health_.stop();
        entrances_.stop();
        committer_.stop();
        if (const auto moved = store_.checkpoint(); !moved) {
            log_.error("cannot move the log into the store", {{"why", moved.error().detail}});
        }
    }

    AccountKeeper& accounts() noexcept { return accounts_; }

private:
    SendingRooms::Rooms for_sending() {
        return {.clock = clock_,
                .queue_clock = queue_clock_,
                .random = random_,
                .ids = ids_,
                .may_begin = may_begin(node_),
                .store = store_,
                .committer = committer_,
                .directory = directory_,
                .ownership = ownership_,
                .policy = policy_,
                .open_campaigns = open_campaigns_,
                .publisher = publisher_,
                .on_finish = [this](store::Finish&& finish) { finished(std::move(finish)); },
                .on_withdrawn = [this](const auto& message) { campaigns_.ended(message); },
                .settings = settings_,
                .log = log_};
    }

    CampaignRooms::Rooms for_campaigns() {
        return {.clock = queue_clock_,
                .ids = ids_,
                .random = random_,
                .store = store_,
                .readers = readers_,
                .committer = committer_,
                .directory = directory_,
                .scheduler = sending_.scheduler,
                .connectors = sending_.connectors,
                .policy = policy_,
                .media_fetcher = sending_.media_fetcher,
                .open = open_campaigns_,
                .platform = sending_.platform_calls,
                .publisher = publisher_,
                .tally = tally_,
                .settings = settings_,
                .listening = [this] { return entrances_.addresses(); },
                .log = log_.in("campaign")};
    }

    CallRooms::Rooms for_calls() {
        return {.clock = clock_,
                .queue_clock = queue_clock_,
                .random = random_,
                .ids = ids_,
                .store = store_,
                .readers = readers_,
                .committer = committer_,
                .ledger = ledger_,
                .directory = directory_,
                .rights = rights_,
                .policy = policy_,
                .publisher = publisher_,
                .tally = tally_,
                .sending = sending_,
                .campaigns = campaigns_,
                .on_finish =
                    [this](store::Finish&& finish) {
                        finished(std::move(finish));
                        sending_.callbacks.batch_done();  // after_batch may have run.
                    },
                .listening = [this] { return entrances_.addresses(); },
                .settings = settings_,
                .log = log_};
    }

    AccountKeeper::Rooms for_accounts() {
        return {.readers = readers_,
                .committer = committer_,
                .directory = directory_,
                .ownership = ownership_,
                .open_campaigns = open_campaigns_,
                .campaigns = campaigns_,
                .scheduler = sending_.scheduler,
                .devices = sending_.keeper,
                .late_statuses = sending_.late_statuses,
                .sender = sending_.callbacks,
                .waiters = calls_.waiters,
                .events = events_};
    }

    /// Connects what the committer reports with the rooms that follow it.
    void join() {
        committer_.on_commit = std::bind_front(&Tally::committed, &tally_);
        committer_.on_row_changed = [this](store::RowChange&& change) {
            publisher_.row_changed(change);
            directory_.apply(change);
            accounts_.follow(change);
            if (auto* callback = std::get_if<model::Callback>(&change)) {
                sending_.callbacks.committed(std::move(*callback));
            }
        };
        committer_.after_batch = [this] {
            sending_.scheduler.batch_done();
            sending_.callbacks.batch_done();
            campaigns_.batch_done();
        };
    }

    void finished(store::Finish&& finish) {
        tally_.finished(finish.completion);
        publisher_.message(*finish.message, finish.completion.state);
        campaigns_.ended(*finish.message);
        if (finish.message->revision == model::Revision::b) {
            calls_.waiters.finished(*finish.message, finish.completion);
        }
        if (finish.callback) {
            sending_.callbacks.committed(std::move(*finish.callback));
        }
    }

    void route() {
        monitoring_ = monitoring_of({.clock = queue_clock_,
                                     .node = node_,
                                     .standby = standby_,
                                     .tally = tally_,
                                     .store = store_,
                                     .directory = directory_,
                                     .connectors = sending_.connectors,
                                     .committer = committer_,
                                     .scheduler = sending_.scheduler,
                                     .sender = sending_.callbacks,
                                     .server = entrances_.server(),
                                     .media_fetcher = sending_.media_fetcher,
                                     .events = events_,
                                     .open_campaigns = open_campaigns_,
                                     .campaigns = campaigns_},
                                    health_, settings_);
        entrances_.route({.authenticator = calls_.authenticator,
                          .callers = calls_.callers,
                          .send = calls_.send,
                          .bulk = calls_.bulk,
                          .device_addnew = calls_.device_addnew,
                          .monitoring = monitoring_,
                          .management = calls_.management,
                          .directory = directory_,
                          .rights = rights_,
                          .events = events_,
                          .opt_out_page = campaigns_.opt_out_page(),
                          .cloud_webhook = entrances_.cloud_webhook()});
    }

    const Clock& clock_;
    Random& random_;
    const config::Settings& settings_;
    const telemetry::Log& log_;
    const Node* const node_;
    const Standby* const standby_;
    Tally tally_;
    QueueClock queue_clock_;
    store::Store& store_;
    store::ReaderPool readers_;
    api::IdempotencyLedger ledger_;
    UuidSource ids_;
    outbound::AddressPolicy policy_;
    admission::Directory directory_;
    admission::Ownership ownership_;
    admission::CallerRights rights_;
    campaign::OpenCampaigns open_campaigns_;
    api::EventHub events_;
    Publisher publisher_;
    store::Committer committer_;
    SendingRooms sending_;
    CampaignRooms campaigns_;
    CallRooms calls_;
    AccountKeeper accounts_;
    Upkeep upkeep_;
    Health health_;
    api::Monitoring monitoring_;
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

Result<void> Gateway::start(const Pause& pause) {
    const auto options = served_store_options(settings_, log_.in("store"));
    auto opened = open_store_when_free(clock_, settings_, options, log_);
    if (!opened) {
        return pass(opened);
    }
    auto standby = start_standby(clock_, random_, settings_, log_);
    if (!standby) {
        return pass(standby);
    }
    standby_ = std::move(*standby);
    if (standby_ != nullptr) {
        standby_->settle(settings_);
    }
    auto node = enter_as_node(clock_, settings_, standby_.get(), log_, *opened, pause);
    if (!node) {
        return pass(node);
    }
    store_ = std::move(opened->store);
    node_ = std::move(*node);
    rooms_ = std::make_unique<Rooms>(clock_, random_, settings_, log_, supervisor_, *opened,
                                     *store_, node_.get(), standby_.get());
    return rooms_->start([this] {
        if (standby_ != nullptr) {
            standby_->retire();
        }
    });
}

void Gateway::stop() {
    if (node_ != nullptr) {
        node_->announce_leave();
    }
    if (standby_ != nullptr) {
        standby_->stop();
    }
    if (rooms_ != nullptr) {
        rooms_->stop();
    }
    if (node_ != nullptr) {
        node_->leave();  // Frees the accounts, as everything is written.
    }
    rooms_.reset();
    node_.reset();
    store_.reset();
}

AccountKeeper& Gateway::accounts() noexcept {
    return rooms_->accounts();
}

}  // namespace merpati::daemon
