// The nodes that work.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace merpati::forwarding {

/// A part of all accounts, for which one node works at a time: less than `shard_count`.
using Shard = std::size_t;
inline constexpr Shard shard_count = 256;

/// A node that works, in one of its lives, and where it takes requests.
struct Owner {
    std::int64_t node = 0;
    std::int64_t generation = 0;
    std::string address{};  // "10.0.0.5:8081"; "": it takes none.

    bool operator==(const Owner&) const = default;
};

/// By shard. Empty: nobody works for it.
using Owners = std::array<std::optional<Owner>, shard_count>;

}  // namespace merpati::forwarding
