#include "forwarding/sending_desk.hpp"

#include <functional>
#include <string>
#include <utility>

#include "forwarding/passage_text.hpp"
#include "forwarding/whole_body.hpp"

namespace merpati::forwarding {
namespace {

std::shared_ptr<const std::string> shared(std::string text) {
    return std::make_shared<const std::string>(std::move(text));
}

}  // namespace

void SendingDesk::hand_over(Shard shard, const http::Request& request, const http::Party& party,
                            http::Responder responder, AnswerSize answer) const {
    auto text = head_of(request, secret_);
    append_whole(text, request.body);
    forwarder_.pass_on({.method = std::string{passed_method(request.method)},
                        .bytes = shared(std::move(text)),
                        .is_repeatable = is_repeatable_(request),
                        .answer = answer,
                        .party = party,
                        .patience = patience,
                        .shard = shard},
                       std::move(responder));
}

/// The answer may come before the body has ended; then its rest is not read.
std::unique_ptr<http::BodyReceiver> SendingDesk::take(Shard shard, const http::Request& request,
                                                      http::Responder responder) {
    struct Begun {
        PassedRequest request;
        std::string head;
        http::Responder responder;
    };
    auto begun = std::make_shared<Begun>(
        Begun{.request = {.method = std::string{passed_method(request.method)},
                          .bytes = {},
                          .is_repeatable = is_repeatable_(request),
                          .party = party_of_(request),
                          .patience = patience,
                          .shard = shard},
              .head = head_of(request, secret_),
              .responder = std::move(responder)});
    return std::make_unique<WholeBody>(
        room_, begun->request.party, whole_max,
        [this, begun](const std::string& body) {
            append_whole(begun->head, body);
            begun->request.bytes = shared(std::move(begun->head));
            forwarder_.pass_on(std::move(begun->request), std::move(begun->responder));
        },
        [this, begun](const std::string& start, bool /*is_too_long*/) {
            append_begun(begun->head, start);
            begun->request.bytes = shared(std::move(begun->head));
            begun->request.has_more = true;
            begun->request.is_repeatable = false;
            return forwarder_.pass_on_in_pieces(std::move(begun->request),
                                                std::move(begun->responder));
        });
}

}  // namespace merpati::forwarding
