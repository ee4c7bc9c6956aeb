#include "devices/pairing_limits.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace merpati::devices {
namespace {

using Bucket = PairingLimits::Bucket;

constexpr std::size_t buckets_before_sweep = 1'024;

/// How long until the bucket has a token.
template <class FullAt, class Key>
SteadyTime::duration wait_for(const FullAt& buckets, const Key& key, const Bucket& bucket,
                              SteadyTime now) {
    const auto found = buckets.find(key);
    const auto full_at = found == buckets.end() ? now : std::max(found->second, now);
    const auto longest = bucket.pause * static_cast<std::int64_t>(bucket.burst);
    return std::max<SteadyTime::duration>(full_at + bucket.pause - now - longest, {});
}

}  // namespace

Result<void> PairingLimits::check(const model::Device& device) const {
    const std::lock_guard lock{mutex_};
    return check(device, clock_.steady_now());
}

Result<void> PairingLimits::take(const model::Device& device) {
    const auto now = clock_.steady_now();
    const std::lock_guard lock{mutex_};
    if (auto has_token = check(device, now); !has_token) {
        return has_token;
    }
    sweep(now);
    auto& device_full = devices_[device.number];
    device_full = std::max(device_full, now) + of_device.pause;
    auto& account_full = accounts_[device.account.value];
    account_full = std::max(account_full, now) + of_account.pause;
    return {};
}

/// Call with the lock held.
Result<void> PairingLimits::check(const model::Device& device, SteadyTime now) const {
    const auto of_its_own = wait_for(devices_, device.number, of_device, now);
    const auto of_all = wait_for(accounts_, device.account.value, of_account, now);
    if (const auto wait = std::max(of_its_own, of_all); wait.count() > 0) {
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
        if (of_its_own >= of_all) {
            return fail(ErrorCode::too_many_requests,
                        fmt::format("{} was paired or connected too often: wait {} s",
                                    device.number.text(), seconds));
        }
        return fail(ErrorCode::too_many_requests,
                    fmt::format("devices of this account were paired or connected too often: "
                                "wait {} s",
                                seconds));
    }
    return {};
}

std::chrono::seconds PairingLimits::wait_of(const model::Device& device) const {
    const auto now = clock_.steady_now();
    const std::lock_guard lock{mutex_};
    return std::chrono::ceil<std::chrono::seconds>(
        std::max(wait_for(devices_, device.number, of_device, now),
                 wait_for(accounts_, device.account.value, of_account, now)));
}

void PairingLimits::sweep(SteadyTime now) {
    const auto is_full = [now](const auto& one) { return one.second <= now; };
    if (devices_.size() > buckets_before_sweep) {
        std::erase_if(devices_, is_full);
    }
    if (accounts_.size() > buckets_before_sweep) {
        std::erase_if(accounts_, is_full);
    }
}

}  // namespace merpati::devices
