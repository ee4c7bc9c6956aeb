#include "api/send/retry.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "admission/checks.hpp"
#include "api/errors.hpp"

namespace merpati::api {
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
            .callback_url = ended.callback_url,
            .filled_template = ended.filled_template};
}

/// Statuses from 500 on say that the cause may pass, as `busy` does.
std::unexpected<Error> refused(Refusal refusal) {
    if (refusal == Refusal::overloaded) {
        return fail(ErrorCode::busy, "too many messages are being accepted: try again");
    }
    if (refusal == Refusal::key_invalid || refusal == Refusal::scope_missing) {
        return fail(ErrorCode::forbidden,
                    "what you may do has changed a moment ago: the message is not sent again");
    }
    const auto& row = error_row(refusal);
    return fail(row.a.code >= 500 ? ErrorCode::busy : ErrorCode::refused,
                fmt::format("the message is not sent again: {}", row.text));
}

}  // namespace

/// One new message, until it is stored or refused.
class Retry::Entry final : public intake::Intake::Entry {
public:
    Entry(const model::Message& ended, Done done)
        : ended_(ended.id),
          source_(ended.source),
          campaign_(ended.campaign),
          campaign_row_(ended.campaign_row),
          is_test_(ended.test),
          done_(std::move(done)) {}

    void complete(store::Accept& accept, Millis /*delay*/) override {
        accept.message->source = source_;
        accept.message->campaign = campaign_;
        accept.message->campaign_row = campaign_row_;
        accept.message->test = is_test_;
        if (campaign_row_ != 0) {
            accept.message->delivery = model::Delivery::at_most_once;
        }
        accept.retry_of = ended_;
    }
    void refused(Refusal refusal) override { done_(api::refused(refusal)); }
    void stored(const store::Accept& accept) override {
        using Result = store::Accept::Result;
        if (accept.result == Result::retried_before) {
            refuse(fmt::format("the message was sent again before, as {}",
                               accept.retried_as ? accept.retried_as->text() : "another one"));
        } else if (accept.result == Result::erased) {
            refuse("the message has been erased: it cannot be sent again");
        } else if (accept.result == Result::recipient_taken) {
            refuse(fmt::format("campaign {} sends to this recipient again by itself",
                               campaign_->text()));
        } else if (accept.result == Result::campaign_paused) {
            refuse(fmt::format(
                "campaign {} is paused and would take the message back: resume it first",
                campaign_->text()));
        } else if (accept.result == Result::campaign_cancelled) {
            refuse(fmt::format(
                "campaign {} is cancelled and would take the message back: send a new message",
                campaign_->text()));
        } else {
            done_(accept.message->id);
        }
    }

private:
    void refuse(std::string why) { done_(fail(ErrorCode::conflict, std::move(why))); }

    const model::MessageId ended_;
    const model::Source source_;
    const decltype(model::Message::campaign) campaign_;
    const std::uint32_t campaign_row_;
    const bool is_test_;
    Done done_;
};

void Retry::send(const model::Message& ended, admission::Principal caller, Done done) {
    const auto account = rooms_.directory.find_account(ended.account);
    const auto valid = account == nullptr
                           ? Checked<void>{refuse(Refusal::sender_invalid)}
                           : admission::check_validity(account->account, rooms_.clock.now());
    if (!valid) {
        done(refused(valid.error()));
        return;
    }
    rooms_.intake.submit(submission_of(ended), account->account, std::move(caller),
                         std::make_shared<Entry>(ended, std::move(done)));
}

}  // namespace merpati::api
