#include "connector/simulator/simulator.hpp"

#include <deque>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "base/mailbox.hpp"
#include "base/thread.hpp"
#include "connector/simulator/attempt_log.hpp"
#include "connector/simulator/recipients.hpp"

namespace merpati::connector::simulator {

class Simulator::Impl {
public:
    Impl(const Clock& clock, Options options)
        : clock_(clock), options_(std::move(options)), box_(0) {
        capabilities_.typing = true;
        capabilities_.recognises_repeats = options_.dedupe;
        capabilities_.number_check = true;
        capabilities_.window = options_.window;
    }

    /// One attempt under way.
    struct Job {
        const model::Message* message = nullptr;
        std::uint32_t attempt = 1;
        SteadyTime done_at;
    };

    Result<void> start(ConnectorEvents& events) {
        events_ = &events;
        if (!options_.log.empty()) {
            auto sent = log_.open(options_.log);
            if (!sent) {
                return pass(sent);
            }
            if (options_.dedupe) {
                sent_ = std::move(*sent);
            }
        }
        if (threaded()) {
            thread_ = start_thread("simulator", [this] { run(); });
        }
        return {};
    }

    void stop() {
        box_.close();
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    void send(const SendRequest& request) {
        Job job{.message = &request.message, .attempt = request.attempt, .done_at = {}};
        if (!threaded()) {
            report(job, decide(job));
            return;
        }
        job.done_at = clock_.steady_now() + options_.latency;
        box_.put_always(std::move(job));
    }

    void set_connected(model::PhoneNumber device, bool connected) {
        {
            const std::lock_guard lock{devices_mutex_};
            if (connected) {
                connected_.insert(device);
            } else {
                connected_.erase(device);
            }
        }
        events_->device_state(
            device, connected ? model::DeviceState::connected : model::DeviceState::disconnected,
            connected ? "" : "disconnected by request");
    }

    const Capabilities& capabilities() const { return capabilities_; }

private:
    [[nodiscard]] bool threaded() const { return options_.latency.count() > 0 || log_.is_open(); }

    // The latency is the same for all, so jobs end in the order in which they came.
    void run() {
        std::vector<Job> arrived;
        std::deque<Job> waiting;
        for (;;) {
            const bool open =
                waiting.empty()
                    ? box_.take_all(arrived)
                    : box_.take_all_for(arrived, std::chrono::ceil<Millis>(waiting.front().done_at -
                                                                           clock_.steady_now()));
            waiting.insert(waiting.end(), arrived.begin(), arrived.end());
            if (!open && waiting.empty()) {
                return;
            }
            const auto now = clock_.steady_now();
            std::vector<std::pair<Job, model::Outcome>> ended;
            while (!waiting.empty() && (!open || waiting.front().done_at <= now)) {
                const auto job = waiting.front();
                waiting.pop_front();
                ended.emplace_back(job, decide(job));
            }
            report_group(ended);
        }
    }

    model::Outcome decide(const Job& job) {
        const auto& message = *job.message;
        {
            const std::lock_guard lock{devices_mutex_};
            if (!connected_.contains(message.device)) {
                return {.kind = model::Outcome::Kind::device_down,
                        .details = "Perangkat tidak terhubung"};
            }
        }
        if (options_.dedupe && sent_.contains(message.id)) {
            return {.kind = model::Outcome::Kind::sent,
                    .code = model::StatusCode::sent,
                    .details = "Pesan terkirim",
                    .platform_id = platform_id(message.id)};
        }
        auto outcome = judge(message, job.attempt);
        if (log_.is_open()) {
            log_.add(clock_.now(), message, job.attempt, outcome);
        }
        if (options_.dedupe && outcome.kind == model::Outcome::Kind::sent) {
            sent_.insert(message.id);
        }
        return outcome;
    }

    void report_group(std::vector<std::pair<Job, model::Outcome>>& ended) {
        if (log_.is_open()) {
            if (const auto written = log_.write(); !written) {
                if (options_.on_trouble) {
                    options_.on_trouble(written.error().detail);
                }
                for (auto& [job, outcome] : ended) {
                    outcome = {.kind = model::Outcome::Kind::retry,
                               .code = model::StatusCode::failed,
                               .details = "Platform sedang tidak tersedia"};
                }
            }
        }
        for (auto& [job, outcome] : ended) {
            report(job, std::move(outcome));
        }
    }

    void report(const Job& job, model::Outcome outcome) {
        events_->outcome(job.message->id, job.message->device, std::move(outcome));
    }

    const Clock& clock_;
    const Options options_;
    Capabilities capabilities_;
    ConnectorEvents* events_ = nullptr;
    AttemptLog log_;
    std::unordered_set<Uuid> sent_;  // Only with `dedupe`.
    Mailbox<Job> box_;
    std::thread thread_;
    std::mutex devices_mutex_;
    std::unordered_set<model::PhoneNumber> connected_;
};

Simulator::Simulator(const Clock& clock, Options options)
    : impl_(std::make_unique<Impl>(clock, std::move(options))) {}
Simulator::~Simulator() {
    stop();
}

const Capabilities& Simulator::capabilities() const {
    return impl_->capabilities();
}
Result<void> Simulator::start(ConnectorEvents& events) {
    return impl_->start(events);
}
void Simulator::stop() {
    impl_->stop();
}

void Simulator::start_device(const model::Device& device, std::string_view) {
    impl_->set_connected(device.number, true);
}
void Simulator::answer_pairing(model::PhoneNumber, std::string_view, std::string_view) {
    // Nothing is ever asked.
}
void Simulator::stop_device(model::PhoneNumber device) {
    impl_->set_connected(device, false);
}
void Simulator::forget_device(model::PhoneNumber device) {
    impl_->set_connected(device, false);
}
void Simulator::send(const SendRequest& request) {
    impl_->send(request);
}

}  // namespace merpati::connector::simulator
