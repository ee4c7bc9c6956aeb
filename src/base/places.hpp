// Places that several parties share, without a list of the parties.
#pragma once

#include <algorithm>
#include <cstddef>

namespace merpati {

/// Nobody takes more places than it leaves free: one party alone gets half of them, two get a
/// third each, and whoever comes new finds some. (Dynamic thresholds, as in the shared buffers of
/// network switches: Choudhury and Hahne 1998.)
///
/// Threads: none.
class Places {
public:
    explicit Places(std::size_t total) : total_(total) {}

    /// May one that holds `held` take `count` more? Who holds nothing may take all that is free.
    [[nodiscard]] bool open_to(std::size_t held, std::size_t count = 1) const noexcept {
        return count <= free() && (held == 0 || held + count <= free());
    }

    /// How many more it may take, if nobody else takes any.
    [[nodiscard]] std::size_t room_for(std::size_t held) const noexcept {
        return open_to(held) ? (free() - held + 1) / 2 : 0;
    }

    /// Unconditional: `open_to` was asked before, or what they are taken for is there already.
    void take(std::size_t count = 1) noexcept { taken_ += count; }
    void give_back(std::size_t count = 1) noexcept { taken_ -= std::min(count, taken_); }

    [[nodiscard]] std::size_t taken() const noexcept { return taken_; }
    [[nodiscard]] std::size_t free() const noexcept { return total_ - std::min(taken_, total_); }

private:
    const std::size_t total_;
    std::size_t taken_ = 0;
};

}  // namespace merpati
