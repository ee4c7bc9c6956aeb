#include "api/call.hpp"

#include <utility>

namespace merpati::api {
namespace {

constexpr std::size_t headers_usual = 128;  // X-Api-Revision and RateLimit: one allocation.

}  // namespace

void CallResponder::add_headers(std::string_view lines) {
    if (headers_.empty()) {
        headers_.reserve(headers_usual);
    }
    headers_ += lines;
}

void CallResponder::answer(Checked<http::Reply> answer) {
    hold_.release();
    if (!answer) {
        const auto refusal = answer.error();
        if (*on_refused_) {
            (*on_refused_)(refusal);
        }
        answer = failure(refusal, revision_);
    }
    if (answer->headers.empty()) {
        answer->headers = std::move(headers_);
    } else {
        answer->headers += headers_;
    }
    responder_.send(*std::move(answer));
}

}  // namespace merpati::api
