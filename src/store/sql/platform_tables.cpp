// The methods of StoredTables for reports of platforms.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/assert.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/shard_condition.hpp"
#include "store/sql/stored_tables.hpp"

namespace merpati::store::sql {
namespace {

// Of one call of `undecided`, while more messages are due than it may answer: the messages of one
// device, and the devices that are visited.
constexpr std::size_t decided_of_device_max = 16;
constexpr std::size_t devices_decided_max = 256;

std::string select_platform_messages(const char* condition) {
    return fmt::format(
        "SELECT {}, h.platform_id, h.attempts, h.decide_by, h.perhaps_sent, h.without_status, "
        "h.failing_since, h.crashes, h.as_template, e.progress, e.code, e.details, e.at, "
        "e.message IS NOT NULL, e.passing, e.passing_until "
        "FROM handed_over h JOIN message m ON m.id = h.id LEFT JOIN platform_event e "
        "ON e.device = h.device AND e.about = {} AND e.platform_id = h.platform_id WHERE {}",
        message_columns, number_of(About::status), condition);
}

/// Where the shards are all, no message is read, and their words are no arguments.
std::string select_undecided(std::string_view columns, std::string_view condition,
                             const ShardSet& shards, int first_word) {
    std::string of_shards;
    if (!shards.is_all()) {
        of_shards = " AND " + in_shards("m.account", first_word);
    }
    return fmt::format("SELECT {} FROM handed_over h{} WHERE h.decide_by IS NOT NULL{}{}", columns,
                       shards.is_all() ? "" : " JOIN message m ON m.id = h.id", condition,
                       of_shards);
}

PlatformMessage read_platform_message(const Cursor& row) {
    constexpr int first = message_column_count;
    PlatformMessage found;
    read_message(row, 0, found.message);
    found.platform_id = row.text(first);
    found.attempts = row.number<std::uint32_t>(first + 1);
    found.decide_by = row.optional_time(first + 2);
    found.perhaps_sent = row.integer(first + 3) != 0;
    found.without_status = row.enumerator(first + 4, model::WithoutStatus::held);
    found.failing_since = row.optional_time(first + 5);
    found.crashes = row.number<std::uint32_t>(first + 6);
    found.as_template = row.integer(first + 7) != 0;
    if (row.null(first + 8)) {
        return found;
    }
    found.status = {.progress = row.enumerator(first + 8, model::Progress::read),
                    .code = static_cast<model::StatusCode>(row.number<std::uint16_t>(first + 9)),
                    .details = std::string{row.text(first + 10)},
                    .at = row.time(first + 11)};
    found.named_early = row.integer(first + 12) != 0;
    if (!row.null(first + 13)) {
        found.status->passing = {
            .kind = row.enumerator(first + 13, model::PassingFailure::Kind::restricted),
            .until = row.optional_time(first + 14)};
    }
    return found;
}

/// What a platform reports. An inbound message has no progress, and so is never news again.
struct PlatformEvent {
    About about = About::status;
    int progress = 0;
    int code = 0;
    std::string_view details{};
    Timestamp at;  // By the platform's clock.
    std::optional<model::PassingFailure> passing{};
};

/// Whether it is news: the first report with the id, or one with more progress than the last.
bool put_event(Connection& connection, model::PhoneNumber device, std::string_view platform_id,
               const PlatformEvent& event, Timestamp now) {
    Statement put{
        connection,
        "INSERT INTO platform_event VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, NULL) "
        "ON CONFLICT(device, about, platform_id) DO UPDATE SET progress = ?4, code = ?5, "
        "details = ?6, at = ?7, passing = ?9, passing_until = ?10 "
        "WHERE platform_event.progress < ?4"};
    const auto& passing = event.passing;
    put.run(device.value(), number_of(event.about), platform_id, event.progress, event.code,
            event.details, event.at, now,
            passing.transform([](const auto& failure) { return number_of(failure.kind); }),
            passing ? passing->until : std::nullopt);
    return connection.changes() == 1;
}

}  // namespace

Result<bool> StoredTables::note_inbound(model::PhoneNumber device, std::string_view platform_id,
                                        Timestamp now) {
    return put_event(connection_, device, platform_id, {.about = About::inbound, .at = now}, now);
}

Result<void> StoredTables::keep_received_media(const ReceivedMedia& media) {
    const auto known = find_device(media.device);
    if (!known || !*known) {
        return known ? fail(ErrorCode::not_found, "there is no such device")
                     : std::unexpected(known.error());
    }
    const auto sealed = secrets_.seal(as_bytes(media.reference));
    Statement insert{connection_, "INSERT INTO received_media VALUES(?, ?, ?, ?, ?, ?, ?, ?)"};
    insert.run(media.id.sequence(), tail_of(media.id), media.device.value(), media.platform_id,
               media.mime, static_cast<std::int64_t>(media.bytes), media.name,
               std::span<const std::byte>{sealed});
    return {};
}

Result<NotedStatus> StoredTables::note_status(model::PhoneNumber device,
                                              std::string_view platform_id,
                                              const model::PlatformStatus& status, Timestamp now) {
    const PlatformEvent event{.about = About::status,
                              .progress = number_of(status.progress),
                              .code = number_of(status.code),
                              .details = status.details,
                              .at = status.at,
                              .passing = status.passing};
    if (!put_event(connection_, device, platform_id, event, now)) {
        return NotedStatus{};
    }
    auto found = find_platform_message(device, platform_id);
    return found ? Result<NotedStatus>{{.is_news = true, .message = *std::move(found)}}
                 : pass(found);
}

Result<void> StoredTables::count_report(const model::Message& message, model::Progress progress,
                                        Timestamp now) {
    if (message.campaign_row != 0) {
        writer_.recipients().reported(message, progress, now);
    }
    return {};
}

/// Of a message that is in its lane only the status remembers the name, because the lane's row may
/// be in memory too.
Result<Named> StoredTables::name_message(const model::Device& device, std::string_view platform_id,
                                         model::MessageId message) {
    {
        Statement find{connection_,
                       "SELECT h.platform_id = '' FROM message m LEFT JOIN handed_over h "
                       "ON h.id = m.id AND h.decide_by IS NOT NULL WHERE m.id = ? AND m.tail = ? "
                       "AND m.device = ? AND m.account = ? "
                       "AND NOT EXISTS (SELECT 1 FROM completion c WHERE c.id = m.id)"};
        auto row = find.query(message.sequence(), tail_of(message), device.number.value(),
                              device.account.value);
        if (!row.next() || (!row.null(0) && row.integer(0) == 0)) {
            return Named::nothing;
        }
        if (row.null(0)) {
            Statement remember{connection_,
                               "UPDATE platform_event SET message = ? "
                               "WHERE device = ? AND about = ? AND platform_id = ?"};
            remember.run(message.sequence(), device.number.value(), number_of(About::status),
                         platform_id);
            return Named::in_lane;
        }
    }
    Statement give{connection_, "UPDATE handed_over SET platform_id = ?2 WHERE id = ?1"};
    give.run(message.sequence(), platform_id);
    return Named::awaiting;
}

Result<std::optional<PlatformMessage>> StoredTables::find_platform_message(
    model::PhoneNumber device, std::string_view platform_id) {
    static const std::string sql = select_platform_messages(
        "h.device = ? AND h.platform_id = ? "
        "ORDER BY h.decide_by IS NULL, h.id DESC LIMIT 1");
    Statement find{connection_, sql};
    return first_row(find.query(device.value(), platform_id), read_platform_message);
}

Result<std::vector<PlatformMessage>> StoredTables::undecided(Timestamp until, std::size_t limit,
                                                             const ShardSet& shards) {
    std::vector<std::int64_t> due;
    add_undecided(due, until, limit, shards);
    if (due.size() == limit) {
        const auto earliest = std::exchange(due, {});
        add_undecided_in_turn(due, until, limit, shards);
        for (const auto id : earliest) {
            if (due.size() < limit && std::ranges::find(due, id) == due.end()) {
                due.push_back(id);
            }
        }
    }
    std::vector<PlatformMessage> found;
    std::optional<Failure> damage;
    Statement read{connection_, select_platform_messages("h.id = ?")};
    for (const auto id : due) {
        try {
            if (auto row = read.query(id); row.next()) {
                found.push_back(read_platform_message(row));
                continue;
            }
        } catch (const Failure& failure) {
            throw_unless_damage(failure);
            damage = failure;
        }
        undecidable_.insert(id);
        condition_.note_damage(fmt::format("message {} that was handed over", id));
    }
    if (damage) {
        throw Failure{*damage};  // This transaction cannot commit; the next call skips the rows.
    }
    return found;
}

void StoredTables::add_undecided(std::vector<std::int64_t>& due, Timestamp until, std::size_t limit,
                                 const ShardSet& shards) {
    Statement list{connection_, select_undecided("h.id", " AND h.decide_by <= ?1", shards, 3) +
                                    " ORDER BY h.decide_by LIMIT ?2"};
    for (auto row =
             query_of_shards(list, shards, !shards.is_all(), until, limit + undecidable_.size());
         row.next();) {
        if (const auto id = row.integer(0); due.size() < limit && !undecidable_.contains(id)) {
            due.push_back(id);
        }
    }
}

/// Goes on behind the device where the last call ended, at most once round.
void StoredTables::add_undecided_in_turn(std::vector<std::int64_t>& due, Timestamp until,
                                         std::size_t limit, const ShardSet& shards) {
    Statement next{connection_,
                   "SELECT device FROM handed_over WHERE decide_by IS NOT NULL AND device > ? "
                   "ORDER BY device, decide_by LIMIT 1"};
    Statement list{connection_,
                   select_undecided("h.id", " AND h.device = ?1 AND h.decide_by <= ?2", shards, 4) +
                       " ORDER BY h.device, h.decide_by LIMIT ?3"};
    const auto began_at = decided_to_;
    bool is_second_half = false;
    for (std::size_t visits = 0; visits < devices_decided_max && due.size() < limit; ++visits) {
        auto device = next.query(decided_to_);
        if (!device.next()) {
            if (std::exchange(is_second_half, true)) {
                return;
            }
            decided_to_ = 0;
            continue;
        }
        if (is_second_half && device.integer(0) > began_at) {
            return;
        }
        decided_to_ = device.integer(0);
        const auto share = std::min(decided_of_device_max, limit - due.size());
        const auto full = due.size() + share;
        for (auto row = query_of_shards(list, shards, !shards.is_all(), decided_to_, until,
                                        share + undecidable_.size());
             due.size() < full && row.next();) {
            if (const auto id = row.integer(0); !undecidable_.contains(id)) {
                due.push_back(id);
            }
        }
    }
}

Result<std::optional<Timestamp>> StoredTables::next_decide_by() {
    Statement find{connection_, select_undecided("h.id, h.decide_by", "", ShardSet::all(), 0) +
                                    " ORDER BY h.decide_by LIMIT ?1"};
    for (auto row = find.query(undecidable_.size() + 1); row.next();) {
        if (!undecidable_.contains(row.integer(0))) {
            // The query leaves out what no version writes, which `undecided` then reports.
            return from_unix_millis(std::clamp<std::int64_t>(row.integer(1), 0, time_max_millis));
        }
    }
    return std::nullopt;
}

Result<bool> StoredTables::end_handed_over(const model::Message& message,
                                           const model::Completion& completion,
                                           const std::optional<model::Callback>& callback) {
    Statement end{connection_,
                  "UPDATE handed_over SET decide_by = NULL "
                  "WHERE id = ? AND decide_by IS NOT NULL"};
    end.run(message.id.sequence());
    if (connection_.changes() != 1) {
        return false;
    }
    std::optional<std::int64_t> event;
    if (callback) {
        event = callback->id.sequence();
        writer_.add_callback(*callback);
    }
    writer_.add_completion(message.id, completion, event);
    if (message.campaign_row != 0) {
        note_earlier_progress(message, completion);
    }
    writer_.settle(message, completion, model::MessageState::handed_over);
    return true;
}

/// The furthest progress makes later statuses of the superseded id no news.
Result<bool> StoredTables::return_to_lane(const Reschedule& place) {
    std::string platform_id;
    {
        Statement remove{connection_,
                         "DELETE FROM handed_over WHERE id = ? AND device = ? "
                         "AND decide_by IS NOT NULL RETURNING platform_id"};
        auto row = remove.query(place.message.sequence(), place.device.value());
        if (!row.next()) {
            return false;
        }
        platform_id = row.text(0);
        invariant(!row.next(), "an id has one row");
    }
    if (!platform_id.empty()) {
        Statement supersede{connection_,
                            "UPDATE platform_event SET progress = ?3, passing = NULL, "
                            "passing_until = NULL, message = NULL "
                            "WHERE device = ?1 AND about = ?4 AND platform_id = ?2"};
        supersede.run(place.device.value(), platform_id, number_of(model::Progress::read),
                      number_of(About::status));
    }
    writer_.enqueue(place);
    return true;
}

/// Counts a status that came before the platform had accepted the message.
void StoredTables::note_earlier_progress(const model::Message& message,
                                         const model::Completion& completion) {
    Statement find{connection_,
                   "SELECT progress FROM platform_event "
                   "WHERE device = ? AND about = ? AND platform_id = ?"};
    auto row = find.query(message.device.value(), number_of(About::status), completion.platform_id);
    if (row.next()) {
        writer_.recipients().reported(message, row.enumerator(0, model::Progress::read),
                                      completion.finished_at);
    }
}

Result<void> StoredTables::note_event(model::MessageId message, const model::MessageEvent& event) {
    writer_.trail().note(message, event);
    return {};
}

Result<std::optional<model::AccountId>> StoredTables::owner_of_message(
    model::MessageId message, std::optional<model::PhoneNumber> device) {
    Statement find{connection_,
                   "SELECT account FROM message WHERE id = ?1 AND tail = ?2 "
                   "AND (?3 IS NULL OR device = ?3)"};
    auto row = find.query(message.sequence(), tail_of(message),
                          device.transform([](auto number) { return number.value(); }));
    return row.next() ? std::optional{model::AccountId{row.integer(0)}} : std::nullopt;
}

}  // namespace merpati::store::sql
