#include "api/send/bulk_transaction.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/idempotency_ledger.hpp"
#include "api/manage/engine/idempotency_answers.hpp"
#include "api/send/answers.hpp"
#include "intake/judge.hpp"

namespace merpati::api {

using admission::Refusal;
using manage::Outcome;

std::optional<Outcome> BulkTransaction::run() {
    begin_messages();
    for (int damages = 0; !entering_.empty() || record_; ++damages) {
        const auto stored = commit();
        if (stored) {
            return std::nullopt;
        }
        const bool passes_over = stored.error().code == ErrorCode::damaged &&
                                 damages < damages_max && leave_out_damaged();
        if (!passes_over) {
            return not_stored(stored.error());
        }
    }
    return std::nullopt;
}

void BulkTransaction::begin_messages() {
    entering_.reserve(messages_.size());
    const auto moment = rooms_.intake.now();
    for (auto& one : messages_) {
        if (one.message == nullptr) {
            continue;
        }
        rooms_.intake.begin(*one.message, moment);
        if (one.key) {
            one.key->message = one.message->id;
            one.key->status = 200;
            one.key->answer = accepted_answer(*one.message);
        }
        entering_.push_back(
            {.of = &one,
             .accept = {.message = std::move(one.message), .idempotency = std::move(one.key)}});
    }
}

Result<void> BulkTransaction::commit() {
    return rooms_.committer.change_and_wait(
        [this](store::Tables& tables) { return store_in(tables); },
        [this] {
            for (auto& [of, accept] : entering_) {
                if (accept.result == store::Accept::Result::stored) {
                    rooms_.intake.accepted(std::move(accept.message));
                }
            }
        },
        entering_.size());
}

/// Everything that the request writes. The checks are those that Intake makes in the transaction of
/// a single send.
Result<void> BulkTransaction::store_in(store::Tables& tables) {
    accepting_.reset();
    first_.reset();
    if (record_) {
        auto first = IdempotencyLedger::first_in(tables, *record_);
        if (!first) {
            return pass(first);
        }
        if (*first) {
            first_ = **std::move(first);
            return fail(ErrorCode::conflict, "this Idempotency-Key was used meanwhile");
        }
    }
    if (!entering_.empty()) {
        may_send_ = rooms_.intake.check_again(rooms_.caller, rooms_.account);
        if (!may_send_) {
            return fail(ErrorCode::forbidden, "what the caller may do has changed");
        }
    }
    for (std::size_t place = 0; place < entering_.size(); ++place) {
        accepting_ = place;
        entering_[place].accept.result = store::Accept::Result::stored;  // Of an earlier run.
        tables.accept(entering_[place].accept);
    }
    accepting_.reset();
    settle();
    if (std::ranges::any_of(entering_, [](const Entering& entering) {
            return entering.accept.result == store::Accept::Result::stored;
        })) {
        if (const auto logged = tables.add_audit(rooms_.log_entry()); !logged) {
            return pass(logged);
        }
    }
    if (!record_) {
        return {};
    }
    record_->status = 200;
    record_->answer = bulk_answer(messages_);
    return tables.put_idempotency(*record_);
}

void BulkTransaction::settle() {
    using Result = store::Accept::Result;
    for (auto& [of, accept] : entering_) {
        if (auto passed = intake::judge(accept); !passed) {
            of->end = pass(passed);
        } else if (accept.result == Result::key_reused) {
            of->end = admission::refuse(Refusal::idempotency_key_reused);
        } else if (accept.result == Result::repeated) {
            of->end = accept.idempotency->message;
        } else {
            of->end = accept.message->id;
        }
    }
}

/// False: the damage was met elsewhere. The rows of several messages were perhaps written at once;
/// after damage the store writes those of one message at a time.
bool BulkTransaction::leave_out_damaged() {
    if (!accepting_) {
        return !std::exchange(written_again_, true);
    }
    const auto damaged = entering_.begin() + static_cast<std::ptrdiff_t>(*accepting_);
    damaged->of->end = admission::refuse(Refusal::storage_damaged);
    entering_.erase(damaged);
    return true;
}

/// The end of a request whose transaction has written nothing.
std::optional<Outcome> BulkTransaction::not_stored(const Error& error) {
    if (first_) {
        return manage::repeat_of(*first_, *record_);
    }
    auto why = Refusal::internal;
    if (!may_send_) {
        why = may_send_.error();
        if (why == Refusal::elsewhere) {
            return manage::elsewhere(rooms_.account);
        }
        if (why != Refusal::account_expired) {
            return why == Refusal::key_invalid ? manage::unauthenticated()
                                               : manage::rights_changed();
        }
    } else if (error.code == ErrorCode::busy) {
        why = rooms_.committer.condition().accepts() ? Refusal::overloaded : Refusal::storage_full;
    } else if (error.code == ErrorCode::unavailable) {
        why = Refusal::storage_unavailable;
    } else if (error.code == ErrorCode::shutting_down) {
        why = Refusal::overloaded;
    } else if (error.code == ErrorCode::damaged) {
        why = Refusal::storage_damaged;
    } else if (rooms_.on_fault) {
        rooms_.on_fault(error);
    }
    for (auto& entering : entering_) {
        entering.of->end = admission::refuse(why);
    }
    record_.reset();
    return std::nullopt;
}

}  // namespace merpati::api
