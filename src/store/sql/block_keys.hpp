// The keys and filters that summarise blocks of messages (MessageBlocks).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/encoding.hpp"
#include "model/ids.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"

namespace merpati::store::sql {

/// The hash of a property of messages that searches ask for. Filters in the store contain these
/// hashes, so they must never change.
struct BlockKey {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    friend constexpr auto operator<=>(const BlockKey&, const BlockKey&) = default;
};

/// The messages that a search is limited to: all, an account's or a device's.
struct BlockScope {
    char kind = 'g';  // 'g': all, 'a': an account's, 'd': a device's.
    std::int64_t number = 0;

    [[nodiscard]] static BlockScope all() { return {}; }
    [[nodiscard]] static BlockScope of(model::AccountId account) {
        return {.kind = 'a', .number = account.value};
    }
    [[nodiscard]] static BlockScope of(model::PhoneNumber device) {
        return {.kind = 'd', .number = device.value()};
    }
};

/// The key that every message of the scope has.
[[nodiscard]] BlockKey key_of(BlockScope scope);
[[nodiscard]] BlockKey key_of(model::AccountId account, model::PhoneNumber device);
[[nodiscard]] BlockKey key_of(BlockScope scope, model::Source source);
[[nodiscard]] BlockKey key_of(BlockScope scope, model::MessageState state);
[[nodiscard]] BlockKey key_of(BlockScope scope, model::StatusCode code);
[[nodiscard]] BlockKey key_of_recipient(BlockScope scope, std::string_view recipient);
[[nodiscard]] BlockKey key_of_word(BlockScope scope, std::string_view word);

/// A Bloom filter of the keys: 12 bits and 8 hash functions for each key.
[[nodiscard]] Bytes filter_of(std::span<const BlockKey> keys);

/// False: the filter was made without this key. Of 300 such keys, one yields true by mistake. An
/// empty filter yields true for every key.
[[nodiscard]] bool may_hold(std::span<const std::byte> filter, const BlockKey& key);

}  // namespace merpati::store::sql
