// Sends one message for a call of the catalogue.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <optional>

#include "admission/directory.hpp"
#include "admission/principal.hpp"
#include "admission/refusal.hpp"
#include "admission/submission.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/account.hpp"
#include "model/ids.hpp"
#include "store/records.hpp"

namespace merpati::intake {
class Intake;
}

namespace merpati::api {

/// A message that a caller wants to send for an account.
struct SingleMessage {
    admission::Submission submission;
    model::AccountId account;
    /// If a message was sent with this key before, nothing is sent again. It is stored with the
    /// message. Empty: without a key.
    std::optional<store::IdempotencyRecord> once{};
};

/// Why a message was not accepted.
struct SingleRefusal {
    admission::Refusal why = admission::Refusal::internal;
    std::chrono::seconds retry_after{0};  // Of rate_exceeded.
};

/// Operation: the checks are those of `POST /v1/send` after the key: validity, rate, Intake. The
/// message counts against the rate of the account's sends.
///
/// Threads: any; `done` is called on the caller's, the fetcher's or the committer's.
class SingleSend {
public:
    struct Rooms {
        const Clock& clock;
        const admission::Directory& directory;
        intake::Intake& intake;
    };
    using Sent = std::expected<model::MessageId, SingleRefusal>;
    using Done = std::move_only_function<void(Result<Sent>)>;

    SingleSend(Rooms rooms, std::optional<model::Rate> default_rate)
        : rooms_(rooms), default_rate_(default_rate) {}

    /// Calls `done` once, with the message's id, that of the first one for a repeated key. Errors:
    /// not_found (no such account), forbidden (the caller has lost its rights meanwhile).
    void send(SingleMessage message, admission::Principal caller, Done done);

private:
    class Entry;

    Rooms rooms_;
    const std::optional<model::Rate> default_rate_;
};

}  // namespace merpati::api
