// The latest events of one account, for clients that reconnect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "model/scope.hpp"

namespace merpati::api {

/// The scope that an event needs, as the operations that show the same.
[[nodiscard]] model::Scope scope_of(std::string_view event) noexcept;

/// Operation: events are numbered from 1. A client keeps the id of its last event, which `id_of`
/// makes of its number. `epoch` distinguishes this ring from earlier ones of the account, whose
/// numbers have no meaning here. A client gets the events that its scopes let it read elsewhere
/// too (`scope_of`).
///
/// Limits: `events_max` events and `bytes_max` bytes; the oldest are dropped first.
///
/// Threads: none.
class EventRing {
public:
    static constexpr std::size_t events_max = 1'024;
    static constexpr std::size_t bytes_max = 256UL * 1024;

    explicit EventRing(std::string epoch) : epoch_(std::move(epoch)) {}

    /// `data` is JSON without line breaks.
    void add(std::string_view name, std::string_view data);

    /// Call when events were lost: no number from before, the last one included, is within reach.
    void lose();

    [[nodiscard]] std::uint64_t last() const noexcept { return last_; }
    [[nodiscard]] std::string id_of(std::uint64_t number) const;

    /// The number in an id. Empty: the id is malformed, or of another ring.
    [[nodiscard]] std::optional<std::uint64_t> number_of(std::string_view id) const;

    /// Whether all events after this number are still here.
    [[nodiscard]] bool reaches(std::uint64_t number) const noexcept;

    /// The bytes of the events after `number`, which must be within reach (`reaches`), without
    /// those that need a scope which is not in `scopes`. Stops at the event that reaches `most`
    /// bytes, and sets `number` to that of the last event.
    [[nodiscard]] std::string after(std::uint64_t& number, std::size_t most,
                                    model::Scopes scopes) const;

    /// The event that tells a client to read everything again. Its id is that of the last event.
    [[nodiscard]] std::string resync() const;

private:
    struct Event {
        std::string text;
        model::Scope needs;
    };

    const std::string epoch_;
    std::uint64_t last_ = 0;
    std::deque<Event> events_;  // The last one has the number `last_`.
    std::size_t bytes_ = 0;
};

}  // namespace merpati::api
