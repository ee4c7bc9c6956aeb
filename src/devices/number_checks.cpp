#include "devices/number_checks.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace merpati::devices {
namespace {

/// Full buckets are removed when there are more devices than this.
constexpr std::size_t devices_before_sweep = 1'024;

std::string key_of(const model::Device& device, const std::string& number) {
    return fmt::format("{} {}", device.connector, number);
}

/// Whether the answer holds for every device of the connector.
bool is_about_number(const Result<bool>& registered) {
    return registered || registered.error().code == ErrorCode::invalid_argument;
}

}  // namespace

bool NumberChecks::begin(const model::Device& device, const std::string& number, Checked done) {
    const auto key = key_of(device, number);
    std::optional<Result<Check>> answer;
    {
        const std::lock_guard lock{mutex_};
        answer = find(device, key);
        const auto question = std::pair{device.account, key};
        const auto asked = under_way_.find(question);
        if (!answer && asked != under_way_.end()) {
            asked->second.push_back({device, std::move(done)});
            return false;
        }
        if (!answer && take_turn(device.number)) {
            under_way_[question].push_back({device, std::move(done)});
            return true;
        }
    }
    done(answer ? *std::move(answer)
                : fail(ErrorCode::too_many_requests,
                       fmt::format("the device has asked its platform about {} numbers: it may ask "
                                   "about one more each minute",
                                   burst)));
    return false;
}

std::vector<NumberChecks::Waiting> NumberChecks::end(const model::Device& device,
                                                     const std::string& number,
                                                     const Result<bool>& registered) {
    const auto key = key_of(device, number);
    std::vector<Waiting> answered;
    std::vector<Waiting> others;
    std::optional<Result<Check>> answer;
    {
        const std::lock_guard lock{mutex_};
        answer = keep(device, key, registered);
        auto asked = under_way_.extract({device.account, key});
        if (asked.empty()) {
            return {};
        }
        for (auto& waiting : asked.mapped()) {
            const bool is_answered =
                is_about_number(registered) || waiting.device.number == device.number;
            (is_answered ? answered : others).push_back(std::move(waiting));
        }
    }
    for (auto& waiting : answered) {
        waiting.done(*answer);
    }
    return others;
}

std::optional<Result<NumberChecks::Check>> NumberChecks::find(const model::Device& device,
                                                              const std::string& key) {
    const auto* kept = kept_.find(device.account, key);
    return kept != nullptr && kept->until > clock_.steady_now() ? std::optional{kept->answer}
                                                                : std::nullopt;
}

bool NumberChecks::take_turn(model::PhoneNumber device) {
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

Result<NumberChecks::Check> NumberChecks::keep(const model::Device& device, const std::string& key,
                                               const Result<bool>& registered) {
    const auto answer = registered
                            ? Result<Check>{{.registered = *registered, .checked_at = clock_.now()}}
                            : pass(registered);
    if (is_about_number(registered)) {
        const auto kept_for = !registered   ? impossible_for
                              : *registered ? registered_for
                                            : unregistered_for;
        kept_.put(device.account, key, {.answer = answer, .until = clock_.steady_now() + kept_for});
    }
    return answer;
}

}  // namespace merpati::devices
