// Digests as keys of maps.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/digest.hpp"

namespace merpati {

/// A digest is random enough, and nobody can choose it.
struct DigestHash {
    std::size_t operator()(const Sha256& digest) const noexcept {
        std::size_t value = 0;
        std::memcpy(&value, digest.data(), sizeof value);
        return value;
    }
};

}  // namespace merpati
