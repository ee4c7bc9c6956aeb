#include "scheduler/lane_memory.hpp"

#include <algorithm>

namespace merpati::scheduler {
namespace {

constexpr int paced_horizons = 8;  // A paced lane holds the sends of this many horizons.

std::size_t bytes_of(const store::QueuedMessage& queued) {
    const auto& message = *queued.message;
    auto bytes = sizeof(queued) + sizeof(message) + message.body.size() + message.media_url.size() +
                 message.callback_url.size();
    if (const auto* filled = message.filled_template.get(); filled != nullptr) {
        bytes +=
            sizeof(*filled) + filled->name.size() + filled->language.size() + filled->header.size();
        for (const auto* texts : {&filled->values, &filled->buttons}) {
            for (const auto& text : *texts) {
                bytes += sizeof(std::string) + text.size();
            }
        }
    }
    return bytes;
}

/// `limit - used`, at least 0.
std::size_t remaining(std::size_t limit, std::size_t used) {
    return limit - std::min(limit, used);
}

}  // namespace

std::size_t LaneMemory::worth_holding(const Lane& lane) const noexcept {
    const auto& pace = lane.pacer().pace();
    const auto gap = pace.gap_min + pace.jitter_max / 2;
    if (gap <= Millis{0}) {
        return options_.lane_memory_max;
    }
    const auto soon = static_cast<std::size_t>(paced_horizons * options_.horizon / gap);
    return std::min(options_.lane_memory_max, std::max(reserve, soon));
}

std::size_t LaneMemory::worth_holding(const Lane& lane, model::Source source) const noexcept {
    return std::min(worth_holding(lane), lane_max(source));
}

/// How many messages of a source one lane may hold, whatever its pace is.
std::size_t LaneMemory::lane_max(model::Source source) const noexcept {
    const auto all = options_.lane_memory_max;
    return source == model::Source::api ? all
                                        : std::min(all, std::max(reserve, all / campaign_part));
}

std::size_t LaneMemory::room_beside(const Held& held, std::size_t part) const noexcept {
    return held.bytes < options_.memory_bytes_max / part
               ? remaining(options_.memory_max / part, held.messages)
               : 0;
}

std::size_t LaneMemory::room(const Lane& lane, model::Source source) const noexcept {
    const auto held = lane.in_memory();
    const auto room = std::min(remaining(worth_holding(lane), held),
                               std::max(room_beside(all_, 1), remaining(reserve, held)));
    if (source == model::Source::api) {
        return room;
    }
    const auto of_campaigns = lane.source(source).memory().size();
    return std::min(
        {room, remaining(worth_holding(lane, source), of_campaigns),
         std::max(room_beside(campaigns_, campaign_part), remaining(reserve, of_campaigns))});
}

bool LaneMemory::is_half_free(const Held& held, std::size_t part) const noexcept {
    return held.messages < options_.memory_max / part / 2 &&
           held.bytes < options_.memory_bytes_max / part / 2;
}

AwaitingMax LaneMemory::awaiting_max() const noexcept {
    const auto scarce = std::min(reserve, options_.lane_memory_max);
    if (!is_half_free(all_, 1)) {
        return {.api = scarce, .campaign = scarce};
    }
    return {.api = lane_max(model::Source::api),
            .campaign = is_half_free(campaigns_, campaign_part) ? lane_max(model::Source::campaign)
                                                                : scarce};
}

bool LaneMemory::low(const Lane& lane, model::Source source) const noexcept {
    return lane.source(source).memory().size() <
           std::max<std::size_t>(1, worth_holding(lane, source) / 4);
}

void LaneMemory::push(LaneSource& source, store::QueuedMessage queued) {
    count(queued);
    source.memory_.push(std::move(queued));
}

void LaneMemory::push_loaded(LaneSource& source, store::QueuedMessage queued) {
    count(queued);
    source.memory_.push_loaded(std::move(queued));
}

store::QueuedMessage LaneMemory::pop(LaneSource& source) {
    auto queued = source.memory_.pop();
    uncount(queued);
    return queued;
}

std::optional<store::QueuedMessage> LaneMemory::remove(LaneSource& source,
                                                       const model::MessageId& id) {
    if (source.fetches_.contains(id)) {
        return stop_awaiting(source, id);
    }
    auto queued = source.memory_.remove(id);
    if (queued) {
        uncount(*queued);
    }
    return queued;
}

void LaneMemory::evict_later_half(LaneSource& source) {
    for (const auto& queued : source.memory_.pop_later_half()) {
        uncount(queued);
        source.note_on_disk(queued.queued_at);
    }
}

void LaneMemory::evict(Lane& lane) {
    for (auto& source : lane.sources()) {
        for (const auto& queued : source.fetches_.take_all()) {
            uncount(queued);
            --awaiting_;
            source.note_on_disk(queued.queued_at);
        }
        if (source.memory_.empty()) {
            continue;
        }
        source.note_on_disk(source.memory_.top().queued_at);
        source.memory_.for_each([this](const auto& queued) { uncount(queued); });
        source.memory_.clear();
    }
}

void LaneMemory::await_file(LaneSource& source, store::QueuedMessage queued, Timestamp now) {
    count(queued);
    ++awaiting_;
    source.fetches_.add(std::move(queued), now);
}

AwaitingMessage LaneMemory::pop_with_file(LaneSource& source) {
    auto taken = source.fetches_.take_first();
    uncount(taken.queued);
    --awaiting_;
    return taken;
}

store::QueuedMessage LaneMemory::stop_awaiting(LaneSource& source, const model::MessageId& id) {
    auto taken = source.fetches_.take(id);
    uncount(taken.queued);
    --awaiting_;
    return std::move(taken.queued);
}

void LaneMemory::count(const store::QueuedMessage& queued) {
    const auto bytes = bytes_of(queued);
    for (auto* held : {&all_, &campaigns_}) {
        if (held == &all_ || queued.message->source == model::Source::campaign) {
            ++held->messages;
            held->bytes += bytes;
        }
    }
}

void LaneMemory::uncount(const store::QueuedMessage& queued) {
    const auto bytes = bytes_of(queued);
    for (auto* held : {&all_, &campaigns_}) {
        if (held == &all_ || queued.message->source == model::Source::campaign) {
            --held->messages;
            held->bytes -= bytes;
        }
    }
}

}  // namespace merpati::scheduler
