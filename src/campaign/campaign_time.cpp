#include "campaign/campaign_time.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "campaign/estimate.hpp"
#include "campaign/quiet_hours.hpp"
#include "campaign/time_zone.hpp"

namespace merpati::campaign {
namespace {

/// How many messages each device has sent of the day that has not ended.
Result<std::unordered_map<model::PhoneNumber, std::uint32_t>> sent_today(store::LaneReader& lanes,
                                                                         Timestamp now) {
    const auto records = lanes.lane_records();
    if (!records) {
        return pass(records);
    }
    std::unordered_map<model::PhoneNumber, std::uint32_t> sent;
    for (const auto& record : *records) {
        // Queue time, which is the wall clock's but for steps of that: good enough here.
        if (record.sent && record.sent->day_ends_at > now) {
            sent[record.device] = record.sent->of_day;
        }
    }
    return sent;
}

}  // namespace

Result<std::chrono::seconds> campaign_time(const CampaignTimeInput& input,
                                           store::LaneReader& lanes) {
    const auto& plan = input.campaign.plan;
    const auto sent = sent_today(lanes, input.now);
    if (!sent) {
        return pass(sent);
    }
    const auto begin = std::max(input.now, plan.schedule_at.value_or(input.now));
    const bool is_today = std::chrono::floor<std::chrono::days>(begin) ==
                          std::chrono::floor<std::chrono::days>(input.now);
    std::vector<EstimateSender> senders;
    for (const auto* device : input.devices) {
        const auto found = sent->find(device->number);
        senders.push_back({.pace = device->pace,
                           .added_at = device->created_at,
                           .sent_today = is_today && found != sent->end() ? found->second : 0});
    }
    EstimateInput estimated{.messages = input.messages,
                            .begin = begin,
                            .senders = senders,
                            .per_minute = plan.per_minute,
                            .finish_by = plan.finish_by};
    if (plan.quiet_hours) {
        const auto zone = TimeZone::find(plan.timezone);
        if (!zone) {
            return pass(zone);
        }
        estimated.silence_at = [hours = *plan.quiet_hours, zone = *zone](Timestamp time) {
            const auto quiet = quiet_time(hours, zone, time);
            return quiet ? std::optional{Silence{.from = quiet->from, .until = quiet->until}}
                         : std::nullopt;
        };
    }
    return estimate(estimated);
}

}  // namespace merpati::campaign
