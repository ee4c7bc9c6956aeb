#include "api/send/bulk_request.hpp"

#include <utility>

#include <fmt/format.h>

#include "admission/checks.hpp"
#include "api/idempotency.hpp"
#include "api/manage/engine/change_log.hpp"
#include "api/manage/engine/idempotency_answers.hpp"
#include "api/meant_account.hpp"
#include "api/send/bulk_transaction.hpp"
#include "api/send/bulk_trial.hpp"
#include "store/audit_log.hpp"

namespace merpati::api {

using admission::Checked;
using admission::Refusal;
using manage::Outcome;

BulkRequest::BulkRequest(Bulk& bulk, manage::Request request, admission::Principal caller,
                         manage::Share share, BulkMemory::Hold memory, http::Responder responder)
    : bulk_(bulk),
      request_(std::move(request)),
      caller_(std::move(caller)),
      share_(share),
      memory_(std::move(memory)),
      responder_(std::in_place, std::move(responder)) {}

void BulkRequest::begin() {
    if (auto refused = admit()) {
        answer(*std::move(refused));
        return;
    }
    judge();
    probe();
}

void BulkRequest::answer(Outcome outcome) {
    key_hold_.release();
    auto responder = *std::exchange(responder_, std::nullopt);
    responder.send(manage::reply_of(std::move(outcome), request_.head.language));
}

/// The validity of the account is judged with each message.
std::optional<Outcome> BulkRequest::admit() {
    auto present = bulk_.rooms_.rights.renew(caller_);
    if (!present) {
        return manage::unauthenticated();
    }
    caller_ = *std::move(present);
    if (!request_.query.empty()) {
        return manage::problem(400, "invalid_argument",
                               "only GET and DELETE take a query: give the fields in the body");
    }
    auto body = BulkBody::parse(request_.body);
    if (!body) {
        return manage::problem(body.error(), false);
    }
    body_ = *std::move(body);
    auto valid = caller_;
    valid.expired.clear();
    auto account =
        find_meant_account(bulk_.rooms_.directory, valid, body_.account, model::Scope::send);
    if (!account) {
        return std::move(account.error());
    }
    account_ = *std::move(account);
    if (!bulk_.rooms_.intake.takes_for(account_->account.id)) {
        return manage::elsewhere(account_->account.id);
    }
    auto answered = body_.dry_run ? std::nullopt : take_key();
    request_.body = {};
    return answered;
}

std::optional<Outcome> BulkRequest::take_key() {
    if (!request_.head.idempotency_key) {
        return std::nullopt;
    }
    if (!IdempotencyLedger::is_well_formed(*request_.head.idempotency_key)) {
        return manage::idempotency_key_malformed();
    }
    auto& ledger = bulk_.rooms_.idempotency;
    record_ = manage::idempotency_record(ledger, request_, caller_, bulk_.rooms_.clock.now());
    auto hold = ledger.hold(*record_);
    if (!hold) {
        return manage::beside(hold.error(), *record_);
    }
    key_hold_ = std::move(*hold);
    // If the store cannot be read, the transaction looks again.
    const auto first = ledger.first(*record_);
    return first && *first ? std::optional{manage::repeat_of(**first, *record_)} : std::nullopt;
}

void BulkRequest::judge() {
    items_.reserve(body_.messages.size());
    const auto& clock = bulk_.rooms_.clock;
    Moment moment{.judging = {.at = clock.wall_now()}, .valid = {}, .steady = clock.steady_now()};
    moment.valid = admission::check_validity(account_->account, moment.judging.at);
    for (auto& asked : body_.messages) {
        auto& item =
            items_.emplace_back(asked.submission.recipient, asked.submission.recipient_quoted);
        if (auto passed = judge(asked, item, moment); !passed) {
            item.end = pass(passed);
        }
    }
    body_.messages = {};
}

/// In the order of the checks of a single send.
Checked<void> BulkRequest::judge(BulkItem& asked, BulkMessage& item, Moment& moment) {
    if (asked.bytes > bulk_.options_.message_bytes_max) {
        item.recipient.clear();  // It may be the reason.
        item.recipient_quoted = true;
        return refuse(Refusal::body_too_large);
    }
    if (!moment.valid) {
        return moment.valid;
    }
    if (auto within = body_.dry_run ? Checked<void>{} : take_rate(moment.steady); !within) {
        return within;
    }
    if (asked.key) {
        const auto repeated = repeats(*asked.key, item);
        if (!repeated || *repeated) {
            return repeated ? Checked<void>{} : pass(repeated);
        }
    }
    auto message =
        bulk_.rooms_.intake.examine(std::move(asked.submission), account_->account, moment.judging);
    if (!message) {
        return pass(message);
    }
    item.message = *std::move(message);
    return {};
}

Checked<void> BulkRequest::take_rate(SteadyTime now) {
    const auto verdict = admission::check_rate(*account_, bulk_.options_.default_rate, now);
    if (!verdict || verdict->allowed) {
        return {};
    }
    retry_after_ = std::chrono::ceil<std::chrono::seconds>(verdict->retry_after);
    return refuse(Refusal::rate_exceeded);
}

Checked<bool> BulkRequest::repeats(const BulkItem::Key& key, BulkMessage& item) {
    if (!IdempotencyLedger::is_well_formed(key.text)) {
        return refuse(Refusal::idempotency_key_invalid);
    }
    // The keys are those of single sends, and so are the fingerprints.
    auto& ledger = bulk_.rooms_.idempotency;
    auto record = ledger.record(
        account_->account.id, key.text,
        published_request("/v1/send", model::to_string(model::Revision::a), key.content),
        bulk_.rooms_.clock.now());
    const auto first = ledger.first(record);
    if (first && *first) {
        if ((*first)->fingerprint != record.fingerprint) {
            return refuse(Refusal::idempotency_key_reused);
        }
        item.end = body_.dry_run ? std::nullopt : (*first)->message;
        return true;
    }
    item.key = std::move(record);
    return false;
}

/// All files at once: the fetcher's limits say how many requests run side by side.
void BulkRequest::probe() {
    std::vector<BulkMessage*> waiting;
    for (auto& item : items_) {
        if (item.message != nullptr && item.message->type == model::MessageType::media) {
            waiting.push_back(&item);
        }
    }
    if (waiting.empty()) {
        finish();
        return;
    }
    unprobed_ = waiting.size();
    for (auto* item : waiting) {
        bulk_.rooms_.intake.probe(*item->message,
                                  [item, self = shared_from_this()](Checked<void> passed) {
                                      if (!passed) {
                                          item->end = pass(passed);
                                          item->message.reset();
                                      }
                                      self->probed();
                                  });
    }
}

void BulkRequest::probed() {
    if (--unprobed_ > 0) {
        return;
    }
    const bool taken = bulk_.threads_.go_on(share_, [self = shared_from_this()](bool proceed) {
        if (proceed) {
            self->finish();
        } else {
            self->answer(manage::busy());
        }
    });
    if (!taken) {
        answer(manage::busy());
    }
}

void BulkRequest::finish() {
    if (body_.dry_run) {
        end_trial(items_, credit());
    } else if (auto answered = store()) {
        answer(*std::move(answered));
        return;
    }
    std::string headers{manage::not_stored};
    if (retry_after_.count() > 0) {
        headers += fmt::format("Retry-After: {}\r\n", retry_after_.count());
    }
    if (bulk_.on_refused && !body_.dry_run) {
        for (const auto& item : items_) {
            if (!item.end) {
                bulk_.on_refused(item.end.error());
            }
        }
    }
    answer({.body = record_ ? std::move(record_->answer) : bulk_answer(items_),
            .headers = std::move(headers)});
}

std::optional<Outcome> BulkRequest::store() {
    BulkTransaction transaction{{.intake = bulk_.rooms_.intake,
                                 .committer = bulk_.rooms_.committer,
                                 .caller = caller_,
                                 .account = account_->account.id,
                                 .log_entry = [this] { return log_entry(); },
                                 .on_fault = bulk_.on_fault},
                                items_,
                                record_};
    return transaction.run();
}

/// The account's balance. Empty: it is not counted, or cannot be read: then nothing is refused for
/// it.
std::optional<std::int64_t> BulkRequest::credit() {
    const auto account = bulk_.rooms_.readers.read(
        [this](store::Reader& reader) { return reader.account(account_->account.id); });
    return account && *account ? (*account)->credit : std::nullopt;
}

store::AuditEntry BulkRequest::log_entry() const {
    auto caller = manage::name_of(caller_);
    const auto accepted = count_accepted(items_);
    return {.at = bulk_.rooms_.clock.wall_now(),
            .door = std::string{request_.head.door},
            .actor = std::move(caller.actor),
            .actor_name = std::move(caller.actor_name),
            .account = account_->account.id,
            .operation = fmt::format("{} {}", http::to_string(request_.method), request_.path),
            .after = fmt::format(R"({{"accepted":{},"refused":{}}})", accepted,
                                 items_.size() - accepted),
            .request_id = request_.head.id};
}

}  // namespace merpati::api
