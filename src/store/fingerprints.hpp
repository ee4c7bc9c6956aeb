// Keyed digests of texts.
#pragma once

#include <string_view>

#include "base/digest.hpp"

namespace merpati::store {

/// What those need of the store who compare texts, or sign them, without keeping them.
///
/// Threads: any.
class Fingerprints {
public:
    virtual ~Fingerprints() = default;

    /// A keyed digest, by which requests are compared and stored. Without the store's key it
    /// reveals nothing about the text. Texts keep their fingerprint as long as the store keeps its
    /// key.
    [[nodiscard]] virtual Sha256 fingerprint(std::string_view text) const = 0;
};

}  // namespace merpati::store
