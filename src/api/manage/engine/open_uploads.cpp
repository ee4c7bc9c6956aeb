#include "api/manage/engine/open_uploads.hpp"

#include <algorithm>

namespace merpati::api::manage {

std::expected<OpenUploads::Place, Outcome> OpenUploads::take(
    Share share, const std::shared_ptr<UploadBody>& body) {
    const bool is_local = share.kind == Share::Kind::local;
    const std::lock_guard lock{state_->mutex};
    auto& open = state_->open;
    const auto locals = static_cast<std::size_t>(std::ranges::count(
        open, Share::Kind::local, [](const Open& one) { return one.share.kind; }));
    if (!is_local && std::ranges::find(open, share, &Open::share) != open.end()) {
        return std::unexpected(upload_runs());
    }
    if (is_local ? locals >= local_max : open.size() - locals >= network_max) {
        return std::unexpected(busy());
    }
    open.push_back({.share = share, .body = body});
    return Place{body.get(), [state = state_](void* of) {
                     const std::lock_guard lock{state->mutex};
                     std::erase_if(state->open,
                                   [of](const Open& one) { return one.body.get() == of; });
                 }};
}

void OpenUploads::break_off() {
    const std::lock_guard lock{state_->mutex};
    for (const auto& one : state_->open) {
        one.body->break_off();
    }
}

}  // namespace merpati::api::manage
