// Divides a limited number of things among accounts.
#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/assert.hpp"

namespace merpati::outbound {

/// Operation: an account may take another one as long as it holds less than twice what is free. So
/// one account alone reaches two thirds and leaves the rest at once to whoever comes; several
/// settle at equal numbers, and what one gives back goes to those that hold less. Nobody who holds
/// nothing is refused while one is free.
///
/// Limits: memory for those accounts that hold something.
class Shares {
public:
    explicit Shares(std::size_t total) : total_(total) {}

    [[nodiscard]] bool may_take(std::int64_t account) const {
        const auto free = total_ - taken_;
        return free > 0 && held(account) < 2 * free;
    }

    /// Only after `may_take`.
    void take(std::int64_t account) {
        invariant(taken_ < total_, "more is taken than there is");
        ++taken_;
        ++held_[account];
    }

    void give_back(std::int64_t account) {
        const auto found = held_.find(account);
        invariant(found != held_.end(), "what is given back was taken");
        --taken_;
        if (--found->second == 0) {
            held_.erase(found);
        }
    }

    [[nodiscard]] std::size_t taken() const noexcept { return taken_; }

private:
    [[nodiscard]] std::size_t held(std::int64_t account) const {
        const auto found = held_.find(account);
        return found == held_.end() ? 0 : found->second;
    }

    std::size_t total_;
    std::size_t taken_ = 0;
    boost::unordered_flat_map<std::int64_t, std::size_t> held_;
};

}  // namespace merpati::outbound
