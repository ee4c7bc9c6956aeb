#include "telemetry/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "base/json_text.hpp"

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

}  // namespace

struct Log::Sink {
    const Clock& clock;
    Level level;
    Format format;
    spdlog::logger logger;
};

Log::Log(const Clock& clock, Level level, Format format)
    : sink_(
          new Sink{clock, level, format,
                   spdlog::logger{"merpati", std::make_shared<spdlog::sinks::stderr_sink_mt>()}}) {
    // The line is made here; spdlog brings it out whole and in order.
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
    std::string line;
    const auto time = to_rfc3339(sink_->clock.now());
    if (sink_->format == Format::text) {
        line = time + ' ' + std::string{word(level, Format::text)} + ' ' + room_ + ": " +
               std::string{message};
        for (const auto& field : fields) {
            line += ' ';
            line += field.name;
            line += '=';
            if (plain(field.text)) {
                line += field.text;
            } else {
                append_json_string(line, field.text);
            }
        }
    } else {
        line = R"({"time":")" + time + R"(","level":")";
        line += word(level, Format::json);
        line += R"(","room":)";
        append_json_string(line, room_);
        line += R"(,"message":)";
        append_json_string(line, message);
        for (const auto& field : fields) {
            line += ',';
            append_json_string(line, field.name);
            line += ':';
            if (field.quoted) {
                append_json_string(line, field.text);
            } else {
                line += field.text;
            }
        }
        line += '}';
    }
    sink_->logger.log(spdlog::level::info, "{}", line);
}

std::string mask_number(std::string_view digits) {
    if (digits.size() < 8) {
        return "***";
    }
    return std::string{digits.substr(0, 5)} + "***" + std::string{digits.substr(digits.size() - 4)};
}

}  // namespace merpati::telemetry
