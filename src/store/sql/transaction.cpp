#include "store/sql/transaction.hpp"

#include <string>
#include <tuple>
#include <utility>

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

/// The lane of an outcome or intent.
model::PhoneNumber lane_of(const Finish& finish) {
    return finish.message->device;
}
template <class Element>
model::PhoneNumber lane_of(const Element& element)
    requires requires { element.device; }
{
    return element.device;
}
template <class Element>
concept OfLane = requires(const Element& element) { lane_of(element); };

void set_damaged(Finish& finish) {
    finish.damaged = true;
    finish.finished = false;
}
void set_damaged(Reschedule& reschedule) {
    reschedule.damaged = true;
    reschedule.rescheduled = false;
}
void set_damaged(HandOver& hand_over) {
    hand_over.damaged = true;
    hand_over.handed_over = false;
}
void set_damaged(Intent& intent) {
    intent.damaged = true;
}

}  // namespace

Transaction::Transaction(Connection& connection, MessageWriter& writer, StoredTables& tables,
                         Condition& condition, BeforeCommit before_commit)
    : connection_(connection),
      writer_(writer),
      tables_(tables),
      condition_(condition),
      before_commit_(std::move(before_commit)),
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
    part_.reset();  // A run that met damage has left its own.
    batch.row_changes.clear();
    connection_.begin();
    writer_.blocks().begin_batch();
    const auto leave_lane = [this](auto& element) { writer_.leave_lane(element); };
    write(batch.finishes, leave_lane);
    write(batch.reschedules, leave_lane);
    write(batch.hand_overs, leave_lane);
    connection_.wait();
    write(batch.finishes, [this](const Finish& finish) { writer_.finish(finish); });
    flush(nullptr, [this] { writer_.write_ended(); });
    write(batch.reschedules,
          [this](const Reschedule& reschedule) { writer_.reschedule(reschedule); });
    write(batch.hand_overs, [this](HandOver& hand_over) { writer_.hand_over(hand_over); });
    write(batch.intents, [this](Intent& intent) { writer_.record_intent(intent); });
    write(batch.callback_updates,
          [this](const CallbackUpdate& update) { writer_.update_callback(update); });
    flush(nullptr, [this] { writer_.write_results(); });
    if (!batch.changes.empty()) {
        flush_counts(batch);  // Changes may read balances and campaigns.
    }
    write(batch.changes, [&](Change& change) { tables_.apply(change, batch.row_changes); });
    write(batch.accepts, [this](Accept& accept) { writer_.accept(accept); });
    flush(nullptr, [this] { writer_.write_accepted(); });
    flush_counts(batch);
    flush("where it is written what devices have sent", [this] { writer_.flush_lanes(); });
    writer_.blocks().ask_newest();
    writer_.note_decide_by();  // Waits.
    writer_.blocks().undo_late();
    if (before_commit_) {
        before_commit_(batch.row_changes);
    }
    connection_.commit();
}

void Transaction::forget_rows() noexcept {
    writer_.recipients().forget();
    writer_.credits().forget();
    writer_.usage().forget();
    writer_.senders().forget();
    writer_.activity().forget();
    writer_.blocks().forget();
    tables_.forget();
}

/// Recipients first: their moves change balances.
void Transaction::flush_counts(WriteBatch& batch) {
    flush("where campaigns and their recipients are written",
          [&] { writer_.recipients().flush(batch.row_changes); });
    flush("where the ledgers of accounts are written", [this] { writer_.credits().flush(); });
    flush("where counts of messages are written", [this] { writer_.usage().flush(); });
}

/// Rolls back an open transaction, and drops the caches that it filled.
void Transaction::undo() noexcept {
    connection_.roll_back();  // First: results that are under way no longer have a place to go.
    writer_.forget_lanes();
    writer_.forget_rows();
    forget_rows();
}

/// False: the damage concerns no element, or too many by now. Throws Failure if reading fails for
/// another reason.
bool Transaction::leave_out(WriteBatch& batch) {
    if (!part_ || ++left_out_ > left_out_max) {
        return false;
    }
    writer_.write_singly();
    if (part_->leave_out != nullptr) {
        (this->*part_->leave_out)(batch);
    } else if (part_->counts != nullptr) {
        condition_.note_damage(part_->counts);
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
void Transaction::write(std::vector<Element>& elements, Write write) {
    part_ = {.leave_out = &Transaction::leave_out_at_index<Element>};
    for (index_ = 0; index_ < elements.size(); ++index_) {
        if (!is_left_out(elements[index_])) {
            write(elements[index_]);
        }
    }
    part_.reset();
}

template <class Flush>
void Transaction::flush(const char* counts, Flush flush) {
    part_ = {.counts = counts};
    flush();
    part_.reset();
}

template <class Element>
void Transaction::leave_out_at_index(WriteBatch& batch) {
    auto& element = std::get<std::vector<Element>&>(batch.kinds())[index_];
    if constexpr (OfLane<Element>) {
        leave_out_lane(batch, lane_of(element));
    } else {
        leave_out(batch, element);
    }
}

/// Leaves out all outcomes and intents of the lane. The lane stops, because they cannot be
/// recorded.
void Transaction::leave_out_lane(WriteBatch& batch, model::PhoneNumber lane) {
    condition_.note_damaged_lane(lane);
    batch.for_each_kind([lane]<class Element>(std::vector<Element>& elements) {
        if constexpr (OfLane<Element>) {
            for (auto& element : elements) {
                if (lane_of(element) == lane) {
                    set_damaged(element);
                }
            }
        }
    });
}

/// Others may be on the same page.
void Transaction::leave_out(WriteBatch& batch, CallbackUpdate& update) {
    leave_out(update);
    for (auto& other : batch.callback_updates) {
        if (!other.damaged && !can_be_read(other.event)) {
            leave_out(other);
        }
    }
}

void Transaction::leave_out(WriteBatch&, Change& change) {
    change.result = fail(ErrorCode::damaged, "the store is damaged where this was to be written");
    condition_.note_damage("where a change was to be written");
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
        throw_unless_damage(failure);
        return false;
    }
}

/// Leaves out all accepts of the same device; after damage in a few places, all accepts.
void Transaction::leave_out(WriteBatch& batch, Accept& accept) {
    constexpr std::size_t devices_max = 4;
    const auto device = accept.message->device;
    for (auto& other : batch.accepts) {
        if (left_out_ >= devices_max || other.message->device == device) {
            other.result = Accept::Result::damaged;
        }
    }
    condition_.note_damage("where messages are accepted");
}

}  // namespace merpati::store::sql
