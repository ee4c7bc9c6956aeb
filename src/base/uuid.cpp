#include "base/uuid.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/ascii.hpp"
#include "base/assert.hpp"

namespace merpati {
namespace {

using namespace std::chrono_literals;

// 2020-01-01T00:00:00Z. 41 bits of milliseconds reach to 2089.
constexpr std::int64_t epoch_millis = 1'577'836'800'000;
constexpr int low_counter_bits = 10;  // Counter bits in rand_b; the other 12 are in rand_a.

constexpr std::uint64_t mask(int bits) {
    return (std::uint64_t{1} << bits) - 1;
}

constexpr std::size_t text_size = 36;

/// Writes the last digits of `value` before `end`.
template <std::size_t digits>
void write_hex(char* end, std::uint64_t value) {
    for (std::size_t digit = 1; digit <= digits; ++digit) {
        *(end - digit) = hex_digits[value & 15];
        value >>= 4;
    }
}

}  // namespace

Timestamp Uuid::time() const noexcept {
    return from_unix_millis((sequence_ >> counter_bits) + epoch_millis);
}

std::int64_t Uuid::sequence_at(Timestamp time) noexcept {
    // Callers may name any time; no id is made outside this range.
    constexpr auto last_millis = epoch_millis + static_cast<std::int64_t>(mask(63 - counter_bits));
    return (std::clamp(to_unix_millis(time), epoch_millis, last_millis) - epoch_millis)
           << counter_bits;
}

std::string Uuid::text() const {
    std::string out;
    out.reserve(text_size);
    append_to(out);
    return out;
}

void Uuid::append_to(std::string& out) const {
    const auto sequence = static_cast<std::uint64_t>(sequence_);
    const std::uint64_t millis = (sequence >> counter_bits) + epoch_millis;
    const std::uint64_t counter = sequence & mask(counter_bits);
    const std::uint64_t rand_a = counter >> low_counter_bits;
    const std::uint64_t rand_b =
        ((counter & mask(low_counter_bits)) << (62 - low_counter_bits)) | (tail_ & mask(tail_bits));
    std::array<char, text_size> text;  // Appended in one call: several ids are written per message.
    text[8] = text[13] = text[18] = text[23] = '-';
    write_hex<8>(&text[8], millis >> 16);
    write_hex<4>(&text[13], millis);
    write_hex<4>(&text[18], 0x7000 | rand_a);
    write_hex<4>(&text[23], 0x8000 | (rand_b >> 48));
    write_hex<12>(text.data() + text.size(), rand_b);
    out.append(text.data(), text.size());
}

std::optional<Uuid> Uuid::parse(std::string_view text) noexcept {
    if (text.size() != text_size) {
        return std::nullopt;
    }
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    int digits = 0;
    for (std::size_t place = 0; place < text.size(); ++place) {
        if (place == 8 || place == 13 || place == 18 || place == 23) {
            if (text[place] != '-') {
                return std::nullopt;
            }
            continue;
        }
        const int value = hex_value(text[place]);
        if (value < 0) {
            return std::nullopt;
        }
        auto& half = digits++ < 16 ? high : low;
        half = half << 4 | static_cast<std::uint64_t>(value);
    }
    const auto millis = static_cast<std::int64_t>(high >> 16) - epoch_millis;
    const bool ours = (high >> 12 & 15) == 7 && low >> 62 == 2 && millis >= 0 &&
                      static_cast<std::uint64_t>(millis) <= mask(63 - counter_bits) &&
                      (low >> tail_bits & 3) == 0;
    if (!ours) {
        return std::nullopt;
    }
    const std::uint64_t counter = (high & 0xFFF) << low_counter_bits |
                                  (low >> (62 - low_counter_bits) & mask(low_counter_bits));
    return Uuid{
        static_cast<std::int64_t>(static_cast<std::uint64_t>(millis) << counter_bits | counter),
        low & mask(tail_bits)};
}

UuidSource::UuidSource(const Clock& clock, Random& random, std::int64_t floor,
                       std::optional<IdSlot> slot)
    : clock_(clock),
      random_(random),
      stride_(slot ? id_slots : 1),
      slot_(slot.value_or(0)),
      last_(floor) {
    invariant(slot_ < stride_, "a slot is one of id_slots");
}

Uuid UuidSource::next() {
    const std::int64_t earliest = Uuid::sequence_at(clock_.now());
    std::int64_t last = last_.load(std::memory_order_relaxed);
    std::int64_t sequence = 0;
    do {
        sequence = std::max(last + 1, earliest);
        sequence += (slot_ - sequence % stride_ + stride_) % stride_;
    } while (!last_.compare_exchange_weak(last, sequence, std::memory_order_relaxed));
    return Uuid{sequence, random_.next() & mask(Uuid::tail_bits)};
}

}  // namespace merpati
