#include "store/sqlite/block_keys.hpp"

#include <array>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <sodium.h>

namespace merpati::store::sqlite {
namespace {

constexpr std::size_t bits_per_key = 12;
constexpr std::size_t bits_set = 8;
constexpr std::size_t bits_of_byte = 8;

BlockKey hash_of(std::string_view text) {
    // Not secret: who makes keys collide makes their own searches slow.
    constexpr std::array<unsigned char, crypto_shorthash_siphashx24_KEYBYTES> hash_key{};
    std::array<unsigned char, crypto_shorthash_siphashx24_BYTES> hash{};
    (void)crypto_shorthash_siphashx24(hash.data(),
                                      reinterpret_cast<const unsigned char*>(text.data()),
                                      text.size(), hash_key.data());
    BlockKey key;
    for (std::size_t place = 0; place < sizeof key.first; ++place) {  // The same on any machine.
        key.first |= std::uint64_t{hash[place]} << (bits_of_byte * place);
        key.second |= std::uint64_t{hash[sizeof key.first + place]} << (bits_of_byte * place);
    }
    key.second |= 1;
    return key;
}

template <class Value>
BlockKey hash_of(BlockScope scope, char kind, const Value& value) {
    return hash_of(fmt::format("{}{} {}{}", scope.kind, scope.number, kind, value));
}

/// The places of a key's bits.
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
    return hash_of(scope, '*', "");
}

BlockKey key_of(model::AccountId account, model::PhoneNumber device) {
    return hash_of(BlockScope::of(account), 'd', device.value());
}

BlockKey key_of(BlockScope scope, model::Source source) {
    return hash_of(scope, 's', static_cast<int>(source));
}

BlockKey key_of(BlockScope scope, model::MessageState state) {
    return hash_of(scope, 'e', static_cast<int>(state));
}

BlockKey key_of(BlockScope scope, model::StatusCode code) {
    return hash_of(scope, 'c', static_cast<int>(code));
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

}  // namespace merpati::store::sqlite
