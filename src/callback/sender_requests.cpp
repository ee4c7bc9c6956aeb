// The methods of SenderCore that post: attempts, and tests of an address.
#include <chrono>
#include <utility>

#include "callback/answer_text.hpp"
#include "callback/batch_answer.hpp"
#include "callback/composer.hpp"
#include "callback/sender_core.hpp"
#include "callback/signature.hpp"

namespace merpati::callback {

void SenderCore::send(AttemptPtr attempt) {
    auto& first = attempt->events.front()->queued.callback;
    // A retry of a single callback reads its body from the store. A batch may be halved.
    auto body = attempt->batch ? batch_body(attempt->events) : std::move(first.body);
    auto request = request_for(first, *attempt->origin->url, std::move(body), attempt->batch);
    send_(std::move(request), [this, attempt = std::move(attempt)](const Answer& answer) mutable {
        set_now();
        for (const auto& event : attempt->events) {
            suspects_.end(event->file_slot);
        }
        ended(std::move(attempt), answer);
        answered_();
    });
}

std::optional<outbound::Url> SenderCore::usable(const std::string& url) const {
    auto parsed = outbound::Url::parse(url);
    const bool fits = parsed && (parsed->scheme == "https" || options_.allow_http);
    return fits ? std::optional{std::move(*parsed)} : std::nullopt;
}

void SenderCore::test(model::Callback callback,
                      std::move_only_function<void(Result<model::CallbackAttempt>)> done) {
    const auto url = usable(callback.url);
    if (draining_ || tests_ >= Sender::tests_max || !url) {
        done(draining_ ? fail(ErrorCode::shutting_down, "the server is stopping")
             : url     ? fail(ErrorCode::busy, "other tests are under way: try again")
                       : fail(ErrorCode::refused, "not an https URL"));
        return;
    }
    ++tests_;
    const auto id = callback.id;
    std::optional<model::PostedBatch> batch;
    std::string body = callback.body;
    if (batches_(callback.account)) {
        batch = {.id = ids_.next(), .events = 1};
        auto event = std::make_unique<Delivery>();
        event->queued.callback = callback;
        body = batch_body({&event, 1});
    }
    auto request = request_for(callback, *url, std::move(body), batch);
    send_(std::move(request), [this, id, batch, began = clock_.steady_now(),
                               done = std::move(done)](const Answer& answer) mutable {
        --tests_;
        model::CallbackAttempt attempt{
            .number = 1,
            .at = clock_.wall_now(),
            .took = std::chrono::ceil<Millis>(clock_.steady_now() - began),
            .batch = batch};
        if (answer) {
            attempt.status = answer->status;
            attempt.answer = answer_text(answer->body);
        }
        if (answer_of(answer) != Health::Answer::success) {
            attempt.error = error_text(answer);
        } else if (batch && asked_again(answer->body).contains(id)) {
            attempt.error = asked_again_text;
        }
        done(std::move(attempt));
    });
}

outbound::Request SenderCore::request_for(const model::Callback& callback, const outbound::Url& url,
                                          std::string body,
                                          const std::optional<model::PostedBatch>& batch) {
    outbound::Request request;
    request.method = "POST";
    request.url = url;
    request.headers =
        signature_headers(secrets_(callback.account), batch ? batch->id.text() : callback.id.text(),
                          clock_.wall_now(), body);
    request.headers += "Content-Type: application/json\r\n";
    request.body = std::move(body);
    request.timeout = options_.timeout;
    request.head_suffices = true;  // Any 2xx is success, whatever the body.
    if (batch) {
        request.body_wait = options_.timeout;  // It may ask for some events again.
        request.body_bytes_max = batch_answer_bytes_max + 1;
    }
    return request;
}

}  // namespace merpati::callback
