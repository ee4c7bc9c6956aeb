#include "campaign/feed.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace merpati::campaign {
namespace {

constexpr std::size_t read_rows = 32;  // At a time: rows may be large.

std::size_t places_of(const FreePlaces& places, model::PhoneNumber device) {
    const auto found = places.find(device);
    return found == places.end() ? 0 : found->second;
}

bool has_place(const FreePlaces& places) {
    return std::ranges::any_of(places | std::views::values, [](auto free) { return free > 0; });
}

}  // namespace

struct Feed::Batch {
    const model::Campaign& campaign;
    store::CampaignReader& reader;
    Spacing spacing;
    Timestamp due_max;
    std::string_view callback;
    FreePlaces& places;
    std::size_t rows_max;
    SteadyTime ends_at;
    Timestamp wall_now;
    store::PlannedRows planned{};
};

Result<store::PlannedRows> Feed::next(const model::Campaign& campaign,
                                      store::CampaignReader& reader, Spacing spacing,
                                      Timestamp due_max, std::string_view callback,
                                      FreePlaces& places, std::size_t rows_max) {
    if (text_ == nullptr) {
        text_ =
            std::make_unique<const CampaignText>(CampaignText::of(campaign.plan, campaign.columns));
    }
    Batch batch{.campaign = campaign,
                .reader = reader,
                .spacing = spacing,
                .due_max = due_max,
                .callback = callback,
                .places = places,
                .rows_max = rows_max,
                .ends_at = rooms_.clock.steady_now() + time_max,
                .wall_now = rooms_.clock.wall_now()};
    auto taken = take_aside(batch);
    if (taken) {
        taken = scan(batch);
    }
    if (!taken) {
        return pass(taken);
    }
    batch.planned.next_due_at = batch.spacing.next_due_at();
    batch.planned.at = batch.wall_now;
    return std::move(batch.planned);
}

void Feed::begin_anew() {
    passed_to_ = 0;
    at_end_ = false;
    aside_.clear();
}

void Feed::rest() {
    begin_anew();
    text_.reset();
}

void Feed::look_again(const model::Campaign& campaign) {
    const auto pending = campaign.counts.of(model::RecipientState::pending);
    if (at_end_ && std::cmp_greater(pending, aside_.size())) {
        begin_anew();
    }
}

bool Feed::is_full(const Batch& batch) const {
    return batch.planned.rows.size() >= batch.rows_max || !has_place(batch.places) ||
           batch.spacing.due() > batch.due_max || rooms_.clock.steady_now() >= batch.ends_at;
}

Result<void> Feed::take_aside(Batch& batch) {
    for (auto next = aside_.begin(); next != aside_.end() && !is_full(batch);) {
        const auto here = next++;
        if (places_of(batch.places, here->second) == 0) {
            continue;
        }
        const auto recipient = batch.reader.recipient(batch.campaign.id, here->first);
        if (!recipient) {
            return pass(recipient);
        }
        aside_.erase(here);
        if (*recipient && (*recipient)->state == model::RecipientState::pending) {
            if (auto taken = take(batch, **recipient); !taken) {
                return taken;
            }
        }
    }
    return {};
}

Result<void> Feed::scan(Batch& batch) {
    while (!at_end_ && !is_full(batch) && aside_.size() < aside_max) {
        const auto page = batch.reader.pending_rows(batch.campaign.id, passed_to_, read_rows);
        if (!page) {
            return pass(page);
        }
        for (const auto& recipient : *page) {
            if (is_full(batch) || aside_.size() >= aside_max) {
                return {};
            }
            if (auto taken = take(batch, recipient); !taken) {
                return taken;
            }
            passed_to_ = recipient.row;
        }
        at_end_ = page->size() < read_rows;
    }
    return {};
}

Result<void> Feed::take(Batch& batch, const model::Recipient& recipient) {
    const auto sender = sender_of(batch, recipient);
    if (!sender) {
        return pass(sender);
    }
    if (!*sender || places_of(batch.places, **sender) == 0) {
        aside_.emplace(recipient.row, sender->value_or(batch.campaign.plan.devices.front()));
        return {};
    }
    auto row = plan(batch, recipient, **sender);
    if (row.message != nullptr) {
        --batch.places[**sender];
        batch.spacing.take();
    }
    batch.planned.rows.push_back(std::move(row));
    return {};
}

/// Empty: no device has room.
Result<std::optional<model::PhoneNumber>> Feed::sender_of(Batch& batch,
                                                          const model::Recipient& recipient) const {
    const auto& devices = batch.campaign.plan.devices;
    if (devices.size() == 1) {
        return devices.front();
    }
    auto former = recipient.device;
    if (!former && recipient.number) {
        auto last = batch.reader.last_sender(batch.campaign.account, *recipient.number);
        if (!last) {
            return last;
        }
        former = *last;
    }
    if (former && std::ranges::find(devices, *former) != devices.end()) {
        return former;
    }
    const auto most = std::ranges::max_element(batch.places, {},
                                               [](const auto& device) { return device.second; });
    return most == batch.places.end() || most->second == 0 ? std::nullopt
                                                           : std::optional{most->first};
}

store::PlannedRow Feed::plan(Batch& batch, const model::Recipient& recipient,
                             model::PhoneNumber device) const {
    const auto& campaign = batch.campaign;
    const auto number = recipient.number.value_or(model::PhoneNumber{});
    const auto url = text_->uses_optout_url()
                         ? rooms_.opt_out_url(campaign.account, number, campaign.id)
                         : std::string{};
    auto rendered = text_->render(
        {.campaign = campaign.id, .number = number, .values = recipient.values, .optout_url = url});
    store::PlannedRow row{.row = recipient.row, .variant = rendered.variant, .message = nullptr};
    if (rendered.has_empty_value || !recipient.number) {
        row.reason = recipient.number ? model::SkipReason::empty_value : model::SkipReason::invalid;
        return row;
    }
    auto message = std::make_unique<model::Message>();
    message->id = rooms_.ids.next();
    message->account = campaign.account;
    message->device = device;
    message->recipient = number.text();
    message->type =
        rendered.media_url.empty() ? model::MessageType::text : model::MessageType::media;
    message->media_url = std::move(rendered.media_url);
    message->filled_template = std::move(rendered.filled_template);
    if (message->filled_template == nullptr) {
        message->body = std::move(rendered.text);
    }
    message->callback_url =
        campaign.plan.callback.empty() ? std::string{batch.callback} : campaign.plan.callback;
    message->typing = campaign.plan.typing;
    message->source = model::Source::campaign;
    message->campaign = campaign.id;
    message->campaign_row = recipient.row;
    // A send that a crash interrupts is left to people: nobody gets a message twice.
    message->delivery = model::Delivery::at_most_once;
    message->accepted_at = batch.wall_now;
    message->due_at = batch.spacing.due();
    row.message = std::move(message);
    return row;
}

}  // namespace merpati::campaign
