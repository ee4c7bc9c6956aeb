#include "api/call.hpp"

#include <utility>

namespace merpati::api {

void CallResponder::answer(Checked<http::Reply> answer) {
    hold_.release();
    if (!answer) {
        const auto refusal = answer.error();
        if (*on_refused_) {
            (*on_refused_)(refusal);
        }
        answer = failure(refusal, revision_);
        if (const auto seconds = error_row(refusal).retry_after; seconds > 0) {
            answer->add_header("Retry-After", std::to_string(seconds));
        }
    }
    answer->headers += headers_;
    responder_.send(*std::move(answer));
}

}  // namespace merpati::api
