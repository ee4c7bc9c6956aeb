#include "campaign/check.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "campaign/campaign_time.hpp"
#include "campaign/preview.hpp"

namespace merpati::campaign {
namespace {

constexpr std::size_t devices_shown_max = 20;

/// Why the device cannot send now; empty: it can.
std::string obstacle_of(const CheckedDevice* device, model::PhoneNumber number) {
    if (device == nullptr) {
        return fmt::format("{} is not a device of this account", number.text());
    }
    const auto state = device->device.state;
    if (!model::is_linked(state)) {
        return fmt::format("device {} is not connected", number.text());
    }
    if (state == model::DeviceState::restricted) {
        return fmt::format("the platform lets device {} begin no new chats at present",
                           number.text());
    }
    return device->device.pause ? fmt::format("device {} is paused", number.text()) : std::string{};
}

const CheckedDevice* find_device(std::span<const CheckedDevice> devices,
                                 model::PhoneNumber number) {
    const auto found = std::ranges::find(
        devices, number, [](const CheckedDevice& device) { return device.device.number; });
    return found == devices.end() ? nullptr : &*found;
}

/// The devices of the plan that the account has.
std::vector<const model::Device*> devices_of_plan(const CheckInput& input) {
    std::vector<const model::Device*> devices;
    for (const auto number : input.campaign.plan.devices) {
        if (const auto* device = find_device(input.devices, number)) {
            devices.push_back(&device->device);
        }
    }
    return devices;
}

}  // namespace

CampaignCheck::CampaignCheck(const CheckInput& input)
    : input_(input),
      plan_(input_.campaign.plan),
      content_(CampaignText::of(plan_, input_.campaign.columns)),
      templates_(plan_, devices_of_plan(input_), input_.find_template),
      audience_({.campaign = input_.campaign,
                 .content = content_,
                 .characters_max = text_characters_max(plan_, input_.devices),
                 .policy = input_.policy,
                 .probe = input_.probe,
                 .example_url = input_.links.url_of(input_.campaign.account, example_number,
                                                    input_.campaign.id),
                 .now = input_.now}) {
    for (const auto& problem : content_.problems()) {
        add(problem);
    }
    check_plan();
    check_devices();
}

Result<std::optional<CheckReport>> CampaignCheck::step(store::Reader& reader) {
    if (!std::exchange(has_begun_, true) && templates_.has_next()) {
        return std::nullopt;
    }
    if (templates_.has_next()) {
        ask_about_template();
        return std::nullopt;
    }
    const auto complete = audience_.step(reader.campaigns());
    if (!complete) {
        return pass(complete);
    }
    return *complete ? report(reader) : Result<std::optional<CheckReport>>{std::nullopt};
}

/// The text that the platform gives is what rows are judged by.
void CampaignCheck::ask_about_template() {
    templates_.ask_next();
    if (templates_.has_next()) {
        return;
    }
    if (templates_.found()) {
        content_.use_template(*templates_.found());
    }
    for (auto& problem : templates_.problems()) {
        add(std::move(problem));
    }
}

Result<std::optional<CheckReport>> CampaignCheck::report(store::LaneReader& lanes) {
    report_.recipients = audience_.recipients();
    for (auto& problem : audience_.problems()) {
        add(std::move(problem));
    }
    check_credit();
    if (auto timed = estimate_time(lanes); !timed) {
        return pass(timed);
    }
    report_.ready = report_.problems.empty();
    std::ranges::move(warnings_, std::back_inserter(report_.problems));
    return std::move(report_);
}

void CampaignCheck::add(Problem problem) {
    (problem.blocking ? report_.problems : warnings_).push_back(std::move(problem));
}

void CampaignCheck::check_plan() {
    if (plan_.purpose == model::Purpose::marketing && is_blank(plan_.consent)) {
        add({.code = "consent",
             .detail = "say in 'consent' why these people may be written to: marketing needs it"});
    }
}

void CampaignCheck::check_devices() {
    std::vector<Problem> found;
    for (const auto number : plan_.devices) {
        const auto* device = find_device(input_.devices, number);
        auto obstacle = obstacle_of(device, number);
        if (device != nullptr) {
            (obstacle.empty() ? able_ : unable_).push_back(&device->device);
        }
        if (!obstacle.empty()) {
            found.push_back({.code = "device", .detail = std::move(obstacle), .blocking = false});
        }
    }
    if (found.size() > devices_shown_max) {
        const auto others = found.size() - devices_shown_max;
        found.resize(devices_shown_max);
        found.push_back({.code = "device",
                         .detail = "further devices cannot send now",
                         .count = static_cast<std::int64_t>(others),
                         .blocking = false});
    }
    std::ranges::move(found, std::back_inserter(warnings_));
}

void CampaignCheck::check_credit() {
    if (!input_.balance) {
        return;
    }
    const auto pending = input_.campaign.counts.of(model::RecipientState::pending);
    report_.credit = std::max<std::int64_t>(pending - input_.campaign.reserved, 0);
    if (report_.credit > *input_.balance) {
        add({.code = "credit",
             .detail = fmt::format("the campaign needs {} credits, and the account has {}",
                                   report_.credit, *input_.balance)});
    }
}

Result<void> CampaignCheck::estimate_time(store::LaneReader& lanes) {
    auto seconds = campaign_time({.campaign = input_.campaign,
                                  .messages = report_.recipients,
                                  .devices = able_.empty() ? unable_ : able_,
                                  .now = input_.now},
                                 lanes);
    if (!seconds) {
        return pass(seconds);
    }
    report_.seconds = *seconds;
    return {};
}

Result<CheckReport> check(const CheckInput& input, store::Reader& reader) {
    CampaignCheck campaign{input};
    for (;;) {
        auto found = campaign.step(reader);
        if (!found) {
            return pass(found);
        }
        if (*found) {
            return std::move(**found);
        }
    }
}

std::size_t text_characters_max(const model::CampaignPlan& plan,
                                std::span<const CheckedDevice> devices) {
    if (plan.message_template) {
        return connector::MessageTemplate::characters_max;
    }
    std::size_t most = CheckedDevice{}.text_characters_max;
    bool is_first = true;
    for (const auto number : plan.devices) {
        if (const auto* device = find_device(devices, number)) {
            most = is_first ? device->text_characters_max
                            : std::min(most, device->text_characters_max);
            is_first = false;
        }
    }
    return most;
}

}  // namespace merpati::campaign
