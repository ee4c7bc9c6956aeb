#include "daemon/gateway.hpp"

#include <functional>
#include <thread>
#include <utility>
#include <variant>

#include "admission/admission.hpp"
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
#include "daemon/foreign_rows.hpp"
#include "daemon/front.hpp"
#include "daemon/health.hpp"
#include "daemon/node.hpp"
#include "daemon/opened_store.hpp"
#include "daemon/options.hpp"
#include "daemon/publisher.hpp"
#include "daemon/queue_time.hpp"
#include "daemon/sending_rooms.hpp"
#include "daemon/tally.hpp"
#include "daemon/upkeep.hpp"
#include "intake/intake.hpp"
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
          store::Store& store, Node* node, Front* front)
        : clock_(clock),
          random_(random),
          settings_(settings),
          log_(log),
          node_(node),
          front_(front),
          queue_clock_(clock),
          store_(store),
          readers_(store_),
          ledger_(store_, readers_),
          ids_(queue_clock_, random, opened.last_sequence, slot_of(opened.nodes)),
          policy_(opened.allowed),
          ownership_(is_together() ? admission::Stay::elsewhere : admission::Stay::here),
          rights_(clock, directory_, session_limits(settings)),
          open_campaigns_(clock),
          events_(clock, random, settings.http.connections_max / 2,
                  [this](model::AccountId account) { return publisher_.credit_of(account); }),
          publisher_(events_, directory_, open_campaigns_, readers_),
          committer_(clock, store_, {},
                     [this](const Error& error) { end_process(log_, settings_.store, error); }),
          sending_(for_sending()),
          admission_(for_admission(), admission_options(settings)),
          intake_(for_intake()),
          campaigns_(for_campaigns()),
          calls_(for_calls()),
          accounts_(for_accounts()),
          upkeep_(queue_clock_, store_.condition(), readers_, committer_, ownership_,
                  calls_.waiters, sending_.late_statuses, sending_.lost_devices,
                  sending_.restrictions, UpkeepOptions::of(settings), log.in("upkeep")),
          health_(
              clock,
              {.store = [this](auto answer) { committer_.probe(std::move(answer)); },
               .scheduler = [this](auto answer) { sending_.scheduler.probe(std::move(answer)); },
               .store_trouble = [this] { return trouble_of(store_, committer_, node_); }},
              health_options(supervisor.watchdog), log.in("health")),
          entrances_(clock, random, sending_.connectors, front, settings, log) {
        opened.begin(queue_clock_);
        if (opened.nodes != nullptr) {
            queue_time_ = std::make_unique<QueueTime>(queue_clock_, *opened.nodes);
        }
        follow_others();
        join();
        if (supervisor.watchdog) {
            health_.on_alive = [socket = supervisor.notify_socket] {
                telemetry::notify_systemd(socket, "WATCHDOG=1");
            };
        }
        route();
    }

    Result<void> start() {
        if (foreign_rows_ != nullptr) {
            if (auto begun = foreign_rows_->begin(); !begun) {
                return begun;
            }
        }
        if (auto loaded = accounts_.load(); !loaded) {
            return loaded;
        }
        committer_.start();
        if (foreign_rows_ != nullptr) {
            foreign_rows_->start();
        }
        if (queue_time_ != nullptr) {
            queue_time_->start(settings_.cluster.lease / 3);
        }
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
        if (auto up = entrances_.start(); !up) {
            return up;
        }
        if (auto started = campaigns_.start(); !started) {
            return started;
        }
        if (is_together()) {
            node_->begin_moves(
                {.attach = [this](auto shards) { return accounts_.attach(shards); },
                 .detach = [this](auto shards,
                                  model::Leave how) { return accounts_.detach(shards, how); }});
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
        if (queue_time_ != nullptr) {
            queue_time_->stop();
        }
        if (foreign_rows_ != nullptr) {
            foreign_rows_->stop();
        }
        committer_.stop();
        if (const auto moved = store_.checkpoint(); !moved) {
            log_.error("cannot move the log into the store", {{"why", moved.error().detail}});
        }
    }

    AccountKeeper& accounts() noexcept { return accounts_; }

private:
    [[nodiscard]] bool is_together() const { return node_ != nullptr && node_->is_together(); }

    static std::optional<IdSlot> slot_of(const store::Nodes* nodes) {
        return nodes == nullptr ? std::nullopt : nodes->slot();
    }

    /// The directory follows what other nodes write, if they work at the same time.
    void follow_others() {
        auto* const journal = is_together() ? store_.row_journal() : nullptr;
        if (journal == nullptr) {
            return;
        }
        foreign_rows_ = std::make_unique<ForeignRows>(ForeignRows::Rooms{
            .clock = clock_,
            .journal = *journal,
            .readers = readers_,
            .committer = committer_,
            .directory = directory_,
            .on_row_changed =
                [this](store::RowChange&& change) {
                    directory_.apply(change);
                    accounts_.follow(change);
                },
            .on_fenced = [this](const Error& error) { end_process(log_, settings_.store, error); },
            .log = log_.in("node")});
    }

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

    admission::Admission::Rooms for_admission() {
        return {.clock = queue_clock_,
                .random = random_,
                .directory = directory_,
                .policy = policy_,
                .connectors = sending_.connectors,
                .condition = store_.condition()};
    }

    intake::Intake::Rooms for_intake() {
        return {.clock = queue_clock_,
                .ids = ids_,
                .directory = directory_,
                .rights = rights_,
                .ownership = ownership_,
                .admission = admission_,
                .media_fetcher = sending_.media_fetcher,
                .committer = committer_,
                .scheduler = sending_.scheduler};
    }

    CampaignRooms::Rooms for_campaigns() {
        return {.clock = queue_clock_,
                .ids = ids_,
                .random = random_,
                .store = store_,
                .readers = readers_,
                .committer = committer_,
                .directory = directory_,
                .ownership = ownership_,
                .scheduler = sending_.scheduler,
                .intake = intake_,
                .connectors = sending_.connectors,
                .policy = policy_,
                .media_fetcher = sending_.media_fetcher,
                .open = open_campaigns_,
                .platform = sending_.platform_calls,
                .publisher = publisher_,
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
                .ownership = ownership_,
                .policy = policy_,
                .intake = intake_,
                .tally = tally_,
                .sending = sending_,
                .campaigns = campaigns_,
                .on_finish =
                    [this](store::Finish&& finish) {
                        finished(std::move(finish));
                        sending_.callbacks.batch_done();  // after_batch may have run.
                    },
                .listening = [this] { return entrances_.addresses(); },
                .wait_for_others = is_together() ? [this] { foreign_rows_->wait_for_others(); }
                                                 : std::function<void()>{},
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
                .events = events_,
                .log = log_.in("node"),
                .catch_up = [this] {
                    return foreign_rows_ == nullptr ? Result<void>{} : foreign_rows_->catch_up();
                }};
    }

    /// Connects what the committer and the way in report with the rooms that follow it.
    void join() {
        intake_.on_accepted = [this](const model::Message& message) {
            tally_.accepted(message.revision);
            publisher_.message(message, model::MessageState::pending);
        };
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
        monitoring_ = monitoring_of(
            {.clock = queue_clock_,
             .node = node_,
             .passed_total = [front =
                                  front_] { return front == nullptr ? 0 : front->passed_total(); },
             .tally = tally_,
             .store = store_,
             .directory = directory_,
             .ownership = ownership_,
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
                          .ownership = ownership_,
                          .events = events_,
                          .opt_out_page = campaigns_.opt_out_page(),
                          .cloud_webhook = entrances_.cloud_webhook()});
    }

    const Clock& clock_;
    Random& random_;
    const config::Settings& settings_;
    const telemetry::Log& log_;
    Node* const node_;
    Front* const front_;
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
    admission::Admission admission_;
    intake::Intake intake_;
    CampaignRooms campaigns_;
    CallRooms calls_;
    AccountKeeper accounts_;
    std::unique_ptr<QueueTime> queue_time_;      // Null: no other process can share the store.
    std::unique_ptr<ForeignRows> foreign_rows_;  // Null: this node is alone.
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
    if (opened->nodes != nullptr) {
        auto front = start_front(clock_, random_, settings_, log_);
        if (!front) {
            return pass(front);
        }
        front_ = std::move(*front);
    }
    auto node = enter_as_node(clock_, settings_, contacts(), log_, *opened, pause);
    if (!node) {
        return pass(node);
    }
    store_ = std::move(opened->store);
    node_ = std::move(*node);
    rooms_ = std::make_unique<Rooms>(clock_, random_, settings_, log_, supervisor_, *opened,
                                     *store_, node_.get(), front_.get());
    return rooms_->start();
}

/// How other nodes reach this one, if they can.
NodeContacts Gateway::contacts() const {
    if (front_ == nullptr) {
        return {};
    }
    return {
        .address = front_->told_address(),
        .is_dead = [front = front_.get()](const store::Node& node) { return front->is_dead(node); },
        .on_owners = [front = front_.get()](
                         const auto& self, const auto& nodes,
                         const auto& owners) { front->note_owners(self, nodes, owners); }};
}

/// The other nodes are told first, so that they look for what becomes free.
void Gateway::stop() {
    if (node_ != nullptr) {
        node_->announce_leave();
    }
    if (rooms_ != nullptr) {
        rooms_->accounts().stop();
    }
    if (node_ != nullptr) {
        node_->end_moves();
    }
    if (rooms_ != nullptr) {
        rooms_->stop();
    }
    if (node_ != nullptr) {
        node_->leave();  // Frees the accounts, as everything is written.
    }
    rooms_.reset();
    node_.reset();
    front_.reset();
    store_.reset();
}

AccountKeeper& Gateway::accounts() noexcept {
    return rooms_->accounts();
}

}  // namespace merpati::daemon
