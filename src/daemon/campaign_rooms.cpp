#include "daemon/campaign_rooms.hpp"

#include <utility>

#include "campaign/media_check.hpp"
#include "daemon/options.hpp"

namespace merpati::daemon {

CampaignRooms::CampaignRooms(CoreRooms& core, SendingRooms& sending, intake::Intake& intake,
                             std::function<std::vector<std::string>()> listening)
    : core_(core),
      sending_(sending),
      intake_(intake),
      listening_(std::move(listening)),
      log_(core.log.in("campaign")),
      control_({.intake = intake_,
                .media_fetcher = sending_.media_fetcher,
                .open = core_.open_campaigns,
                .callback_of =
                    [this](model::AccountId id) {
                        const auto account = core_.directory.find_account(id);
                        return account == nullptr ? std::string{} : account->account.callback_url;
                    },
                .find_template =
                    [this](const model::Device& device, std::string name, std::string language,
                           auto done) {
                        sending_.platform_calls.find_template(device, std::move(name),
                                                              std::move(language), std::move(done));
                    }}),
      runner_({.clock = core_.queue_clock,
               .ids = core_.ids,
               .store = core_.store,
               .committer = core_.committer,
               .directory = core_.directory,
               .ownership = core_.ownership,
               .scheduler = sending_.scheduler,
               .open = core_.open_campaigns,
               .uploads = uploads_,
               .check = [this](const auto& campaign) { return check(campaign); },
               .opt_out_url =
                   [this](model::AccountId account, model::PhoneNumber number,
                          model::CampaignId campaign) {
                       return links().url_of(account, number, campaign);
                   },
               .accepted = [this](auto message) { intake_.accepted(std::move(message)); },
               .on_progress =
                   [this](const model::Campaign& campaign) {
                       core_.publisher.campaign_progress(campaign);
                   },
               .log = log_}),
      opt_out_page_(
          {.clock = core_.queue_clock,
           .random = core_.random,
           .readers = core_.readers,
           .change =
               [this](auto change) { return core_.committer.change_and_wait(std::move(change)); },
           .directory = core_.directory,
           .ownership = core_.ownership,
           .links = [this]() -> const campaign::OptOutLinks& { return links(); },
           .on_fault =
               [this](const Error& error) {
                   log_.error("an opt-out failed", {{"why", error.describe()}});
               }},
          app_address(core_.settings)),
      erasures_(
          {.change =
               [this](auto change) { return core_.committer.change_and_wait(std::move(change)); },
           .readers = core_.readers,
           .clock = core_.queue_clock,
           .ownership = core_.ownership,
           .on_fault =
               [this](const Error& error) {
                   log_.error("a person is not erased in full; trying again",
                              {{"why", error.describe()}});
               }}) {}

api::manage::CampaignRooms CampaignRooms::for_calls() {
    return {.control = control_,
            .uploads = uploads_,
            .links = [this]() -> const campaign::OptOutLinks& { return links(); },
            .operations = [this] { return core_.committer.counts().operations; }};
}

const campaign::OptOutLinks& CampaignRooms::links() {
    std::call_once(links_made_,
                   [this] { links_.emplace(core_.store, app_url(core_.settings, listening_())); });
    return *links_;
}

std::vector<campaign::CheckedDevice> CampaignRooms::devices_of(const model::Campaign& campaign) {
    std::vector<campaign::CheckedDevice> devices;
    for (const auto number : campaign.plan.devices) {
        const auto device = core_.directory.find_device(number);
        if (device == nullptr || device->account != campaign.account) {
            continue;
        }
        campaign::CheckedDevice checked{.device = *device};
        if (const auto* connector = sending_.connectors.find(device->connector)) {
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
    return core_.readers.read([&](store::Reader& reader) -> Result<campaign::CheckStep> {
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
                .policy = core_.policy,
                .probe =
                    campaign::probe_in_time(core_.queue_clock, control_, check.campaign->account),
                .find_template = campaign::find_in_time(core_.queue_clock, control_),
                .now = core_.queue_clock.wall_now()});
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
