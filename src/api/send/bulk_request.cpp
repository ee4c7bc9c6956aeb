#include "api/send/bulk_request.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "admission/checks.hpp"
#include "api/idempotency.hpp"
#include "api/manage/engine/change_log.hpp"
#include "api/manage/engine/idempotency_answers.hpp"
#include "api/meant_account.hpp"
#include "api/send/answers.hpp"
#include "api/send/judge.hpp"
#include "store/people.hpp"

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
    auto answered = body_.dry_run ? std::nullopt : take_key();
    request_.body = {};
    return answered;
}

std::optional<Outcome> BulkRequest::take_key() {
    if (!request_.head.idempotency_key) {
        return std::nullopt;
    }
    if (!well_formed_idempotency_key(*request_.head.idempotency_key)) {
        return manage::idempotency_key_malformed();
    }
    record_ = manage::idempotency_record(bulk_.rooms_.store, bulk_.rooms_.clock, request_, caller_);
    auto hold = bulk_.keys_in_flight_.take(*record_);
    if (!hold) {
        return manage::beside(hold.error(), *record_);
    }
    key_hold_ = std::move(*hold);
    // If the store cannot be read, the transaction looks again.
    const auto first = bulk_.readers_.read([this](store::Reader& reader) {
        return reader.idempotency(record_->account, record_->key);
    });
    return first && *first && (*first)->holds(record_->created_at)
               ? std::optional{manage::repeat_of(**first, *record_)}
               : std::nullopt;
}

void BulkRequest::judge() {
    items_.reserve(body_.messages.size());
    for (auto& asked : body_.messages) {
        auto& item =
            items_.emplace_back(asked.submission.recipient, asked.submission.recipient_quoted);
        if (auto passed = judge(asked, item); !passed) {
            item.end = pass(passed);
        }
    }
    body_.messages = {};
}

/// In the order of the checks of a single send.
Checked<void> BulkRequest::judge(BulkItem& asked, Item& item) {
    const auto& rooms = bulk_.rooms_;
    if (asked.bytes > bulk_.options_.message_bytes_max) {
        item.recipient.clear();  // It may be the reason.
        item.recipient_quoted = true;
        return refuse(Refusal::body_too_large);
    }
    if (auto valid = admission::check_validity(account_->account, rooms.clock.wall_now()); !valid) {
        return valid;
    }
    if (auto within = body_.dry_run ? Checked<void>{} : take_rate(); !within) {
        return within;
    }
    if (asked.key) {
        const auto repeated = repeats(*asked.key, item);
        if (!repeated || *repeated) {
            return repeated ? Checked<void>{} : pass(repeated);
        }
    }
    auto message = rooms.intake.examine(std::move(asked.submission), account_->account);
    if (!message) {
        return pass(message);
    }
    item.message = *std::move(message);
    return {};
}

Checked<void> BulkRequest::take_rate() {
    const auto verdict = admission::check_rate(*account_, bulk_.options_.default_rate,
                                               bulk_.rooms_.clock.steady_now());
    if (!verdict || verdict->allowed) {
        return {};
    }
    retry_after_ = std::chrono::ceil<std::chrono::seconds>(verdict->retry_after);
    return refuse(Refusal::rate_exceeded);
}

Checked<bool> BulkRequest::repeats(const BulkItem::Key& key, Item& item) {
    if (!well_formed_idempotency_key(key.text)) {
        return refuse(Refusal::idempotency_key_invalid);
    }
    // The keys are those of single sends, and so are the fingerprints.
    auto record = idempotency_record(
        bulk_.rooms_.store,
        {.path = "/v1/send", .revision = model::to_string(model::Revision::a), .body = key.content},
        key.text, account_->account.id, bulk_.rooms_.clock.now());
    const auto first = bulk_.readers_.read(
        [&](store::Reader& reader) { return reader.idempotency(record.account, record.key); });
    if (first && *first && (*first)->holds(record.created_at)) {
        if ((*first)->fingerprint != record.fingerprint) {
            return refuse(Refusal::idempotency_key_reused);
        }
        item.end = body_.dry_run ? std::nullopt : (*first)->message;
        return true;
    }
    if (body_.dry_run) {
        const auto [earlier, is_new] = keys_of_trial_.emplace(record.key, record.fingerprint);
        return is_new || earlier->second == record.fingerprint
                   ? Checked<bool>{false}
                   : refuse(Refusal::idempotency_key_reused);
    }
    item.key = std::move(record);
    return false;
}

/// All files at once: the fetcher's limits say how many requests run side by side.
void BulkRequest::probe() {
    std::vector<Item*> waiting;
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
    const bool taken = bulk_.workers_.go_on(share_, [self = shared_from_this()](bool proceed) {
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
        judge_credit();
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
    answer({.body = record_ ? std::move(record_->answer) : answer_text(),
            .headers = std::move(headers)});
}

std::optional<Outcome> BulkRequest::store() {
    begin_messages();
    if (entering_.empty() && !record_) {
        return std::nullopt;
    }
    const auto stored = bulk_.rooms_.committer.change_and_wait(
        [this](store::Tables& tables) { return store_in(tables); },
        [this] {
            for (auto& [item, accept] : entering_) {
                if (accept.result == store::Accept::Result::stored) {
                    bulk_.rooms_.intake.accepted(std::move(accept.message));
                }
            }
        },
        entering_.size());
    return stored ? std::nullopt : not_stored(stored.error());
}

void BulkRequest::begin_messages() {
    entering_.reserve(items_.size());
    for (auto& item : items_) {
        if (item.message == nullptr) {
            continue;
        }
        bulk_.rooms_.intake.begin(*item.message);
        if (item.key) {
            item.key->message = item.message->id;
            item.key->status = 200;
            item.key->answer = accepted_answer(*item.message);
        }
        entering_.push_back(
            {.item = &item,
             .accept = {.message = std::move(item.message), .idempotency = std::move(item.key)}});
    }
}

/// Everything that the request writes. The checks are those that Intake makes in the transaction of
/// a single send.
Result<void> BulkRequest::store_in(store::Tables& tables) {
    if (record_) {
        auto first = tables.find_idempotency(record_->account, record_->key);
        if (!first) {
            return pass(first);
        }
        if (*first && (*first)->holds(record_->created_at)) {
            first_ = **std::move(first);
            return fail(ErrorCode::conflict, "this Idempotency-Key was used meanwhile");
        }
    }
    if (!entering_.empty()) {
        may_send_ = bulk_.rooms_.intake.check_again(caller_, account_->account.id);
        if (!may_send_) {
            return fail(ErrorCode::forbidden, "what the caller may do has changed");
        }
    }
    for (auto& entering : entering_) {
        tables.accept(entering.accept);
    }
    settle();
    if (std::ranges::any_of(entering_, [](const Entering& entering) {
            return entering.accept.result == store::Accept::Result::stored;
        })) {
        if (const auto logged = tables.people().add_audit(log_entry()); !logged) {
            return pass(logged);
        }
    }
    if (!record_) {
        return {};
    }
    record_->status = 200;
    record_->answer = answer_text();
    return tables.put_idempotency(*record_);
}

void BulkRequest::settle() {
    using Result = store::Accept::Result;
    for (auto& [item, accept] : entering_) {
        if (auto passed = api::judge(accept); !passed) {
            item->end = pass(passed);
        } else if (accept.result == Result::key_reused) {
            item->end = refuse(Refusal::idempotency_key_reused);
        } else if (accept.result == Result::repeated) {
            item->end = accept.idempotency->message;
        } else {
            item->end = accept.message->id;
        }
    }
}

/// The end of a request whose transaction has written nothing.
std::optional<Outcome> BulkRequest::not_stored(const Error& error) {
    if (first_) {
        return manage::repeat_of(*first_, *record_);
    }
    auto why = Refusal::internal;
    if (!may_send_) {
        why = may_send_.error();
        if (why != Refusal::account_expired) {
            return why == Refusal::key_invalid ? manage::unauthenticated()
                                               : manage::rights_changed();
        }
    } else if (error.code == ErrorCode::busy) {
        why = bulk_.rooms_.committer.condition().accepts() ? Refusal::overloaded
                                                           : Refusal::storage_full;
    } else if (error.code == ErrorCode::shutting_down) {
        why = Refusal::overloaded;
    } else if (error.code == ErrorCode::damaged) {
        why = Refusal::storage_damaged;
    } else if (bulk_.on_fault) {
        bulk_.on_fault(error);
    }
    for (auto& entering : entering_) {
        entering.item->end = refuse(why);
    }
    record_.reset();
    return std::nullopt;
}

/// If the balance cannot be read, nothing is refused for it.
void BulkRequest::judge_credit() {
    const auto account = bulk_.readers_.read(
        [this](store::Reader& reader) { return reader.account(account_->account.id); });
    if (!account || !*account || !(*account)->credit) {
        return;
    }
    auto left = *(*account)->credit;
    for (auto& item : items_) {
        if (item.message != nullptr && left-- <= 0) {
            item.end = refuse(Refusal::credit_exhausted);
        }
    }
}

std::string BulkRequest::answer_text() const {
    std::string text;
    text.reserve(64 + items_.size() * 128);
    const auto accepted = count_accepted();
    fmt::format_to(std::back_inserter(text), R"({{"accepted":{},"refused":{},"results":[)",
                   accepted, items_.size() - accepted);
    for (const auto& item : items_) {
        text += &item == &items_.front() ? "" : ",";
        append_bulk_result(text, item.end, item.recipient, item.recipient_quoted);
    }
    text += "]}";
    return text;
}

std::size_t BulkRequest::count_accepted() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(items_, [](const Item& item) { return item.end.has_value(); }));
}

store::AuditEntry BulkRequest::log_entry() const {
    auto caller = manage::name_of(caller_);
    const auto accepted = count_accepted();
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
