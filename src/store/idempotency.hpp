// What an Idempotency-Key of a caller stands for.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "model/ids.hpp"

namespace merpati::store {

/// A caller's Idempotency-Key and what it stands for.
struct IdempotencyRecord {
    model::AccountId account;
    std::string key;
    Sha256 fingerprint{};                     // Of operation and body.
    std::optional<model::MessageId> message;  // For sends.
    std::uint16_t status = 0;                 // The first answer; 0: not given yet.
    std::string answer;                       // Its body.
    Timestamp created_at;

    /// How long a key stands for its first request (decisions.md).
    static constexpr std::chrono::hours kept{24};

    /// False: it counts as gone, though retention has not removed it yet.
    [[nodiscard]] bool holds(Timestamp now) const noexcept { return now < created_at + kept; }
};

}  // namespace merpati::store
