#include "connector/process/worker/supervisor.hpp"

#include <algorithm>
#include <utility>

namespace merpati::connector::process {

Supervisor::Supervisor(const Clock& clock, Random& random, const Options& options, LineLimit& lines,
                       telemetry::Log log, Owner owner)
    : clock_(clock),
      random_(random),
      options_(options),
      log_(std::move(log)),
      owner_(std::move(owner)),
      lines_(lines) {}

void Supervisor::want() {
    wanted_ = true;
}

void Supervisor::tick(const boost::asio::io_context::executor_type& executor) {
    if (const auto worker = worker_; worker != nullptr) {
        worker->tick();
    } else if (wanted_ && !stopping_ && clock_.steady_now() >= next_start_) {
        start(executor);
    }
}

void Supervisor::stop() {
    stopping_ = true;
    if (worker_ != nullptr) {
        worker_->shut_down();
    }
}

void Supervisor::fail_all() {
    if (const auto worker = worker_; worker != nullptr) {
        worker->fail_all();
    }
}

void Supervisor::start(const boost::asio::io_context::executor_type& executor) {
    was_ready_ = false;
    auto worker = std::make_shared<Worker>(
        clock_, options_, lines_,
        Worker::Owner{.on_ready =
                          [this](Hello&& hello) {
                              was_ready_ = true;
                              cannot_start_ = false;
                              ready_at_ = clock_.steady_now();
                              owner_.on_ready(std::move(hello));
                          },
                      .on_frame = owner_.on_frame,
                      .on_gone = [this](const std::string& why) { ended(why); }});
    if (const auto started = worker->start(executor); !started) {
        log_.error("the connector's worker cannot be started; trying again",
                   {{"why", started.error().detail}});
        cannot_start_ = true;
        plan(false);
        owner_.on_gone(true);
        return;
    }
    worker_ = std::move(worker);
    started_at_ = clock_.steady_now();
}

bool Supervisor::is_silent() const {
    return worker_ != nullptr && !was_ready_ &&
           clock_.steady_now() - started_at_ >= std::min(silent_after, options_.hello_within / 2);
}

void Supervisor::ended(const std::string& why) {
    const auto gone = std::exchange(worker_, nullptr);
    owner_.on_due();
    if (stopping_) {
        return;
    }
    log_.error("the connector's worker is gone; starting it again",
               {{"why", why}, {"said", lines_.last()}});
    cannot_start_ = !was_ready_;
    if (was_ready_ && clock_.steady_now() - ready_at_ >= options_.healthy_after) {
        back_off_ = Millis{0};
    }
    const bool helpless = gone->exit_code() == exit_config;
    if (was_ready_ && !helpless && back_off_ == Millis{0}) {
        next_start_ = clock_.steady_now();
        back_off_ = options_.back_off_first / 2;  // `plan` doubles it.
    } else {
        plan(helpless);
    }
    owner_.on_gone(cannot_start_);
}

void Supervisor::plan(bool longest) {
    back_off_ = longest ? options_.back_off_max
                        : std::clamp(back_off_ * 2, options_.back_off_first, options_.back_off_max);
    const auto whole = static_cast<std::uint64_t>(back_off_.count());
    next_start_ = clock_.steady_now() + Millis{random_.between(whole / 2, whole)};
}

}  // namespace merpati::connector::process
