// The node that works.
#pragma once

#include <cstdint>
#include <string>

namespace merpati::forwarding {

/// A node that works, in one of its lives, and where it takes requests.
struct Owner {
    std::int64_t node = 0;
    std::int64_t generation = 0;
    std::string address{};  // "10.0.0.5:8081"; "": it takes none.

    bool operator==(const Owner&) const = default;
};

}  // namespace merpati::forwarding
