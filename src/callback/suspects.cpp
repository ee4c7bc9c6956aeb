#include "callback/suspects.hpp"

#include <algorithm>

namespace merpati::callback {

Suspects::Suspects(const std::string& file, std::size_t most,
                   const std::function<void(const Error&)>& on_error) {
    if (!file.empty()) {
        // Callbacks of the previous process keep their slots until they are attempted again.
        auto opened = UnderWayFile::open(file, 2 * most);
        if (opened) {
            file_.emplace(std::move(*opened));
        } else if (on_error) {
            on_error(opened.error());
        }
    }
}

Result<void> Suspects::recover(store::CallbackReader& reader, SteadyTime now) {
    if (!file_) {
        return {};
    }
    for (const auto& one : file_->found()) {
        auto queued = reader.callback(one.id);
        if (!queued && queued.error().code != ErrorCode::damaged) {
            return pass(queued);
        }
        if (!queued) {
            file_->forget(one.id);  // It cannot be read, so it is not attempted again.
            continue;
        }
        if (!*queued || (*queued)->progress.state != model::CallbackState::waiting) {
            file_->forget(one.id);  // Its result was committed before the crash.
            continue;
        }
        const store::Endpoint endpoint{.account = (*queued)->callback.account,
                                       .origin_key = (*queued)->callback.origin_key};
        endpoints_.emplace(one.id, endpoint);
        order_.push_back({.id = one.id, .endpoint = endpoint, .release_at = now + one.put_off});
    }
    std::ranges::reverse(order_);
    return {};
}

std::optional<store::Endpoint> Suspects::release(SteadyTime now) {
    if (order_.empty() || order_.back().release_at > now) {
        return std::nullopt;
    }
    const auto endpoint = order_.back().endpoint;
    endpoints_.erase(order_.back().id);
    order_.pop_back();
    return endpoint;
}

SteadyTime Suspects::next_at() const {
    return order_.empty() ? SteadyTime::max() : order_.back().release_at;
}

}  // namespace merpati::callback
