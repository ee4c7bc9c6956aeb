#include "scheduler/doubt.hpp"

#include <string>

#include "model/texts.hpp"

namespace merpati::scheduler {

void note_doubt(model::Completion& completion) {
    const bool unsent = completion.state == model::MessageState::failed ||
                        completion.state == model::MessageState::cancelled;
    const bool refuses_recipient = completion.code == model::StatusCode::recipient_unregistered ||
                                   completion.code == model::StatusCode::recipient_invalid;
    if (unsent && !refuses_recipient && !completion.details.starts_with(model::details::unknown)) {
        completion.details = std::string{model::details::unknown} + ": " + completion.details;
    }
}

}  // namespace merpati::scheduler
