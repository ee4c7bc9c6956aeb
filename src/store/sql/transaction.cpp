#include "store/sql/transaction.hpp"

#include <algorithm>
#include <string>

namespace merpati::store::sql {
namespace {

/// How often a batch is started again after damage. A store with more damaged places is unusable.
constexpr std::size_t left_out_max = 32;

bool is_left_out(const Accept& accept) {
    return accept.result != Accept::Result::stored;
}
bool is_left_out(const Change& change) {
    return !change.result;
}
template <class Element>
bool is_left_out(const Element& element) {
    return element.damaged;
}

}  // namespace

Transaction::Transaction(Connection& connection, MessageWriter& writer, StoredTables& tables,
                         Condition& condition)
    : connection_(connection),
      writer_(writer),
      tables_(tables),
      condition_(condition),
      find_callback_(connection, "SELECT tail FROM callback WHERE id = ?") {}

std::optional<Failure> Transaction::write(WriteBatch& batch) {
    left_out_ = 0;
    auto failure = attempt([&] { run(batch); });
    while (failure && failure->is_damage()) {
        bool others = false;
        if (auto unread = attempt([&] { others = leave_out(batch); })) {
            return unread;
        }
        if (!others) {
            return failure;
        }
        failure = attempt([&] { run(batch); });
    }
    return failure;
}

/// Runs `body`. If it throws a Failure, undoes the transaction and returns the failure.
template <class Body>
std::optional<Failure> Transaction::attempt(Body body) {
    try {
        body();
        return std::nullopt;
    } catch (const Failure& failure) {
        undo();
        return failure;
    }
}

/// Skips elements that were refused or left out before. Throws Failure.
void Transaction::run(WriteBatch& batch) {
    kind_ = Kind::none;  // A run that met damage has left its own.
    batch.row_changes.clear();
    connection_.begin();
    const auto leave_lane = [this](auto& element) { writer_.leave_lane(element); };
    write(Kind::finish, batch.finishes, leave_lane);
    write(Kind::reschedule, batch.reschedules, leave_lane);
    write(Kind::hand_over, batch.hand_overs, leave_lane);
    connection_.wait();
    write(Kind::finish, batch.finishes, [this](const Finish& finish) { writer_.finish(finish); });
    flush(Kind::rows, [this] { writer_.write_ended(); });
    write(Kind::reschedule, batch.reschedules,
          [this](const Reschedule& reschedule) { writer_.reschedule(reschedule); });
    write(Kind::hand_over, batch.hand_overs,
          [this](HandOver& hand_over) { writer_.hand_over(hand_over); });
    write(Kind::intent, batch.intents, [this](Intent& intent) { writer_.record_intent(intent); });
    write(Kind::callback, batch.callback_updates,
          [this](const CallbackUpdate& update) { writer_.update_callback(update); });
    flush(Kind::rows, [this] { writer_.write_results(); });
    if (!batch.changes.empty()) {
        flush_counts(batch);  // Changes may read balances and campaigns.
    }
    write(Kind::change, batch.changes,
          [&](Change& change) { tables_.apply(change, batch.row_changes); });
    write(Kind::accept, batch.accepts, [this](Accept& accept) { writer_.accept(accept); });
    flush(Kind::rows, [this] { writer_.write_accepted(); });
    flush_counts(batch);
    flush(Kind::lane, [this] { writer_.flush_lanes(); });
    writer_.note_decide_by();
    connection_.commit();
}

/// Recipients first: their moves change balances.
void Transaction::flush_counts(WriteBatch& batch) {
    flush(Kind::recipient, [&] { writer_.recipients().flush(batch.row_changes); });
    flush(Kind::credit, [this] { writer_.credits().flush(); });
    flush(Kind::usage, [this] { writer_.usage().flush(); });
}

/// Rolls back an open transaction, and drops the caches that it filled.
void Transaction::undo() noexcept {
    connection_.roll_back();  // First: results that are under way no longer have a place to go.
    writer_.recipients().forget();
    writer_.credits().forget();
    writer_.usage().forget();
    writer_.senders().forget();
    writer_.forget_lanes();
    writer_.forget_rows();
    writer_.activity().forget();
    writer_.blocks().forget();
    tables_.forget();
}

/// False: the damage concerns no element, or too many by now. Throws Failure if reading fails for
/// another reason.
bool Transaction::leave_out(WriteBatch& batch) {
    if (kind_ == Kind::none || ++left_out_ > left_out_max) {
        return false;
    }
    writer_.write_singly();
    switch (kind_) {
        case Kind::none:
        case Kind::rows:  // The next run meets it again, with the element.
            break;
        case Kind::finish:
            leave_out_lane(batch, batch.finishes[index_].message->device);
            break;
        case Kind::reschedule:
            leave_out_lane(batch, batch.reschedules[index_].device);
            break;
        case Kind::hand_over:
            leave_out_lane(batch, batch.hand_overs[index_].device);
            break;
        case Kind::intent:
            leave_out_lane(batch, batch.intents[index_].device);
            break;
        case Kind::callback:
            leave_out(batch.callback_updates[index_]);
            for (auto& update : batch.callback_updates) {  // Others may be on the same page.
                if (!update.damaged && !can_be_read(update.event)) {
                    leave_out(update);
                }
            }
            break;
        case Kind::change:
            batch.changes[index_].result =
                fail(ErrorCode::damaged, "the store is damaged where this was to be written");
            condition_.note_damage("where a change was to be written");
            break;
        case Kind::accept:
            leave_out_accepts(batch);
            break;
        case Kind::recipient:
            condition_.note_damage("where campaigns and their recipients are written");
            break;
        case Kind::credit:
            condition_.note_damage("where the ledgers of accounts are written");
            break;
        case Kind::usage:
            condition_.note_damage("where counts of messages are written");
            break;
        case Kind::lane:
            condition_.note_damage("where it is written what devices have sent");
            break;
    }
    // The rollback undid changes that must not run twice, and perhaps rows for which an accept was
    // refused. Their callers must try again.
    for (auto& change : batch.changes) {
        if (change.result && !change.lasting) {
            change.result = fail(ErrorCode::busy, "the store met damage beside it: try again");
        }
    }
    for (auto& accept : batch.accepts) {
        if (accept.result != Accept::Result::stored && accept.result != Accept::Result::no_room) {
            accept.result = Accept::Result::damaged;
        }
    }
    return true;
}

template <class Element, class Write>
void Transaction::write(Kind kind, std::vector<Element>& elements, Write write) {
    kind_ = kind;
    for (index_ = 0; index_ < elements.size(); ++index_) {
        if (!is_left_out(elements[index_])) {
            write(elements[index_]);
        }
    }
    kind_ = Kind::none;
}

template <class Flush>
void Transaction::flush(Kind kind, Flush flush) {
    kind_ = kind;
    flush();
    kind_ = Kind::none;
}

/// Leaves out all outcomes and intents of the lane. The lane stops, because they cannot be
/// recorded.
void Transaction::leave_out_lane(WriteBatch& batch, model::PhoneNumber lane) {
    condition_.note_damaged_lane(lane);
    for (auto& finish : batch.finishes) {
        if (finish.message->device == lane) {
            finish.damaged = true;
            finish.finished = false;
        }
    }
    for (auto& reschedule : batch.reschedules) {
        if (reschedule.device == lane) {
            reschedule.damaged = true;
            reschedule.rescheduled = false;
        }
    }
    for (auto& hand_over : batch.hand_overs) {
        if (hand_over.device == lane) {
            hand_over.damaged = true;
            hand_over.handed_over = false;
        }
    }
    for (auto& intent : batch.intents) {
        intent.damaged = intent.damaged || intent.device == lane;
    }
}

/// The callback may be sent again after a restart, because its progress is not recorded.
void Transaction::leave_out(CallbackUpdate& update) {
    update.damaged = true;
    condition_.note_damage("callback " + std::to_string(update.event.sequence()));
}

bool Transaction::can_be_read(const model::EventId& callback) {
    try {
        (void)find_callback_.query(callback.sequence()).next();
        return true;
    } catch (const Failure& failure) {
        if (!failure.is_damage()) {
            throw;
        }
        return false;
    }
}

/// Leaves out all accepts of the same device; after damage in a few places, all accepts.
void Transaction::leave_out_accepts(WriteBatch& batch) {
    constexpr std::size_t devices_max = 4;
    const auto device = batch.accepts[index_].message->device;
    for (auto& accept : batch.accepts) {
        if (left_out_ >= devices_max || accept.message->device == device) {
            accept.result = Accept::Result::damaged;
        }
    }
    condition_.note_damage("where messages are accepted");
}

}  // namespace merpati::store::sql
