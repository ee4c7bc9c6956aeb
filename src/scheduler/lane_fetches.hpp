// Media messages of one lane and source that wait for their files.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "media/file_source.hpp"
#include "store/records.hpp"

namespace merpati::scheduler {

/// A media message that waits for its file, or has it and waits to be sent.
struct AwaitingMessage {
    store::QueuedMessage queued;
    Timestamp began;                        // The wait for its file,
    std::optional<Timestamp> fetched_at{};  // and when that ended.
    media::FilePtr file{};                  // Null until then.
    bool fetch_began = false;
};

/// Media messages that were taken out of their lane's order, so that others are sent while their
/// files are fetched.
///
/// Operation: a message waits until `begin_next` names it; then its file is being fetched, until
/// `end_fetch` and `give_file`. From then on it is due, and goes before the source's other
/// messages. It may be taken out at any time. If it comes again before its fetch has ended, that
/// serves it too.
///
/// Threads: none. The scheduler's thread owns them.
class LaneFetches {
public:
    [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
    [[nodiscard]] bool contains(const model::MessageId& id) const {
        return !all_.empty() && all_.contains(id);
    }
    /// Null: it is not here.
    [[nodiscard]] const AwaitingMessage* find(const model::MessageId& id) const;
    [[nodiscard]] bool has_file() const noexcept { return !with_file_.empty(); }
    /// Since when the first message that has its file is due; empty: none has it.
    [[nodiscard]] std::optional<Timestamp> due() const;
    /// Whether files are being fetched, also for messages that were taken out meanwhile.
    [[nodiscard]] bool is_fetching() const noexcept { return fetching_ > 0; }

    /// The message whose file is to be fetched now: its fetch begins with this call. Null: none
    /// waits, or `ahead` files are being fetched or wait to be sent.
    [[nodiscard]] const model::Message* begin_next(std::size_t ahead);
    /// A fetch has ended. Whether its message still waits for the file.
    [[nodiscard]] bool end_fetch(const model::MessageId& id);
    /// A message that waits, and is here, has its file.
    void give_file(const model::MessageId& id, media::FilePtr file, Timestamp now);

private:
    friend class LaneMemory;  // Counts the messages that come and go.

    void add(store::QueuedMessage queued, Timestamp now);
    [[nodiscard]] AwaitingMessage take(const model::MessageId& id);
    /// The earliest message that has its file.
    [[nodiscard]] AwaitingMessage take_first();
    [[nodiscard]] std::vector<store::QueuedMessage> take_all();

    std::unordered_map<model::MessageId, AwaitingMessage> all_;
    std::deque<model::MessageId> waiting_;  // Those whose fetch has not begun.
    std::set<std::pair<Timestamp, model::MessageId>> with_file_;
    std::size_t fetching_ = 0;
};

}  // namespace merpati::scheduler
