#include "outbound/transfer.hpp"

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace merpati::outbound {
namespace {

constexpr std::chrono::seconds rate_window{5};  // Request::rate_min is measured over this.
constexpr std::uint64_t piece_bytes = std::uint64_t{64} << 10;  // Of a request's file.

}  // namespace

void Transfer::rewind() {
    bytes = request_text(request);
    file = {};
    file_left = 0;
    file_done = false;
}

Result<bool> Transfer::next_piece() {
    if (!request.file || file_done) {
        return false;
    }
    if (!file) {
        file = FileDescriptor{::open(request.file->path.c_str(), O_RDONLY | O_CLOEXEC)};
        if (!file) {
            return fail(ErrorCode::io_failed, "the file to send cannot be opened");
        }
        file_left = request.file->bytes;
    }
    if (file_left == 0) {
        file_done = true;
        bytes = request.file->after;
        return !bytes.empty();
    }
    bytes.resize(std::min(file_left, piece_bytes));
    const auto got = ::read(file.get(), bytes.data(), bytes.size());
    if (got <= 0) {
        return fail(ErrorCode::io_failed, "the file to send cannot be read to its end");
    }
    bytes.resize(static_cast<std::size_t>(got));
    file_left -= bytes.size();
    return true;
}

void Transfer::record_received(std::size_t bytes_received, SteadyTime now) {
    if (!std::exchange(received, true)) {
        window_ends = now + rate_window;
        window_bytes = 0;
    }
    window_bytes += bytes_received;
    if (suffices()) {
        deadline = std::min(deadline, now + request.body_wait);
    }
}

bool Transfer::suffices() const {
    return request.head_suffices && reader && reader->has_head();
}

bool Transfer::is_timed_out(SteadyTime now) {
    if (deadline <= now || (!received && first_byte_by <= now)) {
        return true;
    }
    if (request.rate_min == 0 || !received || now < window_ends) {
        return false;
    }
    window_ends = now + rate_window;
    return std::exchange(window_bytes, 0) <
           request.rate_min * static_cast<std::size_t>(rate_window.count());
}

}  // namespace merpati::outbound
