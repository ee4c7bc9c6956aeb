// Decides whether a submitted message is accepted. Every message enters through here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "admission/directory.hpp"
#include "admission/refusal.hpp"
#include "admission/submission.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "connector/connectors.hpp"
#include "model/message.hpp"
#include "outbound/address_policy.hpp"
#include "outbound/url.hpp"
#include "store/condition.hpp"

namespace merpati::admission {

struct AdmissionOptions {
    std::uint32_t random_delay_max = 30;  // Seconds.
    outbound::Schemes callback_schemes = outbound::Schemes::https_only;
};

/// What the messages of one request share.
struct Judging {
    Timestamp at;                // By the wall clock.
    std::string callback_url{};  // The last one that was admitted: most requests have one.
};

/// Makes a message of a submission, or returns the refusal of the first check that failed.
///
/// Operation: `admit` runs its checks in a fixed order (admission.cpp), in memory. The caller makes
/// the checks before them (key, validity, rate) and after them (the file of a media message,
/// credit). The message has no id yet. `due_at` is `accepted_at` plus the delay, both by the wall
/// clock; the caller sets both again when it stores the message.
///
/// Threads: any.
class Admission {
public:
    struct Rooms {
        const QueueClock& clock;
        Random& random;
        const Directory& directory;
        const outbound::AddressPolicy& policy;
        const connector::Connectors& connectors;
        const store::Condition& condition;
    };

    Admission(Rooms rooms, AdmissionOptions options) : rooms_(rooms), options_(options) {}

    [[nodiscard]] Checked<std::unique_ptr<model::Message>> admit(Submission&& submission,
                                                                 const model::Account& account,
                                                                 Judging& judging) const;
    /// The same for a message that is alone in its request.
    [[nodiscard]] Checked<std::unique_ptr<model::Message>> admit(
        Submission&& submission, const model::Account& account) const;

private:
    struct Candidate;
    using Verdict = Checked<void>;

    [[nodiscard]] Verdict check_type(Candidate& candidate) const;
    [[nodiscard]] Verdict check_content(Candidate& candidate) const;
    [[nodiscard]] Verdict check_media_given(Candidate& candidate) const;
    [[nodiscard]] Verdict check_sender(Candidate& candidate) const;
    [[nodiscard]] Verdict check_device(Candidate& candidate) const;
    [[nodiscard]] Verdict check_length(Candidate& candidate) const;
    [[nodiscard]] Verdict check_recipient(Candidate& candidate) const;
    [[nodiscard]] Verdict check_delay(Candidate& candidate) const;
    [[nodiscard]] Verdict check_typing(Candidate& candidate) const;
    [[nodiscard]] Verdict check_callback(Candidate& candidate) const;
    [[nodiscard]] Verdict check_media_url(Candidate& candidate) const;

    Rooms rooms_;
    AdmissionOptions options_;
};

/// The refusal when the store is damaged where the message needs it. Revision B has none of its
/// own.
[[nodiscard]] constexpr Refusal storage_damaged_in(model::Revision revision) noexcept {
    return revision == model::Revision::a ? Refusal::storage_damaged : Refusal::send_failed;
}

}  // namespace merpati::admission
