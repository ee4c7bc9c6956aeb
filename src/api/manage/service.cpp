#include "api/manage/service.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/thread.hpp"

namespace merpati::api::manage {
namespace {

constexpr std::size_t threads_count = 2;
constexpr std::size_t waiting_max = 64;

/// Called once: with true to be done, with false where the threads stop before they come to it.
using Job = std::move_only_function<void(bool proceed)>;

/// Some threads, and the jobs that wait for them.
class Workers {
public:
    explicit Workers(const char* name) : name_(name) {}
    ~Workers() { stop(); }

    /// False when too many wait, or it does not run; `job` is then untouched.
    [[nodiscard]] bool put(Job&& job) {
        const std::lock_guard lock{mutex_};
        if (!running_ || jobs_.size() >= waiting_max) {
            return false;
        }
        jobs_.push_back(std::move(job));
        filled_.notify_one();
        return true;
    }

    void start() {
        {
            const std::lock_guard lock{mutex_};
            running_ = true;
        }
        for (std::size_t number = 0; number < threads_count; ++number) {
            threads_.push_back(start_thread(name_, [this] { work(); }));
        }
    }

    void stop() {
        std::deque<Job> left;
        {
            const std::lock_guard lock{mutex_};
            running_ = false;
            left.swap(jobs_);
        }
        filled_.notify_all();
        for (auto& job : left) {
            job(false);
        }
        for (auto& thread : threads_) {
            thread.join();
        }
        threads_.clear();
    }

private:
    void work() {
        std::unique_lock lock{mutex_};
        while (true) {
            filled_.wait(lock, [this] { return !running_ || !jobs_.empty(); });
            if (jobs_.empty()) {
                return;
            }
            auto job = std::move(jobs_.front());
            jobs_.pop_front();
            lock.unlock();
            job(true);
            job = nullptr;
            lock.lock();
        }
    }

    const char* name_;
    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<Job> jobs_;
    bool running_ = false;
    std::vector<std::thread> threads_;
};

/// Lines as the body of an answer.
class LineSource final : public http::BodySource {
public:
    LineSource(Workers& workers, std::unique_ptr<Lines> lines)
        : workers_(workers), progress_(std::make_shared<Progress>(std::move(lines))) {}

    void next(http::BodyWriter writer) override {
        // A client that has gone takes its lines with it; what waits for them then does nothing.
        (void)workers_.put(
            [waiting = std::weak_ptr{progress_}, writer = std::move(writer)](bool proceed) mutable {
                const auto progress = waiting.lock();
                if (proceed && progress) {
                    write(*progress, std::move(writer));
                }
            });
    }

private:
    struct Progress {
        std::unique_ptr<Lines> lines;
        std::string unwritten{};  // Of a piece that was too large to be given at once.
    };

    static void write(Progress& progress, http::BodyWriter writer) {
        auto& bytes = progress.unwritten;
        if (bytes.empty()) {
            auto more = progress.lines->next();
            if (!more) {
                return;
            }
            bytes = *std::move(more);
            if (bytes.empty()) {
                writer.finish();
                return;
            }
        }
        auto rest = bytes.size() > http::BodyWriter::piece_max
                        ? bytes.substr(http::BodyWriter::piece_max)
                        : std::string{};
        bytes.resize(bytes.size() - rest.size());
        writer.give(std::exchange(bytes, std::move(rest)));
    }

    Workers& workers_;
    std::shared_ptr<Progress> progress_;
};

http::Reply reply_of(Outcome outcome) {
    http::Reply reply{.status = outcome.status, .body = std::move(outcome.body)};
    if (!outcome.allow.empty()) {
        reply.add_header("Allow", outcome.allow);
    }
    return reply;
}

}  // namespace

class Service::Impl {
public:
    explicit Impl(Manage& manage) : manage_(manage) {}

    void take(const Operation& operation, const http::Request& request, http::Responder responder) {
        using Kind = admission::Principal::Kind;
        auto& workers = operation.is_long ? long_workers_ : workers_;
        auto answer = std::make_shared<http::Responder>(std::move(responder));
        const bool taken =
            workers.put([this, &operation, answer,
                         principal = admission::Principal{.kind = request.from_local_socket
                                                                      ? Kind::local_operator
                                                                      : Kind::anyone},
                         asked = Request{.method = request.method,
                                         .path = std::string{request.path},
                                         .query = std::string{request.query},
                                         .body = std::string{request.body}}](bool proceed) mutable {
                answer->send(proceed ? carry_out(operation, asked, std::move(principal))
                                     : reply_of(Manage::busy()));
            });
        if (!taken) {
            answer->send(reply_of(Manage::busy()));
        }
    }

    void start() {
        workers_.start();
        long_workers_.start();
    }

    void stop() {
        workers_.stop();
        long_workers_.stop();
    }

private:
    http::Reply carry_out(const Operation& operation, const Request& request,
                          admission::Principal principal) {
        auto outcome = manage_.run(operation, request, std::move(principal));
        if (outcome.lines == nullptr) {
            return reply_of(std::move(outcome));
        }
        return {.content_type = "application/x-ndjson",
                .source = std::make_unique<LineSource>(long_workers_, std::move(outcome.lines))};
    }

    Manage& manage_;
    Workers workers_{"manage"};
    Workers long_workers_{"manage-long"};
};

Service::Service(Manage& manage) : impl_(std::make_unique<Impl>(manage)) {}
Service::~Service() = default;

void Service::take(const Operation& operation, const http::Request& request,
                   http::Responder responder) {
    impl_->take(operation, request, std::move(responder));
}

void Service::refuse(const http::Request& request, http::Responder responder) {
    responder.send(reply_of(Manage::refuse(request.path)));
}

void Service::start() {
    impl_->start();
}

void Service::stop() {
    impl_->stop();
}

}  // namespace merpati::api::manage
