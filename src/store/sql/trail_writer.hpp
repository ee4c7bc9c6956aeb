// Writes the steps of messages and the attempts of callbacks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/message_event.hpp"
#include "store/sql/connection.hpp"
#include "store/write_batch.hpp"

namespace merpati::store::sql {

/// Operation: the steps of a message are rows of `message_event`, numbered from 1. The last attempt
/// of a callback is part of the callback's row. The next attempt moves it to `callback_attempt`, so
/// a callback that is delivered at the first attempt has a single row. Callbacks that were
/// delivered together have the same result; those whose ids follow each other get it with one
/// statement.
///
/// Limits: MessageEvent::first_kept and last_kept. Each replay of a callback removes all but the
/// last `attempts_kept` earlier attempts.
///
/// Threads: one, the store's.
class TrailWriter {
public:
    static constexpr std::int64_t attempts_kept = 32;

    explicit TrailWriter(Connection& connection);

    void note(const model::MessageId& message, const std::vector<model::MessageEvent>& events);
    void note(const model::MessageId& message, const model::MessageEvent& event);

    void update_callbacks(std::span<const CallbackUpdate* const> updates);
    /// Makes the callback due at `now` (queue time), and counts its attempts from 0 again.
    void replay_callback(const model::EventId& event, Timestamp due, Timestamp at);

    /// Removes the steps of a message that is removed.
    void remove_steps(std::int64_t message);
    /// Removes a callback with its attempts.
    void remove_callback(std::int64_t event);

private:
    void deliver(const CallbackUpdate& first, const CallbackUpdate& last, std::int64_t step);
    void update_callback(const CallbackUpdate& update);

    Statement insert_event_;
    Statement drop_event_;
    Statement keep_attempt_;
    Statement deliver_;
    Statement update_callback_;
    Statement replay_callback_;
    Statement drop_attempts_;
    Statement remove_steps_;
    Statement remove_callback_;
    Statement remove_attempts_;
};

}  // namespace merpati::store::sql
