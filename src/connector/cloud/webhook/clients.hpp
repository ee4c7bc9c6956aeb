// What is known of those who post to the webhook.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

#include "base/clock.hpp"
#include "base/shared_cache.hpp"
#include "connector/platform_webhook.hpp"

namespace merpati::connector::cloud {

/// Operation: a client is known for known_for after a post that a secret verified. What was hashed
/// for a post that no secret verified is added to its client's debt, which shrinks by
/// paid_a_second. With more than debt_max, a stranger is refused, and a known client counts as a
/// stranger: it is never refused, because the platform and strangers may have one address, that of
/// a proxy.
///
/// Restarts: nothing is kept. The platform's first post is then one of a stranger.
///
/// Threads: any. Limits: remembered_max known clients, and as many with debts; the least recently
/// seen are forgotten.
class Clients {
public:
    static constexpr std::chrono::hours known_for{1};
    static constexpr std::size_t debt_max = std::size_t{64} << 20;      // Bytes.
    static constexpr std::size_t paid_a_second = std::size_t{4} << 20;  // Bytes.
    static constexpr std::size_t remembered_max = 4'096;

    explicit Clients(const Clock& clock) : clock_(clock) {}

    [[nodiscard]] PlatformWebhook::Standing standing_of(const std::string& client) const;

    void note_verified(const std::string& client);
    /// `bytes`: what was hashed for its post.
    void note_refused(const std::string& client, std::size_t bytes);

private:
    using Times = SharedCache<int, std::string, SteadyTime>;  // Of one party.

    const Clock& clock_;
    mutable std::mutex mutex_;
    mutable Times known_until_{remembered_max};
    mutable Times paid_at_{remembered_max};  // When nothing is left of the debt.
};

}  // namespace merpati::connector::cloud
