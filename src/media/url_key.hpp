// The key of entries that are kept per account and URL.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/digest.hpp"
#include "base/digest_hash.hpp"
#include "model/ids.hpp"

namespace merpati::media {

/// Has the SHA-256 of the URL, so that long URLs take no more memory.
struct UrlKey {
    UrlKey(model::AccountId its_account, std::string_view text)
        : account(its_account), url(sha256(text)) {}

    model::AccountId account;
    Sha256 url;

    friend bool operator==(const UrlKey&, const UrlKey&) = default;
};

struct UrlKeyHash {
    std::size_t operator()(const UrlKey& key) const noexcept {
        return DigestHash{}(key.url) ^ std::hash<model::AccountId>{}(key.account);
    }
};

}  // namespace merpati::media
