#include "daemon/gateway.hpp"

#include <functional>
#include <thread>
#include <utility>
#include <variant>

#include "admission/admission.hpp"
#include "api/monitoring.hpp"
#include "api/routes.hpp"
#include "config/address.hpp"
#include "daemon/account_keeper.hpp"
#include "daemon/call_rooms.hpp"
#include "daemon/campaign_rooms.hpp"
#include "daemon/core_rooms.hpp"
#include "daemon/entrances.hpp"
#include "daemon/figures.hpp"
#include "daemon/foreign_rows.hpp"
#include "daemon/front.hpp"
#include "daemon/health.hpp"
#include "daemon/node.hpp"
#include "daemon/opened_store.hpp"
#include "daemon/options.hpp"
#include "daemon/queue_time.hpp"
#include "daemon/sending_rooms.hpp"
#include "daemon/upkeep.hpp"
#include "intake/intake.hpp"
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
          const telemetry::Log& log, const ServiceManager& service_manager,
          const OpenedStore& opened, store::Store& store, Node* node, Front* front)
        : front_(front),
          core_(clock, random, settings, log, opened, store, node),
          sending_(core_,
                   {.on_finish = [this](store::Finish&& finish) { finished(std::move(finish)); },
                    .on_withdrawn = [this](const auto& message) { campaigns_.ended(message); }}),
          admission_(for_admission(), admission_options(settings)),
          intake_(for_intake()),
          campaigns_(core_, sending_, intake_, [this] { return entrances_.addresses(); }),
          calls_(core_, sending_, campaigns_, intake_, hooks_of_calls()),
          accounts_(core_, sending_, campaigns_, calls_.waiters,
                    [this] {
                        return foreign_rows_ == nullptr ? Result<void>{}
                                                        : foreign_rows_->catch_up();
                    }),
          upkeep_(core_, sending_, calls_.waiters),
          health_(
              clock,
              {.store = [this](auto answer) { core_.committer.probe(std::move(answer)); },
               .scheduler = [this](auto answer) { sending_.scheduler.probe(std::move(answer)); },
               .store_trouble =
                   [this] { return trouble_of(core_.store, core_.committer, core_.node); }},
              health_options(service_manager.watchdog), log.in("health")),
          entrances_(clock, random, sending_.connectors, front, settings, log) {
        if (opened.nodes != nullptr) {
            queue_time_ = std::make_unique<QueueTime>(core_.queue_clock, *opened.nodes);
        }
        follow_others();
        join();
        if (service_manager.watchdog) {
            health_.on_alive = [socket = service_manager.notify_socket] {
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
        core_.committer.start();
        if (foreign_rows_ != nullptr) {
            foreign_rows_->start();
        }
        if (queue_time_ != nullptr) {
            queue_time_->start(core_.settings.cluster.lease / 3);
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
        core_.events.start();
        calls_.start();
        if (auto up = entrances_.start(); !up) {
            return up;
        }
        if (auto started = campaigns_.start(); !started) {
            return started;
        }
        if (core_.is_together()) {
            core_.node->begin_moves(
                {.attach = [this](auto shards) { return accounts_.attach(shards); },
                 .detach = [this](auto shards,
                                  model::Leave how) { return accounts_.detach(shards, how); }});
        }
        health_.enter(Health::Stage::serving);
        core_.log.info("using the store",
                       {{"store", config::mask_password(core_.settings.store.url)},
                        {"key_file", core_.settings.store.key_file->string()}});
        for (const auto& address : entrances_.addresses()) {
            core_.log.info("listening", {{"address", address}});
        }
        return {};
    }

    void stop() {
        health_.enter(Health::Stage::stopping);
        sending_.stop_fetching();
        core_.events.stop();          // Its streams never end by themselves.
        entrances_.drain(Millis{0});  // Begins the drain; the second call waits for it.
        campaigns_.stop();
        sending_.stop_sends(core_.settings.http.drain_timeout);
        calls_.waiters.release_all();  // Answers `pending` to requests whose outcome is not known.
        entrances_.drain(core_.settings.http.drain_timeout);
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
        core_.committer.stop();
        if (const auto moved = core_.store.checkpoint(); !moved) {
            core_.log.error("cannot move the log into the store", {{"why", moved.error().detail}});
        }
    }

    AccountKeeper& accounts() noexcept { return accounts_; }

private:
    /// The directory follows what other nodes write, if they work at the same time.
    void follow_others() {
        auto* const journal = core_.is_together() ? core_.store.row_journal() : nullptr;
        if (journal == nullptr) {
            return;
        }
        foreign_rows_ = std::make_unique<ForeignRows>(ForeignRows::Rooms{
            .clock = core_.clock,
            .journal = *journal,
            .readers = core_.readers,
            .committer = core_.committer,
            .directory = core_.directory,
            .on_row_changed =
                [this](store::RowChange&& change) {
                    core_.directory.apply(change);
                    accounts_.follow(change);
                },
            .on_fenced =
                [this](const Error& error) { end_process(core_.log, core_.settings.store, error); },
            .log = core_.log.in("node")});
    }

    admission::Admission::Rooms for_admission() {
        return {.clock = core_.queue_clock,
                .random = core_.random,
                .directory = core_.directory,
                .policy = core_.policy,
                .connectors = sending_.connectors,
                .condition = core_.store.condition()};
    }

    intake::Intake::Rooms for_intake() {
        return {.clock = core_.queue_clock,
                .ids = core_.ids,
                .directory = core_.directory,
                .rights = core_.rights,
                .ownership = core_.ownership,
                .admission = admission_,
                .media_fetcher = sending_.media_fetcher,
                .committer = core_.committer,
                .scheduler = sending_.scheduler};
    }

    CallRooms::Hooks hooks_of_calls() {
        return {.on_finish =
                    [this](store::Finish&& finish) {
                        finished(std::move(finish));
                        sending_.callbacks.batch_done();  // after_batch may have run.
                    },
                .listening = [this] { return entrances_.addresses(); },
                .wait_for_others = core_.is_together()
                                       ? [this] { foreign_rows_->wait_for_others(); }
                                       : std::function<void()>{}};
    }

    /// Connects what the committer and the way in report with the rooms that follow it.
    void join() {
        intake_.on_accepted = [this](const model::Message& message) {
            core_.tally.accepted(message.revision);
            core_.publisher.message(message, model::MessageState::pending);
        };
        core_.committer.on_commit = std::bind_front(&Tally::committed, &core_.tally);
        core_.committer.on_row_changed = [this](store::RowChange&& change) {
            core_.publisher.row_changed(change);
            core_.directory.apply(change);
            accounts_.follow(change);
            if (auto* callback = std::get_if<model::Callback>(&change)) {
                sending_.callbacks.committed(std::move(*callback));
            }
        };
        core_.committer.after_batch = [this] {
            sending_.scheduler.batch_done();
            sending_.callbacks.batch_done();
            campaigns_.batch_done();
        };
    }

    void finished(store::Finish&& finish) {
        core_.tally.finished(finish.completion);
        core_.publisher.message(*finish.message, finish.completion.state);
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
            {.core = core_,
             .sending = sending_,
             .campaigns = campaigns_,
             .server = entrances_.server(),
             .passed_total = [front =
                                  front_] { return front == nullptr ? 0 : front->passed_total(); }},
            health_);
        entrances_.route({.authenticator = calls_.authenticator,
                          .callers = calls_.callers,
                          .send = calls_.send,
                          .bulk = calls_.bulk,
                          .device_addnew = calls_.device_addnew,
                          .monitoring = monitoring_,
                          .management = calls_.management,
                          .directory = core_.directory,
                          .rights = core_.rights,
                          .ownership = core_.ownership,
                          .events = core_.events,
                          .opt_out_page = campaigns_.opt_out_page(),
                          .cloud_webhook = entrances_.cloud_webhook()});
    }

    Front* const front_;
    CoreRooms core_;
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
                 ServiceManager service_manager, telemetry::Log log)
    : clock_(clock),
      random_(random),
      settings_(settings),
      service_manager_(std::move(service_manager)),
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
    rooms_ = std::make_unique<Rooms>(clock_, random_, settings_, log_, service_manager_, *opened,
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
