// Which accounts this process works for.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "model/ids.hpp"
#include "store/nodes.hpp"
#include "store/shard_set.hpp"

namespace merpati::admission {

/// What this process does for an account.
enum class Stay : std::uint8_t {
    here,       // Everything.
    leaving,    // Ends what was begun, and begins nothing. Questions are answered, and messages
                // are taken, which wait for the next owner.
    elsewhere,  // Nothing: another process may work for it.
};

/// Operation: accounts stay by their shards. All are here at first, new ones too, unless several
/// nodes share them: then none is before its shard was attached.
///
/// Threads: look-ups from any; changes from one, the committer's, so that they have a place in the
/// order of the commits. So what is decided in a change (store::Tables) holds until it is
/// committed.
class Ownership {
public:
    explicit Ownership(Stay all = Stay::here);
    Ownership(const Ownership&) = delete;
    Ownership& operator=(const Ownership&) = delete;

    [[nodiscard]] Stay of(model::AccountId account) const noexcept {
        return of_shard(store::shard_of(account));
    }
    [[nodiscard]] Stay of_shard(store::Shard shard) const noexcept {
        return stays_[static_cast<std::size_t>(shard)].load();
    }
    [[nodiscard]] bool works_for(model::AccountId account) const noexcept {
        return of(account) == Stay::here;
    }
    /// The same, or it ends its work for the account.
    [[nodiscard]] bool answers_for(model::AccountId account) const noexcept {
        return of(account) != Stay::elsewhere;
    }
    /// Whether this process does what is done once for all accounts: retention, summaries.
    [[nodiscard]] bool keeps_house() const noexcept { return of_shard(0) == Stay::here; }

    /// Those that are here.
    [[nodiscard]] store::ShardSet here() const noexcept;

    void set(std::span<const store::Shard> shards, Stay stay) noexcept;

    /// How often `set` was called; empty: it is at work. Whoever gets the same number before and
    /// after has met no change.
    [[nodiscard]] std::optional<std::uint64_t> changes() const noexcept;

private:
    std::array<std::atomic<Stay>, static_cast<std::size_t>(store::shard_count)> stays_;
    std::atomic<std::uint64_t> steps_ = 0;  // Two for each change: its begin and its end.
};

}  // namespace merpati::admission
