// Digests as keys of maps.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/digest.hpp"

namespace merpati {

/// Uses the first bytes of the digest: they are distributed evenly, and nobody can choose them.
struct DigestHash {
    std::size_t operator()(const Sha256& digest) const noexcept {
        std::size_t value = 0;
        std::memcpy(&value, digest.data(), sizeof value);
        return value;
    }
};

}  // namespace merpati
