#include "store/sql/block_keys.hpp"

#include <array>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <sodium.h>

namespace merpati::store::sql {
namespace {

constexpr std::size_t bits_per_key = 12;
constexpr std::size_t bits_set = 8;
constexpr std::size_t bits_of_byte = 8;

void append(fmt::memory_buffer& text, std::int64_t number) {
    const fmt::format_int digits{number};  // Parses no format, because each message costs two keys.
    text.append(digits.data(), digits.data() + digits.size());
}

void append(fmt::memory_buffer& text, std::string_view value) {
    text.append(value.data(), value.data() + value.size());
}

/// The hash of "SCOPE KINDvalue".
template <class Value>
BlockKey hash_of(BlockScope scope, char kind, const Value& value) {
    fmt::memory_buffer text;
    text.push_back(scope.kind);
    append(text, scope.number);
    text.push_back(' ');
    text.push_back(kind);
    append(text, value);
    // Not secret: colliding keys only slow down the searches of those who make them.
    constexpr std::array<unsigned char, crypto_shorthash_siphashx24_KEYBYTES> hash_key{};
    std::array<unsigned char, crypto_shorthash_siphashx24_BYTES> hash{};
    (void)crypto_shorthash_siphashx24(hash.data(),
                                      reinterpret_cast<const unsigned char*>(text.data()),
                                      text.size(), hash_key.data());
    BlockKey key;
    for (std::size_t place = 0; place < sizeof key.first; ++place) {  // Independent of byte order.
        key.first |= std::uint64_t{hash[place]} << (bits_of_byte * place);
        key.second |= std::uint64_t{hash[sizeof key.first + place]} << (bits_of_byte * place);
    }
    key.second |= 1;
    return key;
}

/// Calls `use` with the place of each bit of the key.
template <class Use>
void for_bits(const BlockKey& key, std::size_t bits, Use use) {
    auto place = key.first;
    for (std::size_t count = 0; count < bits_set; ++count) {
        use(place % bits);
        place += key.second;
    }
}

std::byte bit_of(std::size_t place) {
    return std::byte{1} << (place % bits_of_byte);
}

}  // namespace

BlockKey key_of(BlockScope scope) {
    return hash_of(scope, '*', std::string_view{});
}

BlockKey key_of(model::AccountId account, model::PhoneNumber device) {
    return hash_of(BlockScope::of(account), 'd', static_cast<std::int64_t>(device.value()));
}

BlockKey key_of(BlockScope scope, model::Source source) {
    return hash_of(scope, 's', std::int64_t{std::to_underlying(source)});
}

BlockKey key_of(BlockScope scope, model::MessageState state) {
    return hash_of(scope, 'e', std::int64_t{std::to_underlying(state)});
}

BlockKey key_of(BlockScope scope, model::StatusCode code) {
    return hash_of(scope, 'c', std::int64_t{std::to_underlying(code)});
}

BlockKey key_of_recipient(BlockScope scope, std::string_view recipient) {
    return hash_of(scope, 't', recipient);
}

BlockKey key_of_word(BlockScope scope, std::string_view word) {
    return hash_of(scope, 'w', word);
}

Bytes filter_of(std::span<const BlockKey> keys) {
    Bytes filter((keys.size() * bits_per_key + bits_of_byte) / bits_of_byte);
    for (const auto& key : keys) {
        for_bits(key, filter.size() * bits_of_byte,
                 [&](std::size_t place) { filter[place / bits_of_byte] |= bit_of(place); });
    }
    return filter;
}

bool may_hold(std::span<const std::byte> filter, const BlockKey& key) {
    bool held = true;
    if (!filter.empty()) {
        for_bits(key, filter.size() * bits_of_byte, [&](std::size_t place) {
            held = held && (filter[place / bits_of_byte] & bit_of(place)) != std::byte{0};
        });
    }
    return held;
}

}  // namespace merpati::store::sql
