#include "admission/ownership.hpp"

namespace merpati::admission {

Ownership::Ownership(Stay all) {
    for (auto& stay : stays_) {
        stay = all;
    }
}

store::ShardSet Ownership::here() const noexcept {
    store::ShardSet found;
    for (store::Shard shard = 0; shard < store::shard_count; ++shard) {
        if (of_shard(shard) == Stay::here) {
            found.add(shard);
        }
    }
    return found;
}

void Ownership::set(std::span<const store::Shard> shards, Stay stay) noexcept {
    ++steps_;
    for (const auto shard : shards) {
        stays_[static_cast<std::size_t>(shard)] = stay;
    }
    ++steps_;
}

std::optional<std::uint64_t> Ownership::changes() const noexcept {
    const auto steps = steps_.load();
    return steps % 2 == 0 ? std::optional{steps / 2} : std::nullopt;
}

}  // namespace merpati::admission
