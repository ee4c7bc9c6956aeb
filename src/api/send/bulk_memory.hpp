// The memory of bulk requests.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "api/manage/engine/call_threads.hpp"
#include "api/manage/engine/problem.hpp"
#include "base/shared_limit.hpp"

namespace merpati::api {

/// Counts the bytes of all bulk requests from their arrival to their answers, for the account or
/// person that makes them.
///
/// Operation: requests share the limit as SharedLimit says: one caller alone may hold half of it,
/// and what others hold never keeps out a caller that holds nothing, as long as anything is free.
///
/// Threads: any.
class BulkMemory {
    struct State;

public:
    explicit BulkMemory(std::size_t bytes_max) : state_(std::make_shared<State>(bytes_max)) {}

    /// The bytes of one request; given back when it is destroyed.
    class Hold {
    public:
        Hold(Hold&& other) noexcept
            : state_(std::move(other.state_)),
              share_(other.share_),
              bytes_(std::exchange(other.bytes_, 0)) {}
        Hold& operator=(Hold&&) = delete;
        ~Hold() { release(); }

        /// Adds bytes. Errors, as answers with `Retry-After`: 429 (the caller holds too many), 503.
        [[nodiscard]] std::expected<void, manage::Outcome> grow(std::size_t bytes);

    private:
        friend class BulkMemory;
        Hold(std::shared_ptr<State> state, manage::Share share)
            : state_(std::move(state)), share_(share) {}
        void release() noexcept;

        std::shared_ptr<State> state_;  // Shared, because a request may outlive the server's part.
        manage::Share share_;
        std::size_t bytes_ = 0;
    };

    [[nodiscard]] Hold hold(manage::Share share) const { return {state_, share}; }

private:
    struct State {
        explicit State(std::size_t bytes_max) : limit(bytes_max) {}

        std::mutex mutex;
        SharedLimit limit;
        std::map<manage::Share, std::size_t> held;
    };

    std::shared_ptr<State> state_;
};

}  // namespace merpati::api
