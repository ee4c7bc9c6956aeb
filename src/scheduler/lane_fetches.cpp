#include "scheduler/lane_fetches.hpp"

#include "base/assert.hpp"

namespace merpati::scheduler {

const AwaitingMessage* LaneFetches::find(const model::MessageId& id) const {
    const auto found = all_.find(id);
    return found == all_.end() ? nullptr : &found->second;
}

std::optional<Timestamp> LaneFetches::due() const {
    return with_file_.empty() ? std::nullopt : std::optional{with_file_.begin()->first};
}

const model::Message* LaneFetches::begin_next(std::size_t ahead) {
    if (waiting_.empty() || fetching_ + with_file_.size() >= ahead) {
        return nullptr;
    }
    auto& next = all_.at(waiting_.front());
    waiting_.pop_front();
    next.fetch_began = true;
    ++fetching_;
    return next.queued.message.get();
}

bool LaneFetches::end_fetch(const model::MessageId& id) {
    --fetching_;
    const auto* found = find(id);
    return found != nullptr && found->file == nullptr;
}

void LaneFetches::give_file(const model::MessageId& id, media::FilePtr file, Timestamp now) {
    auto& awaiting = all_.at(id);
    if (!std::exchange(awaiting.fetch_began, true)) {
        std::erase(waiting_, id);  // The file comes from an earlier fetch.
    }
    awaiting.file = std::move(file);
    awaiting.fetched_at = now;
    with_file_.emplace(awaiting.queued.queued_at, id);
}

void LaneFetches::add(store::QueuedMessage queued, Timestamp now) {
    const auto id = queued.message->id;
    all_.try_emplace(id, AwaitingMessage{.queued = std::move(queued), .began = now});
    waiting_.push_back(id);
}

AwaitingMessage LaneFetches::take(const model::MessageId& id) {
    auto found = all_.extract(id);
    invariant(!found.empty(), "a message that is taken out awaits its file");
    auto& taken = found.mapped();
    if (!taken.fetch_began) {
        std::erase(waiting_, id);
    }
    with_file_.erase({taken.queued.queued_at, id});
    return std::move(taken);
}

AwaitingMessage LaneFetches::take_first() {
    const auto first = with_file_.begin()->second;
    return take(first);
}

std::vector<store::QueuedMessage> LaneFetches::take_all() {
    std::vector<store::QueuedMessage> taken;
    taken.reserve(all_.size());
    for (auto& [id, awaiting] : all_) {
        taken.push_back(std::move(awaiting.queued));
    }
    all_.clear();
    waiting_.clear();
    with_file_.clear();
    return taken;
}

}  // namespace merpati::scheduler
