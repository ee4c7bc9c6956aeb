// Limits what is under way at once, such as requests to the platform, and shares that.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <string>
#include <unordered_map>

#include "base/shared_limit.hpp"

namespace merpati::connector::cloud {

/// Operation: `ask` calls `go` when the party may have one more request in flight, at once or
/// later; the request's end is told by `release`. With a total of 1 parties simply take turns.
/// Waiting parties are served in turns, each in its order.
///
/// Fairness: no party uses up all slots (SharedLimit), so one whose answers are slow, or that has
/// much to send, leaves room for others.
///
/// Limits: `total` in flight. Those that wait are limited by their callers (Capabilities::window).
///
/// Threads: one. `go` may call every method.
class RequestSlots {
public:
    using Go = std::move_only_function<void()>;

    explicit RequestSlots(std::size_t total) : slots_(total) {}

    void ask(const std::string& party, Go go);
    void release(const std::string& party);

    [[nodiscard]] std::size_t in_flight() const noexcept { return slots_.acquired(); }

private:
    struct Party {
        std::size_t held = 0;
        std::deque<Go> waiting;
    };

    void hand_out();

    SharedLimit slots_;
    std::unordered_map<std::string, Party> parties_;  // That hold or wait for slots.
    std::list<std::string> turns_;                    // Those that wait.
    bool handing_out_ = false;
};

}  // namespace merpati::connector::cloud
