#include "outbound/transfer.hpp"

#include <algorithm>
#include <utility>

namespace merpati::outbound {
namespace {

constexpr std::chrono::seconds rate_window{5};  // Request::rate_min is measured over this.

}  // namespace

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
