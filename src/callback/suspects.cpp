#include "callback/suspects.hpp"

#include <algorithm>

namespace merpati::callback {
namespace {

using namespace std::chrono_literals;

constexpr Millis first_wait = 2s;
constexpr Millis longest_wait = 10min;
constexpr Millis distance = 20ms;  // Between two of them.

Millis wait_after(std::uint32_t crashes) {
    const auto doublings = std::min<std::uint32_t>(crashes > 0 ? crashes - 1 : 0, 16);
    return std::min(first_wait * (1 << doublings), longest_wait);
}

}  // namespace

Suspects::Suspects(const std::string& file, std::size_t most) {
    if (!file.empty()) {
        // Those of the last life keep their places until they have been attempted again.
        auto opened = UnderWayFile::open(file, 2 * most);
        if (opened) {
            file_.emplace(std::move(*opened));
        }
    }
}

Result<void> Suspects::recover(store::Reader& reader, SteadyTime now) {
    if (!file_) {
        return {};
    }
    auto found = file_->found();
    std::ranges::sort(found, {}, &UnderWayFile::Found::crashes);
    Millis behind{0};
    for (const auto& one : found) {
        auto queued = reader.callback(one.id);
        if (!queued) {
            return pass(queued);
        }
        if (!*queued || (*queued)->progress.state != model::CallbackState::waiting) {
            file_->forget(one.id);  // Its result was committed before the end.
            continue;
        }
        const store::Endpoint endpoint{.account = (*queued)->callback.account,
                                       .origin_key = (*queued)->callback.origin_key};
        held_.emplace(one.id, endpoint);
        order_.push_back({.id = one.id,
                          .endpoint = endpoint,
                          .release_at = now + wait_after(one.crashes) + behind});
        behind += distance;
    }
    std::ranges::reverse(order_);
    return {};
}

std::optional<store::Endpoint> Suspects::release(SteadyTime now) {
    if (order_.empty() || order_.back().release_at > now) {
        return std::nullopt;
    }
    const auto endpoint = order_.back().endpoint;
    held_.erase(order_.back().id);
    order_.pop_back();
    return endpoint;
}

SteadyTime Suspects::next_at() const {
    return order_.empty() ? SteadyTime::max() : order_.back().release_at;
}

}  // namespace merpati::callback
