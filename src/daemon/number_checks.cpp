#include "daemon/number_checks.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace merpati::daemon {
namespace {

/// Full buckets are removed when there are more devices than this.
constexpr std::size_t devices_before_sweep = 1'024;

std::string key_of(const model::Device& device, std::string_view number) {
    return fmt::format("{} {}", device.connector, number);
}

}  // namespace

std::optional<NumberChecks::Check> NumberChecks::find(const model::Device& device,
                                                      std::string_view number) {
    const std::lock_guard lock{mutex_};
    const auto* kept = kept_.find(device.account, key_of(device, number));
    return kept != nullptr && kept->until > clock_.steady_now() ? std::optional{kept->check}
                                                                : std::nullopt;
}

bool NumberChecks::take_turn(model::PhoneNumber device) {
    const std::lock_guard lock{mutex_};
    const auto now = clock_.steady_now();
    if (whole_at_.size() > devices_before_sweep) {
        std::erase_if(whole_at_, [now](const auto& one) { return one.second <= now; });
    }
    auto& whole_at = whole_at_[device];
    const auto next = std::max(whole_at, now) + pause;
    if (next > now + burst * pause) {
        return false;
    }
    whole_at = next;
    return true;
}

NumberChecks::Check NumberChecks::keep(const model::Device& device, std::string_view number,
                                       bool registered) {
    const Check check{.registered = registered, .checked_at = clock_.now()};
    const auto kept_for = registered ? registered_for : unregistered_for;
    const std::lock_guard lock{mutex_};
    kept_.put(device.account, key_of(device, number),
              {.check = check, .until = clock_.steady_now() + kept_for});
    return check;
}

}  // namespace merpati::daemon
