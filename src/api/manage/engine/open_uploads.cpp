#include "api/manage/engine/open_uploads.hpp"

#include <algorithm>

namespace merpati::api::manage {

std::expected<OpenUploads::Place, Outcome> OpenUploads::take(
    Share share, const std::shared_ptr<UploadBody>& body) {
    const bool is_local = share.kind == Share::Kind::local;
    const std::lock_guard lock{state_->mutex};
    auto& open = state_->open;
    const auto count_of = [&](bool local) {
        return static_cast<std::size_t>(std::ranges::count_if(open, [local](const Open& one) {
            return !one.body->is_broken_off() && (one.share.kind == Share::Kind::local) == local;
        }));
    };
    const bool runs = std::ranges::any_of(
        open, [&](const Open& one) { return one.share == share && !one.body->is_broken_off(); });
    if (!is_local && runs) {
        return std::unexpected(upload_runs());
    }
    const bool is_full = count_of(is_local) >= (is_local ? local_max : network_max);
    if (is_full && (is_local || !make_room(open))) {
        return std::unexpected(busy());
    }
    open.push_back({.share = share, .body = body, .since = clock_.steady_now()});
    if (!is_local) {
        body->on_account = [state = state_, of = body.get()](model::AccountId account) {
            return take_place_of(*state, of, account);
        };
    }
    return Place{body.get(), [state = state_](void* of) {
                     const std::lock_guard lock{state->mutex};
                     std::erase_if(state->open,
                                   [of](const Open& one) { return one.body.get() == of; });
                 }};
}

Result<void> OpenUploads::take_place_of(State& state, const UploadBody* body,
                                        model::AccountId account) {
    const std::lock_guard lock{state.mutex};
    for (auto& one : state.open) {
        if (one.body.get() != body && one.account == account && !one.body->is_broken_off()) {
            return fail(ErrorCode::too_many_requests,
                        "another upload of this account has not ended: wait for its end");
        }
    }
    for (auto& one : state.open) {
        if (one.body.get() == body) {
            one.account = account;
        }
    }
    return {};
}

/// False: none has held its place for long enough.
bool OpenUploads::make_room(const std::vector<Open>& open) const {
    const auto now = clock_.steady_now();
    const auto rate_of = [now](const Open& one) {
        const std::chrono::duration<double> held = now - one.since;
        return static_cast<double>(one.body->bytes()) / held.count();
    };
    auto slowest = open.end();
    for (auto one = open.begin(); one != open.end(); ++one) {
        const bool may_go = one->share.kind != Share::Kind::local && !one->body->is_broken_off() &&
                            now - one->since >= place_kept;
        if (may_go && (slowest == open.end() || rate_of(*one) < rate_of(*slowest))) {
            slowest = one;
        }
    }
    if (slowest == open.end()) {
        return false;
    }
    slowest->body->break_off();
    return true;
}

void OpenUploads::break_off() {
    const std::lock_guard lock{state_->mutex};
    for (const auto& one : state_->open) {
        one.body->break_off();
    }
}

}  // namespace merpati::api::manage
