// A limit that several parties share, without a list of the parties.
#pragma once

#include <algorithm>
#include <cstddef>

namespace merpati {

/// Admits a party while it holds no more than is left free: one party alone gets half of the total,
/// two get a third each. A party that holds nothing is admitted while anything is free. (Dynamic
/// thresholds, as in the shared buffers of network switches: Choudhury and Hahne 1998.)
///
/// Threads: none.
class SharedLimit {
public:
    explicit SharedLimit(std::size_t total) : total_(total) {}

    /// Whether a party that holds `held` may acquire `count` more. One that holds nothing may
    /// acquire all that is free.
    [[nodiscard]] bool admits(std::size_t held, std::size_t count = 1) const noexcept {
        return count <= free() && (held == 0 || held + count <= free());
    }

    /// How many more a party that holds `held` may acquire, one by one, if no other party acquires
    /// any.
    [[nodiscard]] std::size_t available_to(std::size_t held) const noexcept {
        return admits(held) ? (free() - held + 1) / 2 : 0;
    }

    /// Unconditional: the caller has asked `admits`, or counts something that exists already.
    void acquire(std::size_t count = 1) noexcept { acquired_ += count; }
    void release(std::size_t count = 1) noexcept { acquired_ -= std::min(count, acquired_); }

    [[nodiscard]] std::size_t acquired() const noexcept { return acquired_; }
    [[nodiscard]] std::size_t free() const noexcept { return total_ - std::min(acquired_, total_); }

private:
    const std::size_t total_;
    std::size_t acquired_ = 0;
};

}  // namespace merpati
