#include "api/keys_under_way.hpp"

namespace merpati::api {

std::expected<KeysUnderWay::Hold, Sha256> KeysUnderWay::take(
    const store::IdempotencyRecord& record) {
    const std::lock_guard lock{mutex_};
    const auto [place, is_new] =
        names_.try_emplace(Name{record.account, record.key}, record.fingerprint);
    if (!is_new) {
        return std::unexpected(place->second);
    }
    return Hold{*this, place};
}

void KeysUnderWay::Hold::release() noexcept {
    if (auto* owner = std::exchange(owner_, nullptr)) {
        const std::lock_guard lock{owner->mutex_};
        owner->names_.erase(place_);
    }
}

}  // namespace merpati::api
