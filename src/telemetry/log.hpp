// The log, for operators: one line per event, on standard error.
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "telemetry/level.hpp"

namespace merpati::telemetry {

enum class Format : std::uint8_t { text, json };

/// A named value of a line. It copies no text, because most lines are below the level: name and
/// text must outlive the call. Never pass message text, a key, a secret or a whole phone number.
class Field {
public:
    Field(std::string_view name, std::string_view text) : name_(name), text_(text) {}
    template <std::integral Number>
    Field(std::string_view name, Number number) : name_(name) {
        char* const begin = digits_.data();
        digits_count_ = std::to_chars(begin, begin + digits_.size(), number).ptr - begin;
    }

    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    [[nodiscard]] bool is_number() const noexcept { return digits_count_ > 0; }
    [[nodiscard]] std::string_view text() const noexcept {
        return is_number() ? std::string_view{digits_.data(), digits_.data() + digits_count_}
                           : text_;
    }

private:
    std::string_view name_;
    std::string_view text_;
    std::array<char, 20> digits_{};  // Of any 64-bit number, its sign included.
    std::ptrdiff_t digits_count_ = 0;
};

/// Writes "2026-11-20T10:00:00.123Z INFO store: committed rows=3", or one JSON object per line:
/// {"time","level","room","message",…}. Control characters in values are escaped, so that no value
/// can begin a new line.
///
/// Limits: above debug, the same message of the same room is written 20 times a minute; one line
/// after the minute says how many were left out (Repeats).
///
/// Threads: any. Copies share one sink; `in` makes the copy for a room.
class Log {
public:
    Log(const Clock& clock, Level level, Format format);

    /// A log that drops everything; for tests.
    [[nodiscard]] static Log none();

    [[nodiscard]] Log in(std::string_view room) const;

    void debug(std::string_view message, std::initializer_list<Field> fields = {}) const {
        write(Level::debug, message, fields);
    }
    void info(std::string_view message, std::initializer_list<Field> fields = {}) const {
        write(Level::info, message, fields);
    }
    void warn(std::string_view message, std::initializer_list<Field> fields = {}) const {
        write(Level::warn, message, fields);
    }
    void error(std::string_view message, std::initializer_list<Field> fields = {}) const {
        write(Level::error, message, fields);
    }

    /// Logs how many lines were left out in minutes that have passed. Every log call does so too;
    /// call this periodically, for times without lines.
    void tell_left_out() const;

private:
    struct Sink;
    Log() = default;
    void write(Level level, std::string_view message, std::initializer_list<Field> fields) const;

    std::shared_ptr<Sink> sink_;
    std::string room_ = "merpati";
};

/// "62811***0001": enough to recognise a number, too little to write to it.
[[nodiscard]] std::string mask_number(std::string_view digits);

}  // namespace merpati::telemetry
