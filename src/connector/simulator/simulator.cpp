#include "connector/simulator/simulator.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/assert.hpp"
#include "base/mailbox.hpp"
#include "base/thread.hpp"
#include "connector/outcomes.hpp"
#include "connector/platform_errors.hpp"
#include "connector/simulator/attempt_log.hpp"
#include "connector/simulator/pictures.hpp"
#include "connector/simulator/recipients.hpp"
#include "connector/simulator/simulated_devices.hpp"
#include "model/texts.hpp"

namespace merpati::connector::simulator {
namespace {

class Simulator final : public Connector {
public:
    Simulator(const Clock& clock, Options options)
        : clock_(clock),
          options_(std::move(options)),
          box_(0),
          devices_(clock, [this](auto act) { later(options_.step, std::move(act)); }) {
        Capabilities capabilities;
        capabilities.pairing = pairing_methods();
        capabilities.typing = true;
        capabilities.recognises_repeats = options_.dedupe;
        capabilities.number_check = true;
        capabilities.media_fetch = true;
        capabilities.late_statuses = true;
        capabilities.window = options_.window;
        capabilities_ = std::make_shared<const Capabilities>(std::move(capabilities));
        devices_.on_connected = [this](model::PhoneNumber device) { tell_at_reconnect(device); };
    }
    ~Simulator() override { stop(); }

    CapabilitiesPtr capabilities() const override { return capabilities_; }
    model::DeviceState first_state(model::PhoneNumber device) const override {
        return default_pairing(device).empty() ? model::DeviceState::connected
                                               : model::DeviceState::disconnected;
    }

    Result<void> start(ConnectorEvents& events, DeviceSecrets& secrets) override {
        events_ = &events;
        devices_.begin(events, secrets);
        if (!options_.log.empty()) {
            if (auto opened = log_.open(options_.log); !opened) {
                return opened;
            }
            if (options_.dedupe) {
                auto sent = log_.read_sent();
                if (!sent) {
                    return pass(sent);
                }
                sent_ = std::move(sent->all);
                for (const auto& [device, message] : sent->reported_at_reconnect) {
                    reported_at_reconnect_[device].push_back(platform_id(message));
                }
            }
        }
        thread_ = start_thread("simulator", [this] { run(); });
        return {};
    }

    void stop() override {
        box_.close();
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    void start_device(const model::Device& device, std::string_view pairing_method) override {
        devices_.start(device, pairing_method);
    }
    void answer_pairing(model::PhoneNumber device, std::string_view answer,
                        Settled settled) override {
        settled(devices_.answer(device, answer));
    }
    void stop_device(model::PhoneNumber device) override { devices_.stop(device); }
    void forget_device(model::PhoneNumber device) override {
        devices_.forget(device);
        const std::lock_guard lock{reconnect_mutex_};
        reported_at_reconnect_.erase(device);
    }

    void send(const SendRequest& request) override {
        invariant(events_ != nullptr, "the simulator is started before it is sent to");
        Job job{.message = &request.message, .attempt = request.attempt, .file = request.file};
        if (!box_.closed() && options_.latency.count() == 0 && !log_.is_open()) {
            report(decide(job));
            return;
        }
        job.done_at = clock_.steady_now() + options_.latency;
        if (!box_.put_always(Job{job})) {
            report(down(job, model::details::simulator_closing));
        }
    }

    void fetch_media(MediaRequest request, MediaFetched done) override {
        later(options_.latency, [request = std::move(request), done = std::move(done)]() mutable {
            done(write_picture(request));
        });
    }
    void check_number(model::PhoneNumber device, std::string number, NumberChecked done) override {
        later(options_.latency, [this, device, number = std::move(number),
                                 done = std::move(done)]() mutable {
            done(devices_.is_connected(device)
                     ? is_registered(number)
                     : fail(ErrorCode::conflict, std::string{platform_errors::not_connected}));
        });
    }

private:
    /// One attempt in flight.
    struct Job {
        const model::Message* message = nullptr;
        std::uint32_t attempt = 1;
        const media::File* file = nullptr;
        SteadyTime done_at;

        [[nodiscard]] SendRequest request() const {
            return {.message = *message, .attempt = attempt, .file = file};
        }
    };
    /// A function that runs later.
    struct Act {
        SteadyTime at;
        std::move_only_function<void()> run;
    };
    using Work = std::variant<Job, Act>;

    /// The platform's answer to one attempt.
    struct Answer {
        Job job;
        Play play;
        bool logged = false;  // Whether the group that is written next has its line.
    };

    /// Work that waits on the simulator's thread.
    struct Waiting {
        std::deque<Job> jobs;  // In the order of their ends: the latency is the same for all.
        std::multimap<SteadyTime, Act> acts;

        [[nodiscard]] bool empty() const { return jobs.empty() && acts.empty(); }
        [[nodiscard]] SteadyTime next() const {
            const auto job = jobs.empty() ? SteadyTime::max() : jobs.front().done_at;
            return acts.empty() ? job : std::min(job, acts.begin()->first);
        }
    };

    void run() {
        std::vector<Work> arrived;
        Waiting waiting;
        for (;;) {
            const bool open =
                waiting.empty()
                    ? box_.take_all(arrived)
                    : box_.take_all_for(
                          arrived, std::chrono::ceil<Millis>(waiting.next() - clock_.steady_now()));
            for (auto& work : arrived) {
                if (auto* job = std::get_if<Job>(&work)) {
                    waiting.jobs.push_back(*job);
                } else {
                    auto& act = std::get<Act>(work);
                    waiting.acts.emplace(act.at, std::move(act));
                }
            }
            end_jobs(waiting.jobs, open);
            if (!open) {
                return;  // The remaining functions are not run.
            }
            while (!waiting.acts.empty() && waiting.acts.begin()->first <= clock_.steady_now()) {
                waiting.acts.extract(waiting.acts.begin()).mapped().run();
            }
        }
    }

    void end_jobs(std::deque<Job>& jobs, bool open) {
        std::vector<Answer> answers;
        const auto now = clock_.steady_now();
        while (!jobs.empty() && (!open || jobs.front().done_at <= now)) {
            answers.push_back(decide(jobs.front()));
            jobs.pop_front();
        }
        write(answers);
        for (auto& answer : answers) {
            report(std::move(answer));
        }
    }

    void later(Millis delay, std::move_only_function<void()> act) {
        box_.put_always(Act{.at = clock_.steady_now() + delay, .run = std::move(act)});
    }

    Answer decide(const Job& job) {
        const auto& message = *job.message;
        if (!devices_.is_connected(message.device)) {
            return down(job, model::details::device_not_connected);
        }
        if (const auto until = devices_.restrict_send(message.device, message.recipient)) {
            return {.job = job,
                    .play = {.outcome = {.kind = model::Outcome::Kind::restricted,
                                         .restricted_until = *until}}};
        }
        Answer answer{.job = job, .play = play(message, job.attempt, clock_.now())};
        if (options_.dedupe && sent_.contains(message.id)) {
            if (!answer.play.taken) {
                answer.play.outcome = taken(message);
            }
            return answer;
        }
        if (log_.is_open()) {
            log_.add(clock_.now(), job.request(),
                     answer.play.taken ? taken(message) : answer.play.outcome);
            answer.logged = true;
        }
        if (options_.dedupe && answer.play.taken) {
            sent_.insert(message.id);
        }
        return answer;
    }

    /// Writes the log. Attempts that could not be written are reported as passing failures.
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
                answer.play = {.outcome = unavailable()};
            }
        }
        // A repeat in the same group was recognised by a message that is now unsent.
        for (auto& answer : answers) {
            if (answer.play.taken && options_.dedupe && !sent_.contains(answer.job.message->id)) {
                answer.play = {.outcome = unavailable()};
            }
        }
    }

    static Answer down(const Job& job, std::string_view details) {
        return {.job = job, .play = {.outcome = device_down(details)}};
    }

    /// The message may be gone once its outcome is reported.
    void report(Answer answer) {
        const auto& message = *answer.job.message;
        const auto device = message.device;
        auto& play = answer.play;
        const bool is_named =
            !play.before.empty() || play.reported_at_reconnect || !play.after.empty();
        const auto id = is_named ? platform_id(message.id) : std::string{};
        for (auto& status : play.before) {
            report_status(device, id, std::move(status));
        }
        if (play.reported_at_reconnect) {
            const std::lock_guard lock{reconnect_mutex_};
            reported_at_reconnect_[device].push_back(id);
        }
        if (play.reply != Reply::none) {
            auto media = media_of(play.reply);
            const InboundMessage reply{
                .device = device,
                .platform_id = "sim-in-" + message.id.text(),
                .sender = message.recipient,
                .type = media ? "image" : "text",
                .text = play.reply == Reply::refusal ? "BERHENTI" : "Balasan: " + message.body,
                .media = std::move(media),
                .at = clock_.now()};
            for (int time = 0; time < 2; ++time) {  // Platforms repeat reports.
                later(options_.latency, [this, reply] { report_inbound(reply); });
            }
        }
        if (play.worker_dies) {
            devices_.lose_all();
        }
        events_->outcome(message.id, device, std::move(play.outcome));
        auto delay = Millis{0};
        for (auto& status : play.after) {
            delay += options_.latency;
            later(delay, [this, device, id, status = std::move(status)]() mutable {
                report_status(device, id, std::move(status));
            });
        }
    }

    void report_status(model::PhoneNumber device, const std::string& id,
                       const model::PlatformStatus& status) {
        LateStatus late{.device = device, .platform_id = id, .message = {}, .status = status};
        events_->late_status(std::move(late), [this, device, id, status](const Result<void>& done) {
            if (is_busy(done)) {
                later(options_.step, [=, this] { report_status(device, id, status); });
            }
        });
    }

    void report_inbound(const InboundMessage& message) {
        devices_.note_inbound(message.device, message.sender);
        events_->inbound(message, [this, message](const Result<void>& done) {
            if (is_busy(done)) {
                later(options_.step, [this, message] { report_inbound(message); });
            }
        });
    }

    static bool is_busy(const Result<void>& done) { return !done && is_passing(done.error().code); }

    /// Each id once; after a restart, those that the log has are reported again.
    void tell_at_reconnect(model::PhoneNumber device) {
        std::vector<std::string> ids;
        {
            const std::lock_guard lock{reconnect_mutex_};
            if (auto found = reported_at_reconnect_.extract(device); !found.empty()) {
                ids = std::move(found.mapped());
            }
        }
        for (const auto& id : ids) {
            later(options_.latency, [this, device, id] {
                report_status(device, id,
                              {.progress = model::Progress::sent,
                               .code = model::StatusCode::sent,
                               .details = {},
                               .at = clock_.now()});
            });
        }
    }

    const Clock& clock_;
    const Options options_;
    CapabilitiesPtr capabilities_;
    ConnectorEvents* events_ = nullptr;
    AttemptLog log_;
    std::unordered_set<Uuid> sent_;  // Only with `dedupe`.
    Mailbox<Work> box_;
    SimulatedDevices devices_;
    std::mutex reconnect_mutex_;
    std::unordered_map<model::PhoneNumber, std::vector<std::string>> reported_at_reconnect_;
    std::thread thread_;
};

}  // namespace

std::unique_ptr<Connector> make_simulator(const Clock& clock, Options options) {
    return std::make_unique<Simulator>(clock, std::move(options));
}

}  // namespace merpati::connector::simulator
