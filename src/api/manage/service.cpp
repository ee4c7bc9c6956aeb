#include "api/manage/service.hpp"

#include <condition_variable>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "base/thread.hpp"

namespace merpati::api::manage {
namespace {

constexpr std::size_t threads_count = 2;
constexpr std::size_t waiting_max = 64;

http::Reply reply_of(Outcome outcome) {
    http::Reply reply;
    reply.status = outcome.status;
    reply.body = std::move(outcome.body);
    if (!outcome.allow.empty()) {
        reply.add_header("Allow", outcome.allow);
    }
    return reply;
}

http::Reply busy() {
    return reply_of({.status = 503,
                     .body = R"({"error":{"code":"busy","message":"too many calls wait, or the )"
                             R"(server is stopping: try again"}})"});
}

/// A request copied out of its connection's buffer.
struct Job {
    http::Method method;
    std::string path;
    std::string query;
    std::string body;
    http::Responder responder;
};

}  // namespace

class Service::Impl {
public:
    explicit Impl(Manage& manage) : manage_(manage) {}
    ~Impl() { stop(); }

    void take(const http::Request& request, http::Responder responder) {
        {
            const std::lock_guard lock{mutex_};
            if (running_ && jobs_.size() < waiting_max) {
                jobs_.push_back({.method = request.method,
                                 .path = std::string{request.path},
                                 .query = std::string{request.query},
                                 .body = std::string{request.body},
                                 .responder = std::move(responder)});
                filled_.notify_one();
                return;
            }
        }
        responder.send(busy());
    }

    void start() {
        running_ = true;
        for (std::size_t number = 0; number < threads_count; ++number) {
            threads_.push_back(start_thread("manage", [this] { work(); }));
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
            job.responder.send(busy());
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
            job.responder.send(reply_of(manage_.handle(job.method, job.path, job.query, job.body)));
            lock.lock();
        }
    }

    Manage& manage_;
    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<Job> jobs_;
    bool running_ = false;
    std::vector<std::thread> threads_;
};

Service::Service(Manage& manage) : impl_(std::make_unique<Impl>(manage)) {}
Service::~Service() = default;

void Service::add_to(http::Router& router) {
    // All methods, so that one which a path does not take is refused in the shape of this API.
    for (const auto method :
         {http::Method::get, http::Method::post, http::Method::put, http::Method::patch,
          http::Method::del, http::Method::options, http::Method::other}) {
        router.add(method, "/manage/v1/*",
                   [this](const http::Request& request, http::Responder responder) {
                       impl_->take(request, std::move(responder));
                   });
    }
}

void Service::start() {
    impl_->start();
}

void Service::stop() {
    impl_->stop();
}

}  // namespace merpati::api::manage
