#include "connector/write_budget.hpp"

#include <algorithm>

namespace merpati::connector {
namespace {

constexpr std::chrono::nanoseconds burst = std::chrono::seconds{WriteBudget::burst_seconds};

/// The time in which so many bytes are earned.
constexpr std::chrono::nanoseconds cost_of(std::size_t bytes, std::uint64_t rate) {
    return std::chrono::nanoseconds{
        static_cast<std::int64_t>(bytes * std::uint64_t{1'000'000'000} / rate)};
}

}  // namespace

Millis WriteBudget::take(model::AccountId account, model::PhoneNumber device, std::size_t bytes) {
    const auto now = clock_.steady_now();
    forget_idle(now);
    auto& of_device = of_device_[device];
    auto& of_account = of_account_[account];
    auto& floor = floor_of_account_[account];
    const auto floor_wait = wait_for(floor, now, cost_of(bytes, account_floor));
    const auto worker_wait = wait_for(worker_, now, cost_of(bytes, worker_rate));
    const auto wait = std::max({wait_for(of_device, now, cost_of(bytes, device_rate)),
                                wait_for(of_account, now, cost_of(bytes, account_rate)),
                                std::min(worker_wait, floor_wait)});
    if (wait > Nanos{0}) {
        return std::chrono::ceil<Millis>(wait);
    }
    charge(of_device, now, cost_of(bytes, device_rate));
    charge(of_account, now, cost_of(bytes, account_rate));
    charge(worker_, now, cost_of(bytes, worker_rate));
    if (floor_wait == Nanos{0}) {
        charge(floor, now, cost_of(bytes, account_floor));
    }
    return Millis{0};
}

WriteBudget::Nanos WriteBudget::wait_for(FullAt full_at, SteadyTime now, Nanos cost) {
    const auto used = std::max(full_at, now) - now;
    return used == Nanos{0} ? Nanos{0} : std::max(Nanos{0}, Nanos{used} + cost - burst);
}

void WriteBudget::charge(FullAt& full_at, SteadyTime now, Nanos cost) {
    full_at = std::max(full_at, now) + cost;
}

void WriteBudget::forget_idle(SteadyTime now) {
    if (now < next_forget_) {
        return;
    }
    next_forget_ = now + burst;
    const auto is_full = [now](const auto& entry) { return entry.second <= now; };
    std::erase_if(of_device_, is_full);
    std::erase_if(of_account_, is_full);
    std::erase_if(floor_of_account_, is_full);
}

}  // namespace merpati::connector
