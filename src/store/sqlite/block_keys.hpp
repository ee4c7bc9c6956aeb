// What blocks of messages are summarised by (MessageBlocks).
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

namespace merpati::store::sqlite {

/// The hash of something that a message has and that searches ask for. Stored in filters: it must
/// never change.
struct BlockKey {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    friend constexpr auto operator<=>(const BlockKey&, const BlockKey&) = default;
};

/// Among which messages something is looked for: all, an account's or a device's.
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

/// That there are any.
[[nodiscard]] BlockKey key_of(BlockScope scope);
[[nodiscard]] BlockKey key_of(model::AccountId account, model::PhoneNumber device);
[[nodiscard]] BlockKey key_of(BlockScope scope, model::Source source);
[[nodiscard]] BlockKey key_of(BlockScope scope, model::MessageState state);
[[nodiscard]] BlockKey key_of(BlockScope scope, model::StatusCode code);
[[nodiscard]] BlockKey key_of_recipient(BlockScope scope, std::string_view recipient);
[[nodiscard]] BlockKey key_of_word(BlockScope scope, std::string_view word);

/// A Bloom filter of the keys: 12 bits for each, of which 8 are set.
[[nodiscard]] Bytes filter_of(std::span<const BlockKey> keys);

/// False: the key is not among the filter's. True by mistake of 1 in 300 that are not. An empty
/// filter may hold anything.
[[nodiscard]] bool may_hold(std::span<const std::byte> filter, const BlockKey& key);

}  // namespace merpati::store::sqlite
