#include "store/sql/recipient_writer.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/assert.hpp"
#include "model/contact.hpp"
#include "store/sql/recipient_checks.hpp"
#include "store/sql/rows.hpp"

namespace merpati::store::sql {

namespace {

using model::MessageState;
using model::RecipientState;

RecipientState row_state_of(MessageState state) {
    switch (state) {
        case MessageState::sent:
            return RecipientState::sent;
        case MessageState::failed:
            return RecipientState::failed;
        case MessageState::cancelled:
            return RecipientState::cancelled;
        case MessageState::held:
            return RecipientState::uncertain;
        case MessageState::pending:
        case MessageState::sending:
        case MessageState::handed_over:
            break;
    }
    return RecipientState::queued;
}

}  // namespace

RecipientWriter::RecipientWriter(Connection& connection, Credits& credits)
    : connection_(connection),
      credits_(credits),
      campaigns_(connection),
      move_(connection,
            fmt::format("UPDATE campaign_recipient SET state = ?4, code = coalesce(?5, code), "
                        "message = CASE WHEN ?4 = {1} THEN {0} ELSE message END, "
                        "message_tail = CASE WHEN ?4 = {1} THEN {0} ELSE message_tail END, "
                        "at = ?6 WHERE id = ?1 AND message = ?2 AND state = ?3",
                        no_message, stored(RecipientState::pending))),
      find_(connection,
            "SELECT state, message, progress, code, number FROM campaign_recipient WHERE id = ?"),
      end_(connection, fmt::format("UPDATE campaign_recipient SET state = ?2, reason = ?3, at = ?4 "
                                   "WHERE id = ?1 AND state = {}",
                                   stored(RecipientState::pending))),
      queue_(connection, fmt::format("UPDATE campaign_recipient SET state = {}, reason = {}, "
                                     "variant = coalesce(?6, variant), device = ?2, message = ?3, "
                                     "message_tail = ?4, progress = {}, at = ?5 WHERE id = ?1",
                                     stored(RecipientState::queued),
                                     number_of(model::SkipReason::none), no_progress)),
      note_progress_(connection, "UPDATE campaign_recipient SET progress = ?2 WHERE id = ?1"),
      unregistered_before_(
          connection,
          fmt::format("SELECT 1 FROM (SELECT id, code FROM campaign_recipient WHERE account = ?1 "
                      "AND number = ?2 AND repeats IS NULL ORDER BY id DESC LIMIT {}) r "
                      "WHERE code = {} AND id <> ?3 LIMIT 1",
                      RecipientChecks::campaigns_looked_at,
                      number_of(model::StatusCode::recipient_unregistered))),
      suppress_(connection,
                fmt::format("INSERT INTO suppression(account, number, reason, at, campaign) "
                            "VALUES(?, ?, '{}', ?, ?) ON CONFLICT DO NOTHING",
                            model::to_string(model::SuppressionReason::unregistered))) {}

std::optional<Credits::Charge> RecipientWriter::charge(const model::Message& message) {
    using enum Credits::Charge;
    invariant(message.campaign.has_value(), "a message of a row has a campaign");
    const auto* found = campaigns_.find(*message.campaign);
    if (found == nullptr || found->is_removed || found->campaign.account != message.account) {
        return std::nullopt;
    }
    if (!credits_.balance(message.account)) {
        return uncounted;
    }
    if (found->campaign.reserved > 0) {
        --campaigns_.edit(*message.campaign)->campaign.reserved;
    } else if (credits_.reserve(message.account, *message.campaign, 1, message.accepted_at) ==
               exhausted) {
        return exhausted;
    }
    credits_.charge_reserve(message.account, message.accepted_at);
    return charged;
}

RecipientWriter::Move RecipientWriter::move_of(const model::Message& message, Timestamp at) {
    invariant(message.campaign.has_value(), "a message of a row has a campaign");
    return {.key = row_key(*message.campaign, message.campaign_row),
            .message = message.id.sequence(),
            .account = message.account,
            .at = at};
}

void RecipientWriter::add(Move move) {
    move.order = moves_.size();
    moves_.push_back(std::move(move));
}

void RecipientWriter::ended(const model::Message& message, const model::Completion& completion,
                            MessageState from) {
    auto move = move_of(message, completion.finished_at);
    move.from = row_state_of(from);
    move.to = row_state_of(completion.state);
    if (move.to == RecipientState::sent || move.to == RecipientState::failed) {
        move.code = completion.code;
    }
    move.returns_credit = message.charged && (move.to == RecipientState::failed ||
                                              move.to == RecipientState::cancelled);
    add(move);
}

void RecipientWriter::released(const model::Message& message, Timestamp at) {
    auto move = move_of(message, at);
    move.from = RecipientState::uncertain;
    move.to = RecipientState::queued;
    add(move);
}

void RecipientWriter::withdrawn(const model::Message& message, Timestamp at) {
    auto move = move_of(message, at);
    move.to = RecipientState::pending;
    move.returns_credit = message.charged;
    add(move);
}

void RecipientWriter::retried(const model::Message& message, const model::MessageId& retry_of) {
    auto move = move_of(message, message.accepted_at);
    move.kind = Move::Kind::retried;
    move.message = retry_of.sequence();
    move.next = message.id;
    move.device = message.device;
    add(move);
}

bool RecipientWriter::is_taken(const model::Message& message, const model::MessageId& retry_of) {
    write_moves();
    auto row = find_.query(row_key(*message.campaign, message.campaign_row));
    return row.next() && row.integer(1) != retry_of.sequence();
}

void RecipientWriter::reported(const model::Message& message, model::Progress progress,
                               Timestamp at) {
    if (progress == model::Progress::delivered || progress == model::Progress::read) {
        auto move = move_of(message, at);
        move.kind = Move::Kind::reported;
        move.progress = progress;
        add(move);
    }
}

void RecipientWriter::flush(std::vector<RowChange>& row_changes) {
    write_moves();
    campaigns_.flush(row_changes);
}

void RecipientWriter::write_moves() {
    std::ranges::sort(moves_, {}, [](const Move& move) { return std::pair{move.key, move.order}; });
    for (auto& move : moves_) {
        if (move.returns_credit) {
            return_credit(move);
        }
        move.is_written = guard(move.key, [&] { write(move); });
    }
    connection_.wait();
    for (const auto& move : moves_) {
        if (move.kind == Move::Kind::to_state && (move.has_moved || !move.is_written)) {
            count_end(move);
        }
    }
    moves_.clear();
}

void RecipientWriter::forget() {
    moves_.clear();
    campaigns_.forget();
}

void RecipientWriter::write(Move& move) {
    switch (move.kind) {
        case Move::Kind::to_state:
            move_row(move);
            break;
        case Move::Kind::retried:
            retry_row(move);
            break;
        case Move::Kind::reported:
            report_row(move);
            break;
    }
}

void RecipientWriter::move_row(Move& move) {
    if (move.code == model::StatusCode::recipient_unregistered) {
        suppress_if_repeated(move);
    }
    move_.run(move.key, move.message, stored(move.from), stored(move.to),
              move.code.transform([](auto code) { return number_of(code); }), move.at);
    connection_.note_changed(move.has_moved);
}

void RecipientWriter::put_back(std::int64_t key, std::int64_t message, RecipientState from,
                               Timestamp at) {
    move_.run(key, message, stored(from), stored(RecipientState::pending), std::optional<int>{},
              at);
}

void RecipientWriter::end(std::int64_t key, RecipientState state, model::SkipReason reason,
                          Timestamp at) {
    end_.run(key, stored(state), number_of(reason), at);
}

void RecipientWriter::queue(std::int64_t key, const model::MessageId& message,
                            model::PhoneNumber device, std::optional<std::uint32_t> variant,
                            Timestamp at) {
    queue_.run(key, device.value(), message.sequence(), tail_of(message), at, variant);
}

void RecipientWriter::count(model::CampaignId campaign, RecipientState from, RecipientState to) {
    if (auto* found = campaigns_.edit(campaign); found != nullptr) {
        --found->campaign.counts.of(from);
        ++found->campaign.counts.of(to);
    }
}

void RecipientWriter::count_end(const Move& move) {
    count(campaign_of(move.key), move.from, move.to);
    if (move.to == RecipientState::failed && move.code) {
        campaigns_.count_outcome(campaign_of(move.key), *move.code, 1);
    }
    if (move.code) {
        if (auto* found = campaigns_.edit(campaign_of(move.key)); found != nullptr) {
            found->campaign.ends.note(*move.code);
        }
    }
}

/// A message that is sent again begins without progress.
void RecipientWriter::retry_row(const Move& move) {
    RecipientState from{};
    model::StatusCode code{};
    std::optional<model::Progress> progress;
    {
        auto row = find_.query(move.key);
        if (!row.next() || row.integer(1) != move.message) {
            return;
        }
        from = read_state(row, 0);
        code = static_cast<model::StatusCode>(row.number<std::uint16_t>(3));
        progress = read_progress(row, 2);
    }
    if (from == RecipientState::pending || from == RecipientState::queued ||
        from == RecipientState::skipped) {
        return;
    }
    queue(move.key, *move.next, move.device, std::nullopt, move.at);
    count(campaign_of(move.key), from, RecipientState::queued);
    if (from == RecipientState::failed) {
        campaigns_.count_outcome(campaign_of(move.key), code, -1);
    }
    if (auto* found = campaigns_.edit(campaign_of(move.key)); found != nullptr && progress) {
        auto& counts = found->campaign.counts;
        counts.delivered -= 1;
        counts.read -= progress == model::Progress::read ? 1 : 0;
    }
}

/// A message that was read was delivered too.
void RecipientWriter::report_row(const Move& move) {
    std::optional<model::Progress> before;
    {
        auto row = find_.query(move.key);
        if (!row.next() || row.integer(1) != move.message) {
            return;
        }
        before = read_progress(row, 2);
    }
    if (before && *before >= *move.progress) {
        return;
    }
    note_progress_.run(move.key, static_cast<int>(*move.progress));
    if (auto* found = campaigns_.edit(campaign_of(move.key)); found != nullptr) {
        auto& counts = found->campaign.counts;
        counts.delivered += before ? 0 : 1;
        counts.read += move.progress == model::Progress::read ? 1 : 0;
    }
}

void RecipientWriter::return_credit(const Move& move) {
    if (!credits_.balance(move.account)) {
        credits_.refund_uncounted(move.account, move.at);
        return;
    }
    const auto id = campaign_of(move.key);
    credits_.refund_reserve(move.account, move.at);
    const auto* found = campaigns_.find(id);
    if (found != nullptr && !found->is_removed && !model::has_ended(found->campaign.state)) {
        ++campaigns_.edit(id)->campaign.reserved;
    } else {
        credits_.release(move.account, id, 1, move.at);
    }
}

/// A number whose messages ended as not registered twice gets no more of them.
void RecipientWriter::suppress_if_repeated(const Move& move) {
    constexpr auto unregistered = static_cast<int>(model::StatusCode::recipient_unregistered);
    std::int64_t number = 0;
    bool is_repeated = false;
    {
        auto row = find_.query(move.key);
        if (!row.next() || row.integer(1) != move.message || row.null(4)) {
            return;
        }
        is_repeated = row.integer(3) == unregistered;
        number = row.integer(4);
    }
    if (is_repeated || unregistered_before_.query(move.account.value, number, move.key).next()) {
        suppress_.run(move.account.value, number, move.at, campaign_of(move.key).value);
    }
}

}  // namespace merpati::store::sql
