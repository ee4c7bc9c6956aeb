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
    for (const auto shard : shards) {
        stays_[static_cast<std::size_t>(shard)] = stay;
    }
}

}  // namespace merpati::admission
