// May a message enter? The one way in for those of the API, and for all that come after it.
#pragma once

#include <cstdint>
#include <memory>

#include "admission/directory.hpp"
#include "admission/principal.hpp"
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

/// Makes a message of what an account's principal submits, or says which check refused it.
///
/// Operation: `admit` runs the checks of decisions.md from Type to callbackStatus in their order,
/// in memory; the first that fails is the answer. What stands before them (key, validity, rate) is
/// the business of the door, what follows (the file of a media message, credit) is not known here.
/// The message has no id yet; its delay is drawn, and counts from now.
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
                                                                 const Principal& principal) const;

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

/// What is told of a store that cannot read or write what the message needs. B has no word for it.
[[nodiscard]] constexpr Refusal storage_damaged_in(model::Revision revision) noexcept {
    return revision == model::Revision::a ? Refusal::storage_damaged : Refusal::send_failed;
}

}  // namespace merpati::admission
