#include "connector/process/worker/worker_connector.hpp"

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <utility>

#include "connector/outcomes.hpp"
#include "connector/process/codec/platform_answer.hpp"
#include "connector/process/codec/send_answer.hpp"
#include "connector/process/codec/send_request.hpp"
#include "connector/process/worker/inbox.hpp"
#include "connector/process/worker/supervisor.hpp"
#include "connector/process/worker/worker_devices.hpp"
#include "model/texts.hpp"
#include "outbound/event_thread.hpp"
#include "outbound/periodic_timer.hpp"

namespace merpati::connector::process {
namespace {

namespace details = model::details;
namespace json = boost::json;

class SupervisedConnector final : public WorkerConnector {
public:
    SupervisedConnector(const Clock& clock, Random& random, Options options, telemetry::Log log)
        : clock_(clock),
          options_(std::move(options)),
          thread_(options_.name),
          timer_(thread_.executor(), options_.tick, [this] { return tick(); }),
          lines_(clock, log),
          capabilities_(std::make_shared<const Capabilities>(options_.expected)),
          devices_(clock, options_.starts_per_second),
          supervisor_(clock, random, options_, lines_, std::move(log),
                      {.on_ready = [this](Hello&& hello) { worker_ready(std::move(hello)); },
                       .on_frame = [this](Frame&& frame) { inbox_->take(std::move(frame)); },
                       .on_gone = [this](bool cannot_start) { worker_gone(cannot_start); },
                       .on_due = [this] { (void)thread_.post([this] { tick(); }); }}) {}
    ~SupervisedConnector() override { stop(); }

    Result<void> start(ConnectorEvents& events, DeviceSecrets& secrets) override {
        events_ = &events;
        secrets_ = &secrets;
        devices_.begin(events);
        thread_.start();
        (void)thread_.post([this] {
            if (!options_.on_demand) {
                supervisor_.want();
            }
            tick();
            timer_.start();
        });
        return {};
    }

    void stop() override {
        if (!thread_.is_running()) {
            return;
        }
        auto ended = ended_.get_future();
        closing_ = true;
        (void)thread_.post([this] {
            devices_.end();  // Ignores the states that the worker reports while it disconnects.
            supervisor_.stop();
            tick();
        });
        ended.wait_for(options_.shutdown_within + options_.killed_within);
        thread_.stop([this] {
            timer_.cancel();
            supervisor_.fail_all();  // The worker has not ended: its sends end as unknown.
            inbox_.reset();
        });
    }

    CapabilitiesPtr capabilities() const override {
        const std::lock_guard lock{mutex_};
        return capabilities_;
    }

    /// `connected` only if a worker runs and needs no pairing.
    model::DeviceState first_state(model::PhoneNumber /*device*/) const override {
        return has_worker_ && capabilities()->pairing.empty() ? model::DeviceState::connected
                                                              : model::DeviceState::disconnected;
    }

    bool has_worker() const override { return has_worker_; }
    std::string trouble() const override { return std::string{trouble_.load()}; }

    void start_device(const model::Device& device, std::string_view pairing_method) override {
        (void)thread_.post([this, device, method = std::string{pairing_method}] {
            devices_.start(device, method);
            supervisor_.want();
        });
    }
    void answer_pairing(model::PhoneNumber device, std::string_view answer,
                        Settled settled) override {
        (void)thread_.post(
            [this, device, answer = std::string{answer}, settled = std::move(settled)]() mutable {
                devices_.answer(device, answer, std::move(settled));
            });
    }
    void stop_device(model::PhoneNumber device) override {
        (void)thread_.post([this, device] { devices_.stop(device); });
    }
    bool keeps_secrets() const override { return true; }
    void settle_device(model::PhoneNumber device, Settled settled) override {
        auto waiting = std::make_shared<Settled>(std::move(settled));
        if (!thread_.post(
                [this, device, waiting] { devices_.settle(device, std::move(*waiting)); })) {
            (*waiting)(fail(ErrorCode::shutting_down, "the server is stopping"));
        }
    }
    void forget_device(model::PhoneNumber device) override {
        (void)thread_.post([this, device] { devices_.forget(device); });
    }
    void after_reports(std::move_only_function<void()> done) override {
        auto waiting = std::make_shared<std::move_only_function<void()>>(std::move(done));
        if (!thread_.post([waiting] { (*waiting)(); })) {
            (*waiting)();
        }
    }

    void fetch_media(MediaRequest request, MediaFetched done) override {
        ask_platform(
            "media.fetch", media_fields(request, options_.fetch_within), options_.fetch_within,
            [done = std::move(done)](const Frame* answer) mutable { done(fetched_bytes(answer)); });
    }
    void check_number(model::PhoneNumber device, std::string number, NumberChecked done) override {
        ask_platform("number.check", {{"device", device.text()}, {"number", std::move(number)}},
                     options_.answer_within, [done = std::move(done)](const Frame* answer) mutable {
                         done(is_registered(answer));
                     });
    }

    void send(const SendRequest& request) override {
        const auto id = request.message.id;
        const auto device = request.message.device;
        if (closing_ || !thread_.post([this, request] { give_to_worker(request); })) {
            events_->outcome(id, device, device_down(details::connector_closing));
        }
    }

private:
    /// Asks the worker; without one, calls `done` with null.
    void ask_platform(std::string_view op, json::object fields, Millis within,
                      Worker::Answered done) {
        auto asked = std::make_shared<Worker::Answered>(std::move(done));
        const bool given =
            thread_.post([this, op, fields = std::move(fields), within, asked]() mutable {
                if (const auto worker = supervisor_.worker()) {
                    worker->ask(op, std::move(fields), within, std::move(*asked));
                } else {
                    (*asked)(nullptr);
                }
            });
        if (!given) {
            (*asked)(nullptr);
        }
    }

    /// `request` stays valid until its outcome is reported.
    void give_to_worker(const SendRequest& request) {
        const auto id = request.message.id;
        const auto device = request.message.device;
        const auto worker = supervisor_.worker();
        if (worker == nullptr || !devices_.is_started(device)) {
            events_->outcome(
                id, device,
                device_down(worker == nullptr && closing_ ? details::connector_closing
                                                          : details::device_not_connected));
            return;
        }
        if (worker->is_crowded()) {
            events_->outcome(id, device, worker_crowded());
            return;
        }
        worker->ask("send", send_fields(request), options_.send_within,
                    [this, id, device, asked = worker.get()](const Frame* answer) {
                        auto outcome = answer != nullptr
                                           ? outcome_of(*answer)
                                           : unknown_outcome(details::connector_silent);
                        outcome.crashed = answer == nullptr && asked->has_ended() && !closing_;
                        events_->outcome(id, device, std::move(outcome));
                    });
    }

    void worker_ready(Hello&& hello) {
        const auto worker = supervisor_.worker();
        inbox_ = std::make_shared<Inbox>(Inbox::Rooms{
            .clock = clock_,
            .thread = thread_,
            .events = *events_,
            .secrets = *secrets_,
            .devices = devices_,
            .lines = lines_,
            .generations = hello.generations,
            .worker = worker,
            .on_capabilities = [this](Capabilities&& next) { replace(std::move(next)); }});
        replace(std::move(hello.capabilities));
        has_worker_ = true;
        trouble_ = "";
        devices_.worker_ready(
            [this](std::string_view op, boost::json::object fields, Worker::Answered done) {
                if (const auto running = supervisor_.worker()) {
                    running->ask(op, std::move(fields), options_.answer_within, std::move(done));
                } else {
                    done(nullptr);
                }
            });
    }

    void worker_gone(bool cannot_start) {
        has_worker_ = false;
        trouble_ = cannot_start ? "its worker cannot be started" : "its worker is gone";
        devices_.worker_gone(cannot_start);
    }

    void replace(Capabilities&& next) {
        {
            const std::lock_guard lock{mutex_};
            capabilities_ = std::make_shared<const Capabilities>(std::move(next));
        }
        events_->capabilities_changed();
    }

    bool tick() {
        supervisor_.tick(thread_.executor());
        if (supervisor_.is_silent()) {
            trouble_ = "its worker does not answer since its start";
        }
        devices_.tick();
        lines_.tell_left_out();
        if (supervisor_.is_stopped() && !std::exchange(has_ended_, true)) {
            ended_.set_value();
        }
        return true;
    }

    const Clock& clock_;
    const Options options_;
    outbound::EventThread thread_;
    outbound::PeriodicTimer timer_;
    LineLimit lines_;
    ConnectorEvents* events_ = nullptr;
    DeviceSecrets* secrets_ = nullptr;
    mutable std::mutex mutex_;
    CapabilitiesPtr capabilities_;
    std::atomic<bool> has_worker_{false};
    std::atomic<const char*> trouble_{""};
    std::atomic<bool> closing_{false};
    WorkerDevices devices_;
    std::shared_ptr<Inbox> inbox_;
    std::promise<void> ended_;
    bool has_ended_ = false;
    Supervisor supervisor_;
};

}  // namespace

std::unique_ptr<WorkerConnector> make_worker_connector(const Clock& clock, Random& random,
                                                       Options options, telemetry::Log log) {
    return std::make_unique<SupervisedConnector>(clock, random, std::move(options), std::move(log));
}

}  // namespace merpati::connector::process
