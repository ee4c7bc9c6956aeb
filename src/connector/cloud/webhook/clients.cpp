#include "connector/cloud/webhook/clients.hpp"

#include <algorithm>

namespace merpati::connector::cloud {
namespace {

constexpr int all = 0;  // The one party of the caches.

Millis time_to_pay(std::size_t bytes) {
    return Millis{static_cast<std::int64_t>(bytes * 1'000 / Clients::paid_a_second)};
}

}  // namespace

PlatformWebhook::Standing Clients::standing_of(const std::string& client) const {
    using enum PlatformWebhook::Standing;
    const auto now = clock_.steady_now();
    const std::lock_guard lock{mutex_};
    const auto* known_until = known_until_.find(all, client);
    const auto* paid_at = paid_at_.find(all, client);
    const bool is_known = known_until != nullptr && now < *known_until;
    const bool owes = paid_at != nullptr && now + time_to_pay(debt_max) < *paid_at;
    if (is_known) {
        return owes ? stranger : known;
    }
    return owes ? refused : stranger;
}

void Clients::note_verified(const std::string& client) {
    const auto until = clock_.steady_now() + known_for;
    const std::lock_guard lock{mutex_};
    known_until_.put(all, client, until);
}

void Clients::note_refused(const std::string& client, std::size_t bytes) {
    const auto now = clock_.steady_now();
    const std::lock_guard lock{mutex_};
    const auto* owed = paid_at_.find(all, client);
    const auto from = owed == nullptr ? now : std::max(*owed, now);
    paid_at_.put(all, client, from + time_to_pay(bytes));
}

}  // namespace merpati::connector::cloud
