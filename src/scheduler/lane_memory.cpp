#include "scheduler/lane_memory.hpp"

#include <algorithm>

namespace merpati::scheduler {
namespace {

constexpr int paced_horizons = 8;  // A paced lane holds the sends of this many horizons.

std::size_t bytes_of(const store::QueuedMessage& queued) {
    const auto& message = *queued.message;
    return sizeof(queued) + sizeof(message) + message.body.size() + message.media_url.size() +
           message.callback_url.size();
}

/// `limit - used`, at least 0.
std::size_t remaining(std::size_t limit, std::size_t used) {
    return limit - std::min(limit, used);
}

}  // namespace

std::size_t LaneMemory::worth_holding(const Lane& lane) const noexcept {
    const auto& pace = lane.pacer.pace();
    const auto gap = pace.gap_min + pace.jitter_max / 2;
    if (gap <= Millis{0}) {
        return options_.lane_memory_max;
    }
    const auto soon = static_cast<std::size_t>(paced_horizons * options_.horizon / gap);
    return std::min(options_.lane_memory_max, std::max(reserve, soon));
}

std::size_t LaneMemory::room(const Lane& lane) const noexcept {
    const auto held = lane.in_memory();
    const auto in_all =
        bytes_ < options_.memory_bytes_max ? remaining(options_.memory_max, messages_) : 0;
    return std::min(remaining(worth_holding(lane), held),
                    std::max(in_all, remaining(reserve, held)));
}

std::size_t LaneMemory::awaiting_max() const noexcept {
    const bool half_free =
        messages_ < options_.memory_max / 2 && bytes_ < options_.memory_bytes_max / 2;
    return half_free ? options_.lane_memory_max : std::min(reserve, options_.lane_memory_max);
}

bool LaneMemory::low(const Lane& lane, const LaneSource& source) const noexcept {
    return source.memory.size() < std::max<std::size_t>(1, worth_holding(lane) / 4);
}

void LaneMemory::push(LaneSource& source, store::QueuedMessage queued) {
    count(queued);
    source.memory.push(std::move(queued));
}

void LaneMemory::push_loaded(LaneSource& source, store::QueuedMessage queued) {
    count(queued);
    source.memory.push_loaded(std::move(queued));
}

store::QueuedMessage LaneMemory::pop(LaneSource& source) {
    auto queued = source.memory.pop();
    uncount(queued);
    return queued;
}

std::optional<store::QueuedMessage> LaneMemory::remove(LaneSource& source,
                                                       const model::MessageId& id) {
    auto queued = source.memory.remove(id);
    if (queued) {
        uncount(*queued);
    }
    return queued;
}

void LaneMemory::evict_later_half(LaneSource& source) {
    for (const auto& queued : source.memory.pop_later_half()) {
        uncount(queued);
        source.note_on_disk(queued.queued_at);
    }
}

void LaneMemory::evict(Lane& lane) {
    for (auto& source : lane.sources) {
        if (source.memory.empty()) {
            continue;
        }
        source.note_on_disk(source.memory.top().queued_at);
        source.memory.for_each([this](const auto& queued) { uncount(queued); });
        source.memory.clear();
    }
}

void LaneMemory::count(const store::QueuedMessage& queued) {
    ++messages_;
    bytes_ += bytes_of(queued);
}

void LaneMemory::uncount(const store::QueuedMessage& queued) {
    --messages_;
    bytes_ -= bytes_of(queued);
}

}  // namespace merpati::scheduler
