#include "connector/process/program/output_log.hpp"

#include <boost/asio/buffer.hpp>

#include "base/printable.hpp"

namespace merpati::connector::process {

void LineLimit::log(telemetry::Level level, std::string_view text) {
    if (text.empty()) {
        return;
    }
    last_ = printable(text.substr(0, line_max));
    tell_left_out();
    if (count_ == 0) {
        begin_ = clock_.steady_now();
    }
    if (++count_ > lines_max) {
        return;
    }
    switch (level) {
        case telemetry::Level::debug:
            log_.debug(last_);
            return;
        case telemetry::Level::info:
            log_.info(last_);
            return;
        case telemetry::Level::warn:
            log_.warn(last_);
            return;
        case telemetry::Level::error:
            log_.error(last_);
            return;
    }
}

void LineLimit::tell_left_out() {
    if (clock_.steady_now() - begin_ < period) {
        return;
    }
    if (count_ > lines_max) {
        log_.warn("lines of the worker were left out", {{"count", count_ - lines_max}});
    }
    count_ = 0;
}

void OutputLog::close() {
    if (limit_ == nullptr) {
        return;
    }
    boost::system::error_code error;
    pipe_.non_blocking(true, error);
    for (int pieces = 0; pieces < 16 && !error; ++pieces) {
        const auto count = pipe_.read_some(boost::asio::buffer(piece_), error);
        take(count);
    }
    limit_->log(telemetry::Level::info, lines_.take_rest());
    limit_ = nullptr;
    pipe_.close(error);
}

void OutputLog::read() {
    pipe_.async_read_some(
        boost::asio::buffer(piece_),
        [self = shared_from_this()](const boost::system::error_code& error, std::size_t count) {
            if (self->limit_ == nullptr) {
                return;
            }
            if (!error) {
                self->take(count);
                self->read();
            }
        });
}

void OutputLog::take(std::size_t count) {
    lines_.add({piece_.data(), count});
    while (const auto line = lines_.take()) {
        limit_->log(telemetry::Level::info, *line);
    }
    if (lines_.is_too_long()) {
        limit_->log(telemetry::Level::info, lines_.take_rest());
    }
}

}  // namespace merpati::connector::process
