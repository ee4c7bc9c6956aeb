#include "intake/intake.hpp"

#include <utility>

#include "admission/checks.hpp"
#include "intake/judge.hpp"

namespace merpati::intake {

using admission::Checked;
using admission::Refusal;
using admission::refuse;

void Intake::submit(admission::Submission&& submission, const model::Account& account,
                    admission::Principal caller, std::shared_ptr<Entry> entry) {
    entry->caller_ = std::move(caller);
    auto message = rooms_.admission.admit(std::move(submission), account);
    if (!message) {
        entry->refused(message.error());
        return;
    }
    if ((*message)->type != model::MessageType::media) {
        store_message(std::move(*message), entry);
        return;
    }
    const auto& probed = **message;
    probe(probed, [this, message = std::move(*message),
                   entry = std::move(entry)](Checked<void> passed) mutable {
        if (passed) {
            store_message(std::move(message), entry);
        } else {
            entry->refused(passed.error());
        }
    });
}

void Intake::store(std::unique_ptr<model::Message> message, admission::Principal caller,
                   const std::shared_ptr<Entry>& entry) {
    entry->caller_ = std::move(caller);
    store_message(std::move(message), entry);
}

void Intake::probe(const model::Message& message, Probed done) {
    rooms_.media_fetcher.probe(
        message.account, message.media_url, message.revision,
        [revision = message.revision, done = std::move(done)](media::ProbeVerdict verdict) mutable {
            done(judge(verdict, revision));
        });
}

Checked<void> Intake::check_again(const admission::Principal& caller, model::AccountId account,
                                  bool waits) const {
    if (waits ? !rooms_.ownership.works_for(account) : !takes_for(account)) {
        return refuse(Refusal::elsewhere);
    }
    if (auto held = rooms_.rights.check(caller); !held) {
        return held;
    }
    const auto entry = rooms_.directory.find_account(account);
    return entry == nullptr ? refuse(Refusal::key_invalid)
                            : admission::check_validity(entry->account, rooms_.clock.wall_now());
}

Millis Intake::begin(model::Message& message, const Moment& moment) {
    const auto delay = message.due_at - message.accepted_at;
    message.accepted_at = moment.wall;
    message.due_at = moment.queue + delay;
    message.id = rooms_.ids.next();
    return delay;
}

void Intake::accepted(std::unique_ptr<model::Message> message) {
    if (on_accepted) {
        on_accepted(*message);
    }
    rooms_.scheduler.accepted(std::move(message));
}

void Intake::store_message(std::unique_ptr<model::Message> message,
                           const std::shared_ptr<Entry>& entry) {
    const auto delay = begin(*message, now());
    store::Accept accept{.message = std::move(message), .idempotency = {}};
    entry->complete(accept, delay);
    accept.is_permitted = [this, &asking = *entry](const model::Message& asked) {
        const bool waits = asked.revision == model::Revision::b;
        asking.may_send_ = check_again(asking.caller_, asked.account, waits);
        return asking.may_send_.has_value();
    };
    const bool taken = rooms_.committer.accept(
        std::move(accept),
        [this, entry](store::Accept&& done) { stored(std::move(done), *entry); });
    if (!taken) {
        entry->refused(Refusal::overloaded);
    }
}

void Intake::stored(store::Accept&& accept, Entry& entry) {
    if (accept.result == store::Accept::Result::not_permitted) {
        entry.refused(entry.may_send_.error());
        return;
    }
    if (auto passed = judge(accept); !passed) {
        entry.refused(passed.error());
        return;
    }
    const bool is_new = accept.result == store::Accept::Result::stored;
    if (is_new && on_accepted) {
        on_accepted(*accept.message);
    }
    entry.stored(accept);
    if (is_new) {
        rooms_.scheduler.accepted(std::move(accept.message));
    }
}

}  // namespace merpati::intake
