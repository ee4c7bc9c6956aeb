// Authentication: the first check.
#include "admission/checks.hpp"

namespace merpati::admission {

std::optional<KeyEntry> authenticate(std::string_view authorization, const Directory& directory,
                                     Timestamp now) {
    static constexpr std::string_view scheme = "bearer ";
    static constexpr std::size_t key_bytes_max = 128;
    bool bearer = authorization.size() > scheme.size();
    for (std::size_t place = 0; bearer && place < scheme.size(); ++place) {
        bearer = (authorization[place] | 0x20) == (scheme[place] | 0x20);
    }
    // Every fault takes the same way: a digest is computed and looked up, so that a caller learns
    // nothing from the answer or its duration.
    auto key = bearer ? authorization.substr(scheme.size()) : std::string_view{};
    key = key.substr(0, std::min(key.size(), key_bytes_max));
    auto entry = directory.find_key(sha256(key));
    if (!entry || !bearer) {
        return std::nullopt;
    }
    return is_live(*entry->key, now) ? std::move(entry) : std::nullopt;
}

bool is_live(const model::ApiKey& key, Timestamp now) noexcept {
    return !key.revoked_at && (!key.expires_at || now < *key.expires_at);
}

}  // namespace merpati::admission
