#include "api/send/single_send.hpp"

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "admission/checks.hpp"
#include "intake/intake.hpp"

namespace merpati::api {

using admission::Refusal;

/// One message, until it is stored or refused.
class SingleSend::Entry final : public intake::Intake::Entry {
public:
    Entry(std::optional<store::IdempotencyRecord> once, Done done)
        : once_(std::move(once)), done_(std::move(done)) {}

    void complete(store::Accept& accept, Millis /*delay*/) override {
        if (once_) {
            once_->message = accept.message->id;
            accept.idempotency = once_;
        }
    }
    void refused(Refusal refusal) override {
        if (refusal == Refusal::key_invalid || refusal == Refusal::scope_missing) {
            done_(fail(ErrorCode::forbidden, "what you may do has changed since the call began"));
        } else {
            done_(Sent{std::unexpected(SingleRefusal{.why = refusal})});
        }
    }
    void stored(const store::Accept& accept) override {
        using Result = store::Accept::Result;
        if (accept.result == Result::key_reused) {
            done_(Sent{std::unexpected(SingleRefusal{.why = Refusal::idempotency_key_reused})});
        } else if (accept.result == Result::repeated && accept.idempotency->message) {
            done_(Sent{*accept.idempotency->message});
        } else {
            done_(Sent{accept.message->id});
        }
    }

private:
    std::optional<store::IdempotencyRecord> once_;
    Done done_;
};

void SingleSend::send(SingleMessage message, admission::Principal caller, Done done) {
    const auto account = rooms_.directory.find_account(message.account);
    if (account == nullptr) {
        done(fail(ErrorCode::not_found,
                  fmt::format("there is no account {}", message.account.text())));
        return;
    }
    if (auto valid = admission::check_validity(account->account, rooms_.clock.now()); !valid) {
        done(Sent{std::unexpected(SingleRefusal{.why = valid.error()})});
        return;
    }
    const auto verdict = admission::check_rate(*account, default_rate_, rooms_.clock.steady_now());
    if (verdict && !verdict->allowed) {
        done(Sent{std::unexpected(SingleRefusal{
            .why = Refusal::rate_exceeded,
            .retry_after = std::chrono::ceil<std::chrono::seconds>(verdict->retry_after)})});
        return;
    }
    rooms_.intake.submit(std::move(message.submission), account->account, std::move(caller),
                         std::make_shared<Entry>(std::move(message.once), std::move(done)));
}

}  // namespace merpati::api
