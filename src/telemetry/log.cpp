#include "telemetry/log.hpp"

#include <mutex>
#include <vector>

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "telemetry/repeats.hpp"

namespace merpati::telemetry {
namespace {

std::string_view word(Level level, Format format) {
    switch (level) {
        case Level::debug:
            return format == Format::text ? "DEBUG" : "debug";
        case Level::info:
            return format == Format::text ? "INFO" : "info";
        case Level::warn:
            return format == Format::text ? "WARN" : "warn";
        case Level::error:
            return format == Format::text ? "ERROR" : "error";
    }
    return "error";
}

bool plain(std::string_view text) {
    for (const char c : text) {
        if (c <= ' ' || c == '"' || c == '\\' || c == 0x7f) {
            return false;
        }
    }
    return !text.empty();
}

std::string text_line(const std::string& time, Level level, std::string_view room,
                      std::string_view message, std::initializer_list<Field> fields) {
    auto line = fmt::format("{} {} {}: {}", time, word(level, Format::text), room, message);
    for (const auto& field : fields) {
        line += ' ';
        line += field.name();
        line += '=';
        if (plain(field.text())) {
            line += field.text();
        } else {
            append_json_string(line, field.text());
        }
    }
    return line;
}

std::string json_line(const std::string& time, Level level, std::string_view room,
                      std::string_view message, std::initializer_list<Field> fields) {
    auto line =
        fmt::format(R"({{"time":"{}","level":"{}","room":)", time, word(level, Format::json));
    append_json_string(line, room);
    line += R"(,"message":)";
    append_json_string(line, message);
    for (const auto& field : fields) {
        line += ',';
        append_json_string(line, field.name());
        line += ':';
        if (field.is_number()) {
            line += field.text();
        } else {
            append_json_string(line, field.text());
        }
    }
    line += '}';
    return line;
}

}  // namespace

struct Log::Sink {
    const Clock& clock;
    Level level;
    Format format;
    spdlog::logger logger;
    std::mutex repeats_mutex;
    Repeats repeats;

    bool admit(Level of_line, std::string_view room, std::string_view message) {
        const std::lock_guard lock{repeats_mutex};
        return of_line == Level::debug || repeats.admit(room, message, of_line, clock.steady_now());
    }

    void tell_left_out() {
        std::vector<Repeats::Line> ended;
        {
            const std::lock_guard lock{repeats_mutex};
            ended = repeats.ended(clock.steady_now());
        }
        for (const auto& line : ended) {
            write(line.level, line.room, "left out repeated lines",
                  {{"line", line.message}, {"count", line.left_out}});
        }
    }

    void write(Level of_line, std::string_view room, std::string_view message,
               std::initializer_list<Field> fields) {
        const auto time = to_rfc3339(clock.now());
        const auto line = format == Format::text ? text_line(time, of_line, room, message, fields)
                                                 : json_line(time, of_line, room, message, fields);
        logger.log(spdlog::level::info, "{}", printable_json(line));
    }
};

Log::Log(const Clock& clock, Level level, Format format)
    : sink_(new Sink{.clock = clock,
                     .level = level,
                     .format = format,
                     .logger = {"merpati", std::make_shared<spdlog::sinks::stderr_sink_mt>()}}) {
    // This file makes the whole line; spdlog only writes it.
    sink_->logger.set_formatter(std::make_unique<spdlog::pattern_formatter>("%v"));
    sink_->logger.set_level(spdlog::level::trace);
}

Log Log::none() {
    return {};
}

Log Log::in(std::string_view room) const {
    Log copy = *this;
    copy.room_ = room;
    return copy;
}

void Log::write(Level level, std::string_view message, std::initializer_list<Field> fields) const {
    if (sink_ == nullptr || level < sink_->level) {
        return;
    }
    sink_->tell_left_out();
    if (sink_->admit(level, room_, message)) {
        sink_->write(level, room_, message, fields);
    }
}

void Log::tell_left_out() const {
    if (sink_ != nullptr) {
        sink_->tell_left_out();
    }
}

std::string mask_number(std::string_view digits) {
    if (digits.size() < 8) {
        return "***";
    }
    return std::string{digits.substr(0, 5)} + "***" + std::string{digits.substr(digits.size() - 4)};
}

}  // namespace merpati::telemetry
