// Who may work now: so many at one host, so many in all, and hosts take turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>

namespace merpati::media {

/// Operation: `ask` has `go` called when there is room, at once or later. `go` answers whether it
/// takes the turn (its asker may have given up meanwhile); whoever took one gives it back by
/// `release`. Of the hosts that wait each gets one turn in its round, so that one with a thousand
/// files delays no other.
///
/// Threads: none; its owner's. `go` may call `ask` and `release`.
class Turns {
public:
    using Go = std::move_only_function<bool()>;

    Turns(std::size_t per_host_max, std::size_t total_max, std::size_t waiting_max)
        : per_host_max_(per_host_max), total_max_(total_max), waiting_max_(waiting_max) {}

    /// False when too many wait: `go` is then never called.
    [[nodiscard]] bool ask(const std::string& host, Go go);

    void release(const std::string& host);

    [[nodiscard]] std::size_t in_flight() const noexcept { return in_flight_; }
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }

    /// Forgets all that wait.
    void clear();

private:
    struct Host {
        std::size_t in_flight = 0;
        bool in_round = false;
        std::deque<Go> waiting;
    };

    void line_up(const std::string& name, Host& host);
    void hand_out();
    void serve(const std::string& name);

    const std::size_t per_host_max_;
    const std::size_t total_max_;
    const std::size_t waiting_max_;
    std::unordered_map<std::string, Host> hosts_;
    std::deque<std::string> round_;  // Hosts that wait and may have one more.
    std::size_t in_flight_ = 0;
    std::size_t waiting_ = 0;
    bool handing_out_ = false;
};

}  // namespace merpati::media
