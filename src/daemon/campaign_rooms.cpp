#include "daemon/campaign_rooms.hpp"

#include <utility>

#include "campaign/media_check.hpp"
#include "daemon/options.hpp"

namespace merpati::daemon {

CampaignRooms::CampaignRooms(Rooms rooms)
    : rooms_(std::move(rooms)),
      control_({.intake = rooms_.intake,
                .media_fetcher = rooms_.media_fetcher,
                .open = rooms_.open,
                .callback_of =
                    [this](model::AccountId id) {
                        const auto account = rooms_.directory.find_account(id);
                        return account == nullptr ? std::string{} : account->account.callback_url;
                    },
                .find_template =
                    [this](const model::Device& device, std::string name, std::string language,
                           auto done) {
                        rooms_.platform.find_template(device, std::move(name), std::move(language),
                                                      std::move(done));
                    }}),
      runner_({.clock = rooms_.clock,
               .ids = rooms_.ids,
               .store = rooms_.store,
               .committer = rooms_.committer,
               .directory = rooms_.directory,
               .ownership = rooms_.ownership,
               .scheduler = rooms_.scheduler,
               .open = rooms_.open,
               .uploads = uploads_,
               .check = [this](const auto& campaign) { return check(campaign); },
               .opt_out_url =
                   [this](model::AccountId account, model::PhoneNumber number,
                          model::CampaignId campaign) {
                       return links().url_of(account, number, campaign);
                   },
               .accepted = [this](auto message) { rooms_.intake.accepted(std::move(message)); },
               .on_progress =
                   [this](const model::Campaign& campaign) {
                       rooms_.publisher.campaign_progress(campaign);
                   },
               .log = rooms_.log}),
      opt_out_page_(
          {.clock = rooms_.clock,
           .random = rooms_.random,
           .readers = rooms_.readers,
           .change =
               [this](auto change) { return rooms_.committer.change_and_wait(std::move(change)); },
           .directory = rooms_.directory,
           .links = [this]() -> const campaign::OptOutLinks& { return links(); },
           .on_fault =
               [this](const Error& error) {
                   rooms_.log.error("an opt-out failed", {{"why", error.describe()}});
               }},
          app_address(rooms_.settings)),
      erasures_(
          {.change =
               [this](auto change) { return rooms_.committer.change_and_wait(std::move(change)); },
           .readers = rooms_.readers,
           .clock = rooms_.clock,
           .ownership = rooms_.ownership,
           .on_fault =
               [this](const Error& error) {
                   rooms_.log.error("a person is not erased in full; trying again",
                                    {{"why", error.describe()}});
               }}) {}

api::manage::CampaignRooms CampaignRooms::for_calls() {
    return {.control = control_,
            .uploads = uploads_,
            .links = [this]() -> const campaign::OptOutLinks& { return links(); },
            .operations = [this] { return rooms_.committer.counts().operations; }};
}

const campaign::OptOutLinks& CampaignRooms::links() {
    std::call_once(links_made_, [this] {
        links_.emplace(rooms_.store, app_url(rooms_.settings, rooms_.listening()));
    });
    return *links_;
}

std::vector<campaign::CheckedDevice> CampaignRooms::devices_of(const model::Campaign& campaign) {
    std::vector<campaign::CheckedDevice> devices;
    for (const auto number : campaign.plan.devices) {
        const auto device = rooms_.directory.find_device(number);
        if (device == nullptr || device->account != campaign.account) {
            continue;
        }
        campaign::CheckedDevice checked{.device = *device};
        if (const auto* connector = rooms_.connectors.find(device->connector)) {
            checked.text_characters_max = connector->capabilities()->text_characters_max;
        }
        devices.push_back(std::move(checked));
    }
    return devices;
}

/// The check of a scheduled campaign, with what it refers to.
struct CampaignRooms::StartCheck {
    campaign::CampaignPtr campaign;
    std::vector<campaign::CheckedDevice> devices;
    std::optional<campaign::CampaignCheck> steps{};  // From the first step on.
};

campaign::StartChecks::Step CampaignRooms::check(const campaign::CampaignPtr& campaign) {
    auto check = std::make_unique<StartCheck>(campaign, devices_of(*campaign));
    return [this, check = std::move(check)] { return step(*check); };
}

/// Each step has a reader of the pool, so that a check that waits for its turn holds none.
Result<campaign::CheckStep> CampaignRooms::step(StartCheck& check) {
    return rooms_.readers.read([&](store::Reader& reader) -> Result<campaign::CheckStep> {
        if (!check.steps) {
            const auto account = reader.account(check.campaign->account);
            if (!account) {
                return pass(account);
            }
            check.steps.emplace(campaign::CheckInput{
                .campaign = *check.campaign,
                .balance = *account ? (*account)->credit : std::nullopt,
                .devices = check.devices,
                .links = links(),
                .policy = rooms_.policy,
                .probe = campaign::probe_in_time(rooms_.clock, control_, check.campaign->account),
                .find_template = campaign::find_in_time(rooms_.clock, control_),
                .now = rooms_.clock.wall_now()});
        }
        auto found = check.steps->step(reader);
        if (!found) {
            return pass(found);
        }
        return campaign::CheckStep{.report = std::move(*found),
                                   .probes_next = check.steps->probes_next()};
    });
}

}  // namespace merpati::daemon
