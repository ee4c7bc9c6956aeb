// Writes what messages and callbacks went through.
#pragma once

#include <cstdint>
#include <vector>

#include "model/message_event.hpp"
#include "store/sqlite/connection.hpp"
#include "store/write_batch.hpp"

namespace merpati::store::sqlite {

/// Operation: a message's steps are rows of `message_event`, numbered from 1. A callback's last
/// attempt is in its own row; when the next one replaces it, it is moved to `callback_attempt`. So
/// a callback that is delivered at once has one row.
///
/// Limits: MessageEvent::first_kept and last_kept; of a callback that is replayed, the last
/// `attempts_kept` attempts.
///
/// Threads: one, the store's.
class TrailWriter {
public:
    static constexpr std::int64_t attempts_kept = 32;

    explicit TrailWriter(Connection& connection);

    void note(const model::MessageId& message, const std::vector<model::MessageEvent>& events);
    void note(const model::MessageId& message, const model::MessageEvent& event);

    void update_callback(const CallbackUpdate& update);
    /// Makes the callback due at `now`, with its attempts counted anew.
    void replay_callback(const model::EventId& event, Timestamp now);

    /// Removes what is kept of rows that were removed.
    void forget_message(std::int64_t message);
    void forget_callback(std::int64_t event);

private:
    Statement insert_event_;
    Statement drop_event_;
    Statement keep_attempt_;
    Statement update_callback_;
    Statement replay_callback_;
    Statement drop_attempts_;
    Statement forget_message_;
    Statement forget_callback_;
};

}  // namespace merpati::store::sqlite
