#include "api/send/retry.hpp"

#include <utility>

#include <fmt/format.h>

#include "admission/checks.hpp"
#include "api/errors.hpp"
#include "api/send/judge.hpp"

namespace merpati::api {

struct Retry::Attempt {
    model::MessageId ended;
    std::unique_ptr<model::Message> message;
    Done done;
};

namespace {

admission::Submission submission_of(const model::Message& ended) {
    return {.revision = ended.revision,
            .type = ended.type,
            .content = ended.body.empty() ? std::nullopt : std::optional{ended.body},
            .media_url = ended.media_url,
            .sender = ended.device.text(),
            .recipient = ended.recipient,
            .recipient_quoted = ended.recipient_quoted,
            .typing = ended.typing,
            .callback_url = ended.callback_url};
}

std::unexpected<Error> refused(Refusal refusal) {
    return fail(ErrorCode::refused,
                fmt::format("the message is not sent again: {}", error_row(refusal).text));
}

Result<model::MessageId> result_of(const store::Accept& accept) {
    if (accept.result == store::Accept::Result::retried_before) {
        return fail(ErrorCode::conflict,
                    fmt::format("the message was sent again before, as {}",
                                accept.retry_of ? accept.retry_of->text() : "another one"));
    }
    if (const auto judged = judge(accept); !judged) {
        return refused(judged.error());
    }
    return accept.message->id;
}

}  // namespace

void Retry::send(const model::Message& ended, Done done) {
    const auto account = rooms_.directory.find_account(ended.account);
    if (account == nullptr) {
        done(refused(Refusal::key_invalid));
        return;
    }
    if (const auto valid = admission::check_validity(account->account, rooms_.clock.wall_now());
        !valid) {
        done(refused(valid.error()));
        return;
    }
    auto admitted = rooms_.admission.admit(
        submission_of(ended), admission::Principal::of(admission::KeyEntry{.account = account}));
    if (!admitted) {
        done(refused(admitted.error()));
        return;
    }
    auto attempt = std::make_shared<Attempt>(
        Attempt{.ended = ended.id, .message = std::move(*admitted), .done = std::move(done)});
    attempt->message->source = ended.source;
    attempt->message->campaign = ended.campaign;
    if (attempt->message->type == model::MessageType::media) {
        probe(std::move(attempt));
    } else {
        store_message(attempt);
    }
}

void Retry::probe(std::shared_ptr<Attempt> attempt) {
    const auto& message = *attempt->message;
    const auto revision = message.revision;
    rooms_.media_fetcher.probe(
        message.account, message.media_url, revision,
        [this, attempt = std::move(attempt), revision](media::ProbeVerdict verdict) {
            if (const auto judged = judge(verdict, revision); !judged) {
                attempt->done(refused(judged.error()));
                return;
            }
            store_message(attempt);
        });
}

void Retry::store_message(const std::shared_ptr<Attempt>& attempt) {
    auto& message = *attempt->message;
    message.accepted_at = rooms_.clock.wall_now();
    message.due_at = rooms_.clock.now();
    message.id = rooms_.ids.next();
    store::Accept accept{.message = std::move(attempt->message), .retry_of = attempt->ended};
    const bool taken =
        rooms_.committer.accept(std::move(accept), [this, attempt](store::Accept&& done) {
            auto result = result_of(done);
            if (done.result == store::Accept::Result::stored) {
                rooms_.scheduler.accepted(std::move(done.message));
            }
            attempt->done(std::move(result));
        });
    if (!taken) {
        attempt->done(fail(ErrorCode::busy, "too many messages are being accepted: try again"));
    }
}

}  // namespace merpati::api
