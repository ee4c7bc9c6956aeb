#include "connector/process/worker/sharded_connector.hpp"

#include <atomic>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/assert.hpp"
#include "base/thread.hpp"

namespace merpati::connector::process {

ShardedConnector::ShardedConnector(std::vector<std::unique_ptr<WorkerConnector>> workers)
    : workers_(std::move(workers)) {
    invariant(!workers_.empty(), "a connector has a worker");
}

CapabilitiesPtr ShardedConnector::capabilities() const {
    for (const auto& worker : workers_) {
        if (worker->has_worker()) {
            return worker->capabilities();
        }
    }
    return workers_.front()->capabilities();
}

Result<void> ShardedConnector::start(ConnectorEvents& events, DeviceSecrets& secrets) {
    for (const auto& worker : workers_) {
        if (auto started = worker->start(events, secrets); !started) {
            return started;
        }
    }
    return {};
}

void ShardedConnector::stop() {
    std::vector<std::thread> stopping;
    for (const auto& worker : workers_) {
        try {
            stopping.push_back(start_thread("stop worker", [&worker] { worker->stop(); }));
        } catch (const std::system_error&) {
            worker->stop();  // The system gives no thread.
        }
    }
    for (auto& thread : stopping) {
        thread.join();
    }
}

std::string ShardedConnector::trouble() const {
    std::string first;
    std::size_t count = 0;
    for (const auto& worker : workers_) {
        if (auto trouble = worker->trouble(); !trouble.empty()) {
            if (++count == 1) {
                first = std::move(trouble);
            }
        }
    }
    return count == 0 || workers_.size() == 1
               ? first
               : fmt::format("{} of {} workers: {}", count, workers_.size(), first);
}

void ShardedConnector::after_reports(std::move_only_function<void()> done) {
    struct Waiting {
        std::atomic<std::size_t> left;
        std::move_only_function<void()> done;
    };
    const auto waiting = std::make_shared<Waiting>(workers_.size(), std::move(done));
    for (const auto& worker : workers_) {
        worker->after_reports([waiting] {
            if (--waiting->left == 0) {
                waiting->done();
            }
        });
    }
}

/// The digits of neighbouring numbers are alike, so they are mixed (the finalizer of splitmix64).
/// Not std::hash, whose values may change with the compiler: a number should stay with its worker.
std::size_t ShardedConnector::shard_of(model::PhoneNumber number, std::size_t workers) {
    auto mixed = static_cast<std::uint64_t>(number.value()) + 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return (mixed ^ (mixed >> 31U)) % workers;
}

}  // namespace merpati::connector::process
