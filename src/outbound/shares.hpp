// Divides a limited number of things among accounts.
#pragma once

#include <cstddef>
#include <cstdint>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/assert.hpp"
#include "base/places.hpp"

namespace merpati::outbound {

/// Operation: no account takes more than it leaves free (Places): what several give back goes to
/// those that hold less, and nobody who holds nothing is refused while one is free.
///
/// Limits: memory for those accounts that hold something.
class Shares {
public:
    explicit Shares(std::size_t total) : places_(total) {}

    [[nodiscard]] bool may_take(std::int64_t account) const {
        const auto found = held_.find(account);
        return places_.open_to(found == held_.end() ? 0 : found->second);
    }

    /// Only after `may_take`.
    void take(std::int64_t account) {
        places_.take();
        ++held_[account];
    }

    void give_back(std::int64_t account) {
        const auto found = held_.find(account);
        invariant(found != held_.end(), "what is given back was taken");
        places_.give_back();
        if (--found->second == 0) {
            held_.erase(found);
        }
    }

    [[nodiscard]] std::size_t taken() const noexcept { return places_.taken(); }

private:
    Places places_;
    boost::unordered_flat_map<std::int64_t, std::size_t> held_;
};

}  // namespace merpati::outbound
