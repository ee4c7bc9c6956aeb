// Cancelling all that waits for a device.
#pragma once

#include <cstddef>

#include "api/manage/context.hpp"

namespace merpati::api::manage {

struct Cleared {
    std::size_t cancelled = 0;  // Durably, each with its credit and its callback.
    bool complete = true;       // False: more may wait; call again.
};

/// Cancels the messages that wait for the device and were accepted until `until` (queue time), so
/// that it ends also while new ones come. One that is being sent stays, and so does one whose send
/// a crash cut off: the platform may have it.
///
/// Operation: in small batches, one after the other, so that the store's thread is never held up
/// for long. Killed in between, what was cancelled is cancelled, and the rest waits.
///
/// Limits: cleared_max messages a call.
///
/// Errors: store_failed, damaged, timeout, shutting_down; the detail says how many were cancelled.
[[nodiscard]] Result<Cleared> clear_queue(const Context& context, model::PhoneNumber device,
                                          Timestamp until);

inline constexpr std::size_t cleared_max = 20'000;
inline constexpr std::size_t cleared_at_once = 256;

}  // namespace merpati::api::manage
