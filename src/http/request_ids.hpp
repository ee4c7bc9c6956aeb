// Ids for requests whose caller sent none.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/random.hpp"

namespace merpati::http {

/// UUIDs of version 8 (RFC 9562 section 5.8): 74 random bits drawn once, then a counter of 48 bits.
/// They tell requests apart in logs and need not be secret, so nothing is drawn per request.
///
/// Threads: one. Each I/O thread has its own.
class RequestIds {
public:
    explicit RequestIds(Random& random);

    /// The view is valid until the next call.
    [[nodiscard]] std::string_view next() noexcept;

private:
    std::array<char, 36> text_{};
    std::uint64_t counter_ = 0;
};

}  // namespace merpati::http
