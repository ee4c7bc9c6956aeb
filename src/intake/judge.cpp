#include "intake/judge.hpp"

#include "admission/admission.hpp"

namespace merpati::intake {

using admission::Checked;
using admission::Refusal;
using admission::refuse;

Checked<void> judge(media::ProbeVerdict verdict, model::Revision revision) {
    switch (verdict) {
        case media::ProbeVerdict::acceptable:
        case media::ProbeVerdict::undecided:
            return {};
        case media::ProbeVerdict::declared_type_refused:
            return refuse(revision == model::Revision::a ? Refusal::file_type_unsupported
                                                         : Refusal::mime_type_unsupported);
        case media::ProbeVerdict::content_type_refused:
            return refuse(Refusal::file_type_unsupported);
        case media::ProbeVerdict::too_large:
            return refuse(Refusal::file_too_large);
        case media::ProbeVerdict::inaccessible:
            return refuse(Refusal::media_unreachable);
    }
    return {};
}

Checked<void> judge(const store::Accept& accept) {
    switch (accept.result) {
        case store::Accept::Result::stored:
        case store::Accept::Result::repeated:
        case store::Accept::Result::key_reused:
        case store::Accept::Result::retried_before:  // These are for Retry alone, which looks.
        case store::Accept::Result::erased:
        case store::Accept::Result::recipient_taken:
        case store::Accept::Result::campaign_paused:
        case store::Accept::Result::campaign_cancelled:
            return {};
        case store::Accept::Result::not_permitted:  // Intake has the reason.
            return refuse(Refusal::key_invalid);
        case store::Accept::Result::credit_exhausted:
            return refuse(Refusal::credit_exhausted);
        case store::Accept::Result::sender_gone:
            return refuse(Refusal::sender_invalid);
        case store::Accept::Result::no_room:
            return refuse(Refusal::storage_full);
        case store::Accept::Result::unavailable:
            return refuse(Refusal::storage_unavailable);
        case store::Accept::Result::locked:
            return refuse(Refusal::overloaded);
        case store::Accept::Result::damaged:
            return refuse(admission::storage_damaged_in(accept.message->revision));
    }
    return {};
}

}  // namespace merpati::intake
