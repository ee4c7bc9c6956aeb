#include "connector/simulator/simulator.hpp"

#include <deque>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "base/assert.hpp"
#include "base/mailbox.hpp"
#include "base/thread.hpp"
#include "connector/simulator/attempt_log.hpp"
#include "connector/simulator/recipients.hpp"

namespace merpati::connector::simulator {

class Simulator::Impl {
public:
    Impl(const Clock& clock, Options options)
        : clock_(clock), options_(std::move(options)), box_(0) {
        Capabilities capabilities;
        capabilities.typing = true;
        capabilities.recognises_repeats = options_.dedupe;
        capabilities.number_check = true;
        capabilities.window = options_.window;
        capabilities_ = std::make_shared<const Capabilities>(std::move(capabilities));
    }

    /// One attempt under way.
    struct Job {
        const model::Message* message = nullptr;
        std::uint32_t attempt = 1;
        const media::File* file = nullptr;
        SteadyTime done_at;

        [[nodiscard]] SendRequest request() const {
            return {.message = *message, .attempt = attempt, .file = file};
        }
    };

    Result<void> start(ConnectorEvents& events) {
        events_ = &events;
        if (!options_.log.empty()) {
            if (auto opened = log_.open(options_.log); !opened) {
                return opened;
            }
            if (options_.dedupe) {
                auto sent = log_.read_sent();
                if (!sent) {
                    return pass(sent);
                }
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
        invariant(events_ != nullptr, "the simulator is started before it is sent to");
        const Job job{.message = &request.message,
                      .attempt = request.attempt,
                      .file = request.file,
                      .done_at = clock_.steady_now() + options_.latency};
        if (!threaded()) {
            report(decide(job));
        } else if (!box_.put_always(Job{job})) {
            report({.job = job, .outcome = down("Simulator berhenti")});  // It was stopped.
        }
    }

    void set_connected(model::PhoneNumber device, bool connected) {
        invariant(events_ != nullptr, "the simulator is started before its devices are");
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
            connected ? "" : std::string{model::disconnected_by_request},
            [](const Result<void>&) {});
    }

    CapabilitiesPtr capabilities() const { return capabilities_; }

private:
    [[nodiscard]] bool threaded() const { return options_.latency.count() > 0 || log_.is_open(); }

    /// The platform's answer to one attempt.
    struct Answer {
        Job job;
        model::Outcome outcome;
        bool logged = false;  // A line of the group that is about to be written speaks of it.
    };

    // The latency is the same for all, so jobs end in the order in which they came.
    void run() {
        std::vector<Job> arrived;
        std::deque<Job> waiting;
        std::vector<Answer> answers;
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
            while (!waiting.empty() && (!open || waiting.front().done_at <= now)) {
                answers.push_back(decide(waiting.front()));
                waiting.pop_front();
            }
            write(answers);
            for (auto& answer : answers) {
                report(std::move(answer));
            }
            answers.clear();
        }
    }

    Answer decide(const Job& job) {
        const auto& message = *job.message;
        {
            const std::lock_guard lock{devices_mutex_};
            if (!connected_.contains(message.device)) {
                return {.job = job, .outcome = down("Perangkat tidak terhubung")};
            }
        }
        if (options_.dedupe && sent_.contains(message.id)) {
            return {.job = job, .outcome = accepted(message)};
        }
        Answer answer{.job = job, .outcome = judge(message, job.attempt)};
        if (log_.is_open()) {
            log_.add(clock_.now(), job.request(), answer.outcome);
            answer.logged = true;
        }
        if (options_.dedupe && answer.outcome.kind == model::Outcome::Kind::sent) {
            sent_.insert(message.id);
        }
        return answer;
    }

    /// What could not be written down did not happen: it is reported as a passing failure.
    void write(std::vector<Answer>& answers) {
        if (!log_.is_open()) {
            return;
        }
        const auto written = log_.write();
        if (written) {
            return;
        }
        if (options_.on_trouble) {
            options_.on_trouble(written.error().detail);
        }
        for (auto& answer : answers) {
            if (answer.logged) {
                sent_.erase(answer.job.message->id);
                answer.outcome = unavailable();
            }
        }
        // Repeats of what is in the same group were recognised too early.
        for (auto& answer : answers) {
            if (answer.outcome.kind == model::Outcome::Kind::sent && options_.dedupe &&
                !sent_.contains(answer.job.message->id)) {
                answer.outcome = unavailable();
            }
        }
    }

    static model::Outcome down(const char* details) {
        return {.kind = model::Outcome::Kind::device_down, .details = details};
    }

    void report(Answer answer) {
        const auto& message = *answer.job.message;
        events_->outcome(message.id, message.device, std::move(answer.outcome));
    }

    const Clock& clock_;
    const Options options_;
    CapabilitiesPtr capabilities_;
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

CapabilitiesPtr Simulator::capabilities() const {
    return impl_->capabilities();
}
model::DeviceState Simulator::first_state(model::PhoneNumber) const {
    return model::DeviceState::connected;
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
void Simulator::answer_pairing(model::PhoneNumber, std::string_view) {
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
