// Which waiting callbacks the next request carries (docs/api.md, Callbacks in batches).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "callback/queues.hpp"

namespace merpati::callback {

/// Operation: an account has single callbacks, or batches (model::CallbackBatch). A single one is
/// posted with its stored bytes. With batches, statuses of the account for the same URL are posted
/// together: `{"events":[{"id","timestamp","payload"}]}`, one alone too. A request is composed when
/// a slot is free, from what waits in memory then; nothing is composed ahead. A status goes at once
/// if no request to its URL is in flight. If one is, it waits until that ends, until `max` wait, or
/// until `wait` after the oldest was due. Webhooks of devices and campaigns always go alone, and
/// at once.
///
/// Halves: only callbacks that have failed equally often, in equal batches, are posted together, so
/// that one which the receiver cannot take makes no new ones fail. From the second failure on, the
/// next batch has at most half of the events of the last one (`events_max`). Halves of a batch that
/// was too large (413) go at once.
///
/// Order: within a URL by place in memory, which is the order of due times.
///
/// Identity: `id` is the callback's own, on all attempts. The `webhook-id` is new for each
/// composition, also if it has the same events again; the signature covers the whole body.
///
/// Limits: `max` events and `bytes_max` of a body, but one event whatever its size. It looks at the
/// first `looked_at_max` callbacks of the origin in memory, and at `groups_max` URLs; later ones
/// take their turn when earlier ones have left. Callbacks that are composed keep their place in the
/// account's share of memory until the request has ended (Backlog).
///
/// Threads: the sender's one.
struct Composition {
    std::vector<std::size_t> places;     // In OriginQueue::memory, ascending. Empty: all wait.
    Timestamp until = Timestamp::max();  // Then: when the first of them goes.

    static constexpr std::size_t bytes_max = std::size_t{256} << 10;
    static constexpr std::size_t looked_at_max = 512;
    static constexpr std::size_t groups_max = 16;
};

/// The memory of the origin must not be empty.
[[nodiscard]] Composition compose(const OriginQueue& origin, Timestamp now);

/// Whether it may be posted with others.
[[nodiscard]] bool is_status(const Delivery& delivery) noexcept;

/// How many events its next batch may have after its failures; 0: as many as the account's.
[[nodiscard]] std::size_t events_max(const model::CallbackProgress& progress) noexcept;

[[nodiscard]] std::string batch_body(std::span<const std::unique_ptr<Delivery>> events);

}  // namespace merpati::callback
