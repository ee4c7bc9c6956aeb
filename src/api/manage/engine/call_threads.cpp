#include "api/manage/engine/call_threads.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <source_location>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/thread.hpp"

namespace merpati::api::manage {
namespace {

bool is_local(const Share& share) {
    return share.kind == Share::Kind::local;
}

bool is_of_strangers(const Share& share) {
    return share.kind == Share::Kind::strangers;
}

}  // namespace

Share Share::of(const admission::Principal& principal, const http::PeerAddress& peer,
                const std::function<bool()>& is_known) {
    using Caller = admission::Principal::Kind;
    if (principal.kind == Caller::anyone) {
        const bool known = is_known();
        const auto party = known ? peer : peer.network();
        return {.kind = known ? Kind::known_address : Kind::strangers,
                .id = static_cast<std::int64_t>(hash_value(party))};
    }
    if (principal.kind == Caller::local_operator) {
        return {.kind = Kind::local};
    }
    if (const auto account = principal.only_account()) {
        return {.kind = Kind::account, .id = account->value};
    }
    return {.kind = Kind::person, .id = principal.person->id.value};
}

CallThreads::Put CallThreads::put(Share share, Job&& job) {
    Job displaced;
    {
        const std::lock_guard lock{mutex_};
        const auto known = by_share_.find(share);
        const auto waiting = known == by_share_.end() ? 0 : known->second->jobs.size();
        if (!running_) {
            return Put::full;
        }
        if (waiting >= (is_local(share) ? local_waiting_max : of_share_max_)) {
            return is_local(share) ? Put::full : Put::share_full;
        }
        const bool strangers_full = is_of_strangers(share) && strangers_waiting_ >= strangers_max;
        const bool network_full = !is_local(share) && network_waiting_ >= of_network_max_;
        if (strangers_full || network_full) {
            displaced = displaced_by(share, waiting);
            if (!displaced) {
                return Put::full;
            }
        }
        add(share, std::move(job));
    }
    if (displaced) {
        displaced(false);
    }
    return Put::taken;
}

CallThreads::Job CallThreads::displaced_by(const Share& share, std::size_t held) {
    const auto size_of = [&](const Queue& queue) {
        const bool may_lose =
            is_of_strangers(share) ? is_of_strangers(queue.share) : !is_local(queue.share);
        return may_lose ? queue.jobs.size() : 0;
    };
    const auto most = std::ranges::max_element(queues_, {}, size_of);
    if (most == queues_.end() || size_of(*most) <= held + 1) {
        return {};
    }
    auto job = std::move(most->jobs.back());
    most->jobs.pop_back();
    count(most->share, false);
    return job;
}

void CallThreads::count(Share share, bool waits) {
    const auto change = [waits](std::size_t& number) { waits ? ++number : --number; };
    if (!is_local(share)) {
        change(network_waiting_);
    }
    if (is_of_strangers(share)) {
        change(strangers_waiting_);
    }
}

bool CallThreads::go_on(Share share, Job&& job) {
    const std::lock_guard lock{mutex_};
    if (!running_) {
        return false;
    }
    add(share, std::move(job));
    return true;
}

void CallThreads::start() {
    {
        const std::lock_guard lock{mutex_};
        running_ = true;
    }
    for (std::size_t number = 0; number < threads_max_; ++number) {
        const auto start_one = work_ == Work::lengthy ? start_background_thread : start_thread;
        threads_.push_back(start_one(name_, [this] { work(); }));
    }
}

void CallThreads::stop() {
    std::vector<Job> left;
    {
        const std::lock_guard lock{mutex_};
        running_ = false;
        for (auto& queue : queues_) {
            std::ranges::move(queue.jobs, std::back_inserter(left));
            queue.jobs.clear();
        }
        network_waiting_ = 0;
        strangers_waiting_ = 0;
    }
    filled_.notify_all();
    for (auto& job : left) {
        job(false);
    }
    for (auto& thread : threads_) {
        thread.join();
    }
    threads_.clear();
    queues_.clear();
    by_share_.clear();
}

CallThreads::Queue& CallThreads::queue_of(Share share) {
    const auto [entry, is_new] = by_share_.try_emplace(share);
    if (is_new) {
        entry->second = queues_.insert(queues_.end(), Queue{.share = share, .jobs = {}});
    }
    return *entry->second;
}

void CallThreads::add(Share share, Job&& job) {
    queue_of(share).jobs.push_back(std::move(job));
    count(share, true);
    filled_.notify_one();
}

CallThreads::Queues::iterator CallThreads::next() {
    for (const bool strangers : {strangers_turn_, !strangers_turn_}) {
        for (auto queue = queues_.begin(); queue != queues_.end(); ++queue) {
            const bool local = is_local(queue->share);
            const bool may_run =
                local || (queue->running == 0 && network_running_ + 1 < threads_max_);
            if (is_of_strangers(queue->share) == strangers && may_run && !queue->jobs.empty()) {
                strangers_turn_ = local ? strangers_turn_ : !strangers;
                queues_.splice(queues_.end(), queues_, queue);  // Behind those that wait too.
                return queue;
            }
        }
    }
    return queues_.end();
}

void CallThreads::run(Job& job) const {
    std::string why;
    try {
        job(true);
        return;
    } catch (const std::exception& exception) {
        why = exception.what();
    } catch (...) {
        why = "an unknown exception";
    }
    if (on_fault) {
        on_fault({.code = ErrorCode::io_failed,
                  .detail = fmt::format("a call on a thread of {} threw: {}", name_, why),
                  .origin = std::source_location::current()});
    }
}

void CallThreads::work() {
    std::unique_lock lock{mutex_};
    while (true) {
        auto queue = queues_.end();
        filled_.wait(lock, [&] {
            queue = next();
            return !running_ || queue != queues_.end();
        });
        if (queue == queues_.end()) {
            return;
        }
        auto job = std::move(queue->jobs.front());
        queue->jobs.pop_front();
        const bool local = is_local(queue->share);
        ++queue->running;
        count(queue->share, false);
        if (!local) {
            ++network_running_;
        }
        lock.unlock();
        run(job);
        job = nullptr;  // What it held answers if it threw.
        lock.lock();
        --queue->running;
        if (!local) {
            --network_running_;
        }
        if (queue->jobs.empty() && queue->running == 0) {
            by_share_.erase(queue->share);
            queues_.erase(queue);
        }
    }
}

}  // namespace merpati::api::manage
