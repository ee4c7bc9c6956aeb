#include "daemon/campaign_rooms.hpp"

#include <utility>

#include "daemon/options.hpp"

namespace merpati::daemon {

CampaignRooms::CampaignRooms(Rooms rooms)
    : rooms_(std::move(rooms)),
      control_({.clock = rooms_.clock,
                .ids = rooms_.ids,
                .committer = rooms_.committer,
                .scheduler = rooms_.scheduler,
                .media_fetcher = rooms_.media_fetcher,
                .open = rooms_.open,
                .callback_of =
                    [this](model::AccountId id) {
                        const auto account = rooms_.directory.find_account(id);
                        return account == nullptr ? std::string{} : account->account.callback_url;
                    },
                .on_accepted = [this](const model::Message& message) { accepted(message); }}),
      runner_({.clock = rooms_.clock,
               .ids = rooms_.ids,
               .store = rooms_.store,
               .committer = rooms_.committer,
               .directory = rooms_.directory,
               .scheduler = rooms_.scheduler,
               .open = rooms_.open,
               .uploads = uploads_,
               .opt_out_url =
                   [this](model::AccountId account, model::PhoneNumber number,
                          model::CampaignId campaign) {
                       return links().url_of(account, number, campaign);
                   },
               .on_accepted = [this](const model::Message& message) { accepted(message); },
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
          app_address(rooms_.settings)) {}

api::manage::CampaignRooms CampaignRooms::for_calls() {
    return {.control = control_,
            .uploads = uploads_,
            .links = [this]() -> const campaign::OptOutLinks& { return links(); }};
}

const campaign::OptOutLinks& CampaignRooms::links() {
    std::call_once(links_made_, [this] {
        links_.emplace(rooms_.store, app_url(rooms_.settings, rooms_.listening()));
    });
    return *links_;
}

void CampaignRooms::accepted(const model::Message& message) {
    rooms_.tally.accepted(message.revision);
    rooms_.publisher.message(message, model::MessageState::pending);
}

}  // namespace merpati::daemon
