// What stands in the way of a campaign.
#pragma once

#include <cstdint>
#include <string>

namespace merpati::campaign {

/// One kind of fault of a campaign, as `POST /v1/campaigns/ID/check` lists it (docs/campaigns.md).
struct Problem {
    std::string code;        // "unknown_column"; the list is in docs/campaigns.md.
    std::string detail;      // For people, in English; api/texts has it in Indonesian.
    std::int64_t count = 1;  // How many places, rows or devices have it.
    bool blocking = true;    // The campaign cannot start.
    friend bool operator==(const Problem&, const Problem&) = default;
};

}  // namespace merpati::campaign
