#include "api/manage/callbacks/replay_rate.hpp"

#include <fmt/format.h>

namespace merpati::api::manage {

Result<void> take_replays(const Context& context, const admission::Principal& principal,
                          model::AccountId account, std::size_t count) {
    const auto entry = context.directory.find_account(account);
    if (principal.kind == admission::Principal::Kind::local_operator || entry == nullptr) {
        return {};
    }
    const auto verdict =
        entry->replays->take(replay_rate.count, replay_rate.period, context.clock.steady_now(),
                             static_cast<std::uint32_t>(count));
    if (verdict.allowed) {
        return {};
    }
    const auto wait = std::chrono::ceil<std::chrono::seconds>(verdict.retry_after);
    return fail(ErrorCode::too_many_requests,
                fmt::format("an account may replay {} callbacks a minute: try again in {} s",
                            replay_rate.count, wait.count()));
}

}  // namespace merpati::api::manage
