#include "scheduler/lane_source.hpp"

#include <algorithm>
#include <iterator>

namespace merpati::scheduler {
namespace {

/// Orders a heap whose front is the earliest.
bool later(const store::QueuedMessage& left, const store::QueuedMessage& right) {
    if (left.queued_at != right.queued_at) {
        return left.queued_at > right.queued_at;
    }
    return left.message->id > right.message->id;
}

}  // namespace

void LaneHeap::push(store::QueuedMessage message) {
    latest_ = empty() ? message.queued_at : std::max(latest_, message.queued_at);
    if (ordered_.empty() || later(message, ordered_.back())) {
        ordered_.push_back(std::move(message));
    } else {
        heap_.push_back(std::move(message));
        std::ranges::push_heap(heap_, later);
    }
}

void LaneHeap::push_loaded(store::QueuedMessage message) {
    loaded_.insert(message.message->id);
    push(std::move(message));
}

store::QueuedMessage LaneHeap::pop() {
    store::QueuedMessage message;
    if (is_heap_first()) {
        std::ranges::pop_heap(heap_, later);
        message = std::move(heap_.back());
        heap_.pop_back();
    } else {
        message = std::move(ordered_.front());
        ordered_.pop_front();
    }
    forget(message.message->id);
    return message;
}

bool LaneHeap::is_heap_first() const {
    return !heap_.empty() && (ordered_.empty() || later(ordered_.front(), heap_.front()));
}

void LaneHeap::forget(const model::MessageId& id) {
    if (!loaded_.empty()) {
        loaded_.erase(id);
    }
}

std::optional<store::QueuedMessage> LaneHeap::remove(const model::MessageId& id) {
    std::optional<store::QueuedMessage> message;
    const auto take_from = [&](auto& entries) {
        const auto found = std::ranges::find_if(
            entries, [&id](const auto& entry) { return entry.message->id == id; });
        if (found != entries.end()) {
            message = std::move(*found);
            entries.erase(found);
        }
    };
    take_from(ordered_);
    if (!message) {
        take_from(heap_);
        std::ranges::make_heap(heap_, later);
    }
    if (message) {
        forget(id);
    }
    return message;
}

std::vector<store::QueuedMessage> LaneHeap::pop_later_half() {
    std::ranges::move(ordered_, std::back_inserter(heap_));
    ordered_.clear();
    const auto middle = heap_.begin() + static_cast<std::ptrdiff_t>(heap_.size() / 2);
    std::ranges::nth_element(
        heap_, middle, [](const auto& left, const auto& right) { return later(right, left); });
    std::vector<store::QueuedMessage> taken{std::make_move_iterator(middle),
                                            std::make_move_iterator(heap_.end())};
    heap_.erase(middle, heap_.end());
    for (const auto& queued : taken) {
        forget(queued.message->id);
    }
    latest_ = Timestamp{};
    for (const auto& queued : heap_) {
        latest_ = std::max(latest_, queued.queued_at);
    }
    std::ranges::make_heap(heap_, later);
    return taken;
}

void LaneHeap::clear() {
    // Swapped, so that the memory of a burst is freed.
    decltype(ordered_){}.swap(ordered_);
    std::vector<store::QueuedMessage>{}.swap(heap_);
    std::unordered_set<Uuid>{}.swap(loaded_);
}

bool LaneSource::is_blocked_by_fetches(std::size_t awaiting_max) const {
    return !fetches_.has_file() && !memory_.empty() &&
           memory_.top().message->type == model::MessageType::media &&
           fetches_.size() >= awaiting_max;
}

bool LaneSource::is_due(Timestamp now, std::size_t awaiting_max) const {
    return fetches_.has_file() || (!memory_.empty() && memory_.top().queued_at <= now &&
                                   !is_blocked_by_fetches(awaiting_max));
}

std::optional<Timestamp> LaneSource::memory_due(std::size_t awaiting_max) const {
    auto due = fetches_.due();
    if (!memory_.empty() && !is_blocked_by_fetches(awaiting_max)) {
        due = earlier(due, memory_.top().queued_at);
    }
    return due;
}

std::optional<Timestamp> earlier(std::optional<Timestamp> left, std::optional<Timestamp> right) {
    if (left && right) {
        return std::min(*left, *right);
    }
    return left ? left : right;
}

}  // namespace merpati::scheduler
