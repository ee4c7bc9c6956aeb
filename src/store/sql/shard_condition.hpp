// A condition of SQL that an account is of some shards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "store/shard_set.hpp"
#include "store/sql/connection.hpp"

namespace merpati::store::sql {

/// The shards as numbers, a bit for each, for four arguments of a statement. So its text is the
/// same for all sets, and is prepared once.
using ShardWords = std::array<std::int64_t, 4>;

[[nodiscard]] inline ShardWords words_of(const ShardSet& shards) {
    ShardWords words{};
    for (const auto shard : shards.list()) {
        const auto place = static_cast<std::uint64_t>(shard);
        auto& word = words.at(place / 64);
        word = static_cast<std::int64_t>(static_cast<std::uint64_t>(word) |
                                         (std::uint64_t{1} << (place % 64)));
    }
    return words;
}

/// `account`: a column. The words are the arguments from number `first` on.
[[nodiscard]] inline std::string in_shards(std::string_view account, int first = 1) {
    return fmt::format(
        "((CASE ({0} >> 6) & 3 WHEN 0 THEN ?{1} WHEN 1 THEN ?{2} WHEN 2 THEN ?{3} ELSE ?{4} END "
        ">> CAST({0} & 63 AS integer)) & 1) = 1",
        account, first, first + 1, first + 2, first + 3);
}

/// Starts a query whose last arguments are the words; `with_words` false: it has none of them.
template <class... Arguments>
[[nodiscard]] Cursor query_of_shards(Statement& statement, const ShardSet& shards, bool with_words,
                                     const Arguments&... arguments) {
    if (!with_words) {
        return statement.query(arguments...);
    }
    const auto words = words_of(shards);
    return statement.query(arguments..., words[0], words[1], words[2], words[3]);
}

}  // namespace merpati::store::sql
