// Keys of what is kept by its URL.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/digest.hpp"
#include "base/digest_hash.hpp"
#include "model/ids.hpp"

namespace merpati::media {

/// The URL by its SHA-256, so that a long one takes no more memory.
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
