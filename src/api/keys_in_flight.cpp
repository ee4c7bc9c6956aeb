#include "api/keys_in_flight.hpp"

namespace merpati::api {

std::expected<KeysInFlight::Hold, Sha256> KeysInFlight::take(
    const store::IdempotencyRecord& record) {
    const std::lock_guard lock{mutex_};
    const auto [position, is_new] =
        names_.try_emplace(Name{record.account, record.key}, record.fingerprint);
    if (!is_new) {
        return std::unexpected(position->second);
    }
    return Hold{*this, position};
}

void KeysInFlight::Hold::release() noexcept {
    if (auto* owner = std::exchange(owner_, nullptr)) {
        const std::lock_guard lock{owner->mutex_};
        owner->names_.erase(position_);
    }
}

}  // namespace merpati::api
