#include "campaign/opt_out_links.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <sodium.h>

#include "base/assert.hpp"
#include "base/encoding.hpp"

namespace merpati::campaign {
namespace {

constexpr std::size_t link_digest_bytes = 16;
constexpr std::size_t id_bytes = 6;      // The store counts its ids from 1.
constexpr std::size_t number_bytes = 7;  // Fifteen digits.
constexpr std::size_t content_bytes = id_bytes + number_bytes + id_bytes;
constexpr std::size_t token_characters = 47;
static_assert((link_digest_bytes + content_bytes) * 8 <= token_characters * 6);

using Content = std::array<unsigned char, content_bytes>;
using LinkDigest = std::array<unsigned char, link_digest_bytes>;

/// Big-endian.
void put(std::span<unsigned char> bytes, std::int64_t value) {
    auto left = static_cast<std::uint64_t>(value);
    for (auto place = bytes.size(); place-- > 0;) {
        bytes[place] = static_cast<unsigned char>(left);
        left >>= 8;
    }
    invariant(left == 0, "ids and numbers fit a link");
}

std::int64_t take(std::span<const unsigned char> bytes) {
    std::int64_t value = 0;
    for (const auto byte : bytes) {
        value = value << 8 | byte;
    }
    return value;
}

const unsigned char* key_bytes(const Sha256& key) {
    return reinterpret_cast<const unsigned char*>(key.data());
}

LinkDigest digest_of(const Content& content, const Sha256& key) {
    LinkDigest digest;
    crypto_generichash(digest.data(), digest.size(), content.data(), content.size(), key_bytes(key),
                       key.size());
    return digest;
}

/// Encrypts, and decrypts what is encrypted.
Content encrypted(const Content& content, const LinkDigest& digest, const Sha256& key) {
    static_assert(crypto_stream_KEYBYTES == std::tuple_size_v<Sha256>);
    std::array<unsigned char, crypto_stream_NONCEBYTES> nonce{};
    std::ranges::copy(digest, nonce.begin());
    Content result;
    crypto_stream_xor(result.data(), content.data(), content.size(), nonce.data(), key_bytes(key));
    return result;
}

}  // namespace

OptOutLinks::OptOutLinks(const store::Fingerprints& store, std::string base_url)
    : OptOutLinks(Keys{.digest = store.fingerprint("opt-out links: digest"),
                       .cipher = store.fingerprint("opt-out links: cipher")},
                  std::move(base_url)) {}

OptOutLinks::OptOutLinks(const Keys& keys, std::string base_url)
    : keys_(keys), base_url_(std::move(base_url)) {
    while (base_url_.ends_with('/')) {
        base_url_.pop_back();
    }
}

std::string OptOutLinks::url_of(model::AccountId account, model::PhoneNumber number,
                                model::CampaignId campaign) const {
    Content content;
    const std::span bytes{content};
    put(bytes.first(id_bytes), account.value);
    put(bytes.subspan(id_bytes, number_bytes), number.value());
    put(bytes.last(id_bytes), campaign.value);
    const auto digest = digest_of(content, keys_.digest);
    const auto cipher = encrypted(content, digest, keys_.cipher);
    std::array<unsigned char, link_digest_bytes + content_bytes> token;
    std::ranges::copy(cipher, std::ranges::copy(digest, token.begin()).out);
    return base_url_ + "/o/" + to_base64url(std::as_bytes(std::span{token}));
}

std::optional<OptOutLinks::Target> OptOutLinks::open(std::string_view token) const {
    if (token.size() != token_characters) {
        return std::nullopt;
    }
    const auto bytes = from_base64url(token);
    if (!bytes || bytes->size() != link_digest_bytes + content_bytes) {
        return std::nullopt;
    }
    LinkDigest digest;
    Content cipher;
    const auto to_char = [](std::byte byte) { return std::to_integer<unsigned char>(byte); };
    std::ranges::transform(std::span{*bytes}.first(link_digest_bytes), digest.begin(), to_char);
    std::ranges::transform(std::span{*bytes}.last(content_bytes), cipher.begin(), to_char);
    const auto content = encrypted(cipher, digest, keys_.cipher);
    const auto expected = digest_of(content, keys_.digest);
    if (!equal_constant_time(std::as_bytes(std::span{digest}),
                             std::as_bytes(std::span{expected}))) {
        return std::nullopt;
    }
    const std::span read{content};
    return Target{
        .account = {take(read.first(id_bytes))},
        .number = model::PhoneNumber::from_stored(take(read.subspan(id_bytes, number_bytes))),
        .campaign = {take(read.last(id_bytes))}};
}

}  // namespace merpati::campaign
