#include "connector/process/worker/worker.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "connector/process/program/child.hpp"
#include "connector/process/program/launched.hpp"

namespace merpati::connector::process {
namespace {

namespace json = boost::json;

constexpr Millis memory_every{2'000};

json::object hello_answer(const Options& options) {
    json::object config;
    for (const auto& [name, value] : options.config) {
        config[name] = value;
    }
    return {{"protocol", protocol_version},
            {"gateway", options.gateway_version},
            {"connector", options.name},
            {"config", std::move(config)},
            {"features", boost::json::array{"restricted"}},
            {"limits",
             {{"line_bytes", line_bytes_max},
              {"requests", requests_max},
              {"requests_per_device", requests_per_device_max},
              {"value_bytes", value_bytes_max},
              {"starts_per_second", options.starts_per_second},
              {"send_ms", options.send_within.count()}}}};
}

}  // namespace

Worker::~Worker() {
    gone_ = true;
    if (channel_ != nullptr) {
        channel_->close();
        output_->close();
    }
    if (end_watch_ != nullptr) {
        end_watch_->close();
    }
}

Result<void> Worker::start(const boost::asio::io_context::executor_type& executor) {
    auto program = run();
    if (!program) {
        return pass(program);
    }
    program_ = std::move(*program);
    const auto now = clock_.steady_now();
    hello_until_ = now + options_.hello_within;
    next_memory_ = now + memory_every;
    output_ = std::make_shared<OutputLog>(executor, program_->take_output(), lines_);
    output_->start();
    channel_ = std::make_shared<Channel>(
        executor, program_->take_socket(),
        Channel::Owner{
            .on_line = [this](std::string_view line) { take(line); },
            .on_broken = [this](std::string why) { kill(std::move(why)); },
            .may_read = [this] { return held_ + channel_->unread_bytes() < held_bytes_max; }});
    channel_->start();
    if (const int end = program_->take_end(); end >= 0) {
        end_watch_ = std::make_shared<EndWatch>(executor, end, [this] { look_for_end(); });
        end_watch_->start();
    }
    return {};
}

Result<std::unique_ptr<Running>> Worker::run() {
    if (!options_.launcher.path.empty()) {
        auto launched = Launched::start(clock_, options_.launcher,
                                        {.memory_max = options_.memory_max,
                                         .file_bytes_max = options_.file_bytes_max,
                                         .wants_confinement = true});
        return launched ? Result<std::unique_ptr<Running>>{std::make_unique<Launched>(
                              std::move(*launched))}
                        : pass(launched);
    }
    auto command = options_.command();
    if (!command) {
        return pass(command);
    }
    auto sandbox = options_.sandbox ? options_.sandbox(*command) : Sandbox{};
    auto child = Child::start({.command = std::move(*command),
                               .path = options_.path,
                               .environment = options_.environment,
                               .folder = options_.folder,
                               .sandbox = std::move(sandbox),
                               .memory_max = options_.memory_max,
                               .file_bytes_max = options_.file_bytes_max});
    return child ? Result<std::unique_ptr<Running>>{std::make_unique<Child>(std::move(*child))}
                 : pass(child);
}

void Worker::ask(std::string_view op, json::object fields, Millis within, Answered done) {
    if (!dying_.empty() || !ended_.empty()) {
        done(nullptr);
        return;
    }
    const auto id = ++last_id_;
    asked_.emplace(id, Asked{.until = clock_.steady_now() + within, .done = std::move(done)});
    channel_->write(request_line(id, op, std::move(fields)));
}

void Worker::release(std::size_t bytes) {
    held_ -= bytes;
    channel_->go_on();
}

void Worker::take(std::string_view line) {
    auto frame = parse_frame(line);
    if (!frame) {
        break_off("it broke the protocol: " + frame.error().detail);
    } else if (frame->kind == Frame::Kind::answer) {
        take_answer(*frame);
    } else if (ready_) {
        owner_.on_frame(std::move(*frame));
    } else {
        take_hello(std::move(*frame));
    }
}

void Worker::take_hello(Frame&& frame) {
    if (!dying_.empty()) {
        return;
    }
    if (frame.op != "hello" || frame.kind != Frame::Kind::request) {
        break_off("it broke the protocol: its first line is no hello");
        return;
    }
    if (auto objection = program_->objection(); !objection.empty()) {
        kill(std::move(objection));
        return;
    }
    auto hello = read_hello(frame.fields);
    if (!hello) {
        kill("its hello is wrong: " + hello.error().detail);
        return;
    }
    if (!hello->speaks_ours) {
        channel_->write(error_line(frame.id, "unsupported"));
        kill(fmt::format("it does not speak version {} of the protocol", protocol_version));
        return;
    }
    ready_ = true;
    alive_at_ = clock_.steady_now();
    next_ping_ = alive_at_ + options_.ping_every;
    const auto confinement = program_->confinement();
    lines_.log(confinement.is_weak() ? telemetry::Level::warn : telemetry::Level::info,
               fmt::format("ready: {} {}{}{}", hello->name, hello->version,
                           confinement.wanted ? "; " : "", confinement.text()));
    channel_->write(answer_line(frame.id, hello_answer(options_)));
    owner_.on_ready(std::move(*hello));
}

void Worker::take_answer(const Frame& answer) {
    if (auto found = asked_.extract(answer.id); !found.empty()) {
        found.mapped().done(&answer);
    }
}

void Worker::tick() {
    if (gone_) {
        return;
    }
    const auto now = clock_.steady_now();
    channel_->refill(Channel::lines_per_second * static_cast<std::size_t>(options_.tick.count()) /
                     1'000);
    expire(now);
    look_after(now);
    look_for_end();
}

void Worker::look_for_end() {
    if (!ended_.empty()) {
        return;
    }
    ended_ = program_->reap();
    if (!ended_.empty()) {
        if (end_watch_ != nullptr) {
            end_watch_->close();
        }
        channel_->drain([weak = weak_from_this()] {
            if (const auto self = weak.lock()) {
                self->end();
            }
        });
    }
}

void Worker::end() {
    const auto self = shared_from_this();  // `on_gone` drops the owner's pointer.
    gone_ = true;
    channel_->close();
    output_->close();
    fail_all();
    owner_.on_gone(dying_.empty() ? ended_ : dying_);
}

void Worker::expire(SteadyTime now) {
    std::vector<Answered> late;
    for (auto asked = asked_.begin(); asked != asked_.end();) {
        if (asked->second.until <= now) {
            late.push_back(std::move(asked->second.done));
            asked = asked_.erase(asked);
        } else {
            ++asked;
        }
    }
    for (auto& done : late) {
        done(nullptr);
    }
}

void Worker::look_after(SteadyTime now) {
    if (!dying_.empty()) {
        return;
    }
    if (ready_) {
        look_for_life(now);
    } else if (now >= hello_until_) {
        kill("it said no hello in time");
    }
    if (dying_.empty() && now >= next_memory_) {
        next_memory_ = now + memory_every;
        if (auto excess = excess_of(program_->memory(options_.memory_max), options_.memory_max);
            !excess.empty()) {
            kill(std::move(excess));
        }
    }
}

void Worker::look_for_life(SteadyTime now) {
    if (end_until_ && now >= *end_until_) {
        kill("it did not end in time");
    } else if (now - alive_at_ >= options_.ping_within) {
        kill("it does not answer");
    } else if (now >= next_ping_) {
        next_ping_ = now + options_.ping_every;
        ask("ping", {}, options_.ping_within, [this](const Frame* answer) {
            if (answer != nullptr) {
                alive_at_ = clock_.steady_now();
            }
        });
    }
}

void Worker::shut_down() {
    if (!is_ready()) {
        kill("the gateway stops");
        return;
    }
    end_until_ = clock_.steady_now() + options_.shutdown_within;
    ask("shutdown", {{"within_ms", options_.shutdown_within.count()}}, options_.answer_within,
        [](const Frame* /*answer*/) {
            // The program's end counts, not its answer.
        });
}

/// The program is reaped when its end is noticed, or by the next tick.
void Worker::kill(std::string why) {
    if (dying_.empty()) {
        dying_ = std::move(why);
        channel_->stop_writing();
        program_->kill();
    }
}

void Worker::break_off(std::string why) {
    channel_->close();
    kill(std::move(why));
}

void Worker::fail_all() {
    auto all = std::exchange(asked_, {});
    for (auto& [id, asked] : all) {
        asked.done(nullptr);
    }
}

}  // namespace merpati::connector::process
