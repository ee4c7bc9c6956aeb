// Message and event ids: UUIDs of version 7 (RFC 9562 section 5.7), ordered by time.
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/random.hpp"

namespace merpati {

/// A UUID that consists of two numbers:
///   sequence  63 bits: milliseconds since 2020 (41 bits) and a counter (22 bits). Unique in a
///             store and ascending in time, so an engine can use it as the row's key, without an
///             index of ids.
///   tail      50 random bits, so that an id cannot be guessed from a neighbour's.
/// In the printed UUID, the 48-bit time field, `rand_a` and the first 10 bits of `rand_b` hold the
/// sequence.
class Uuid {
public:
    constexpr Uuid() = default;
    constexpr Uuid(std::int64_t sequence, std::uint64_t tail) : sequence_(sequence), tail_(tail) {}

    [[nodiscard]] constexpr std::int64_t sequence() const noexcept { return sequence_; }
    [[nodiscard]] constexpr std::uint64_t tail() const noexcept { return tail_; }

    /// When the id was made, by the clock of its UuidSource.
    [[nodiscard]] Timestamp time() const noexcept;

    /// Canonical form, 36 characters, lower case.
    [[nodiscard]] std::string text() const;
    void append_to(std::string& out) const;

    /// Reads the canonical form, in either case. Empty when it is not one, or not one of ours.
    [[nodiscard]] static std::optional<Uuid> parse(std::string_view text) noexcept;

    /// The lowest sequence that an id made at `time` can have, for ranges by time.
    [[nodiscard]] static std::int64_t sequence_at(Timestamp time) noexcept;

    friend constexpr auto operator<=>(const Uuid&, const Uuid&) = default;

    static constexpr int counter_bits = 22;
    static constexpr int tail_bits = 50;

private:
    std::int64_t sequence_ = 0;
    std::uint64_t tail_ = 0;
};

/// Which of the processes that make ids for one store at once: 0 to id_slots - 1.
using IdSlot = std::uint8_t;
inline constexpr std::int64_t id_slots = 64;

/// Makes ids whose sequences ascend strictly, whatever the clock does.
///
/// Operation: a source with a slot makes sequences that leave the remainder `slot` when they are
/// divided by `id_slots`. So several processes make ids for one store, and no sequence is made
/// twice, as long as each has a slot of its own.
///
/// Threads: any; one atomic step per id.
class UuidSource {
public:
    /// `floor`: the highest sequence in the store. New ids are above it, so that a clock that was
    /// set back cannot repeat an id. `slot` empty: no other process makes ids for the store.
    UuidSource(const Clock& clock, Random& random, std::int64_t floor = 0,
               std::optional<IdSlot> slot = {});

    [[nodiscard]] Uuid next();

private:
    const Clock& clock_;
    Random& random_;
    const std::int64_t stride_;
    const std::int64_t slot_;
    std::atomic<std::int64_t> last_;
};

}  // namespace merpati

template <>
struct std::hash<merpati::Uuid> {
    std::size_t operator()(const merpati::Uuid& id) const noexcept {
        return std::hash<std::int64_t>{}(id.sequence());
    }
};
