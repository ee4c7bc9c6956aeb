// The events of one account that a client may still be given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace merpati::api {

/// Operation: events are numbered from 1; a client knows the number of the last one that it was
/// given, as the text `id_of` makes of it. `epoch` tells this ring from an earlier one of the same
/// account, whose numbers say nothing here.
///
/// Limits: `events_max` events and `bytes_max` bytes; the oldest are dropped for new ones.
///
/// Threads: none.
class EventRing {
public:
    static constexpr std::size_t events_max = 1'024;
    static constexpr std::size_t bytes_max = 256UL * 1024;

    explicit EventRing(std::string epoch) : epoch_(std::move(epoch)) {}

    /// `data` is JSON without line breaks.
    void add(std::string_view name, std::string_view data);

    [[nodiscard]] std::uint64_t last() const noexcept { return last_; }
    [[nodiscard]] std::string id_of(std::uint64_t number) const;

    /// The number that an id stands for; empty: it is of another ring, or malformed.
    [[nodiscard]] std::optional<std::uint64_t> number_of(std::string_view id) const;

    /// Whether all events after this one are still here.
    [[nodiscard]] bool reaches(std::uint64_t number) const noexcept;

    /// The events after `number`, as they are sent, about `most` bytes of them; moves `number` to
    /// the last of them.
    [[nodiscard]] std::string after(std::uint64_t& number, std::size_t most) const;

    /// What tells a client to read everything anew; it goes on from the last event.
    [[nodiscard]] std::string resync() const;

private:
    const std::string epoch_;
    std::uint64_t last_ = 0;
    std::deque<std::string> events_;  // The last of them is number `last_`.
    std::size_t bytes_ = 0;
};

}  // namespace merpati::api
