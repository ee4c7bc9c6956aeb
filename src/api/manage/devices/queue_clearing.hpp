// Cancels the messages that wait for a device.
#pragma once

#include <cstddef>

#include <boost/json/object.hpp>

#include "admission/principal.hpp"
#include "api/manage/engine/context.hpp"

namespace merpati::api::manage {

struct Cleared {
    std::size_t cancelled = 0;  // Durably, each with its refund and its callback.
    bool complete = false;      // False: more may wait; call again.

    /// For the log of changes.
    [[nodiscard]] boost::json::object did() const {
        return {{"cancelled", cancelled}, {"complete", complete}};
    }
};

/// Cancels the messages that wait for the device and were accepted until `until` (queue time). That
/// bound makes the call end although new messages arrive. Messages that are being sent stay, and so
/// do those whose send was interrupted by a crash, because the platform may have them.
///
/// Operation: in small batches, one after the other, so that other commits wait only for a short
/// time. Before each batch the caller must still have its rights (CallerRights). If the process
/// dies in between, the messages of earlier batches are cancelled and the others wait.
///
/// Limits: cancels about cleared_max messages a call; it may exceed that by less than
/// cleared_at_once. Messages that stay do not count, so that they cannot keep the call from ever
/// being complete. A lane is walked once, by ListReader::walk_lane.
///
/// Errors: forbidden (the caller has lost its rights), store_failed, damaged, timeout,
/// shutting_down. Then, too, `cleared` says how many were cancelled, as does the detail.
[[nodiscard]] Result<void> clear_queue(const Context& context, const admission::Principal& caller,
                                       model::PhoneNumber device, Timestamp until,
                                       Cleared& cleared);

inline constexpr std::size_t cleared_max = 20'000;
inline constexpr std::size_t cleared_at_once = 256;

}  // namespace merpati::api::manage
