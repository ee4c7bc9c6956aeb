// The methods of SqliteTables for reports of platforms.
#include <string>

#include <fmt/format.h>

#include "store/sqlite/rows.hpp"
#include "store/sqlite/sqlite_tables.hpp"

namespace merpati::store::sqlite {
namespace {

/// The kinds of rows in `platform_event`.
enum class About : std::uint8_t { inbound, status };

std::string select_platform_messages(const char* condition) {
    return std::string{"SELECT "} + message_columns +
           ", h.platform_id, h.attempts, h.decide_by, h.perhaps_sent, e.progress, e.code, "
           "e.details, e.at "
           "FROM handed_over h JOIN message m ON m.id = h.id LEFT JOIN platform_event e "
           "ON e.device = h.device AND e.about = 1 AND e.platform_id = h.platform_id WHERE " +
           condition;
}

PlatformMessage read_platform_message(const Cursor& row) {
    constexpr int first = message_column_count;
    PlatformMessage found;
    read_message(row, 0, found.message);
    found.platform_id = row.text(first);
    found.attempts = row.number<std::uint32_t>(first + 1);
    found.decide_by = row.optional_time(first + 2);
    found.perhaps_sent = row.integer(first + 3) != 0;
    if (!row.null(first + 4)) {
        found.status = {
            .progress = row.enumerator(first + 4, model::Progress::read),
            .code = static_cast<model::StatusCode>(row.number<std::uint16_t>(first + 5)),
            .details = std::string{row.text(first + 6)},
            .at = row.time(first + 7)};
    }
    return found;
}

}  // namespace

Result<bool> SqliteTables::note_inbound(model::PhoneNumber device, std::string_view platform_id,
                                        Timestamp now) {
    Statement insert{connection_,
                     "INSERT OR IGNORE INTO platform_event VALUES(?1, ?2, ?3, 0, 0, '', ?4, ?4)"};
    insert.run(device.value(), static_cast<int>(About::inbound), platform_id, now);
    return connection_.changes() == 1;
}

Result<void> SqliteTables::keep_received_media(const ReceivedMedia& media) {
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

Result<bool> SqliteTables::note_status(model::PhoneNumber device, std::string_view platform_id,
                                       const model::PlatformStatus& status, Timestamp now) {
    Statement put{connection_,
                  "INSERT INTO platform_event VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
                  "ON CONFLICT(device, about, platform_id) DO UPDATE SET "
                  "progress = ?4, code = ?5, details = ?6, at = ?7 WHERE progress < ?4"};
    put.run(device.value(), static_cast<int>(About::status), platform_id,
            static_cast<int>(status.progress), static_cast<int>(status.code), status.details,
            status.at, now);
    if (connection_.changes() != 1) {
        return false;
    }
    note_progress(device, platform_id, status.progress, now);
    return true;
}

/// Counts a status of a message of a campaign.
void SqliteTables::note_progress(model::PhoneNumber device, std::string_view platform_id,
                                 model::Progress progress, Timestamp now) {
    Statement find{connection_, std::string{"SELECT "} + message_columns +
                                    " FROM handed_over h JOIN message m ON m.id = h.id WHERE "
                                    "h.device = ? AND h.platform_id = ? AND m.campaign_row > 0 "
                                    "ORDER BY h.decide_by IS NULL, h.id DESC LIMIT 1"};
    model::Message message;
    {
        auto row = find.query(device.value(), platform_id);
        if (!row.next()) {
            return;
        }
        read_message(row, 0, message);
    }
    writer_.recipients().reported(message, progress, now);
}

Result<std::optional<PlatformMessage>> SqliteTables::find_platform_message(
    model::PhoneNumber device, std::string_view platform_id) {
    Statement find{connection_,
                   select_platform_messages("h.device = ? AND h.platform_id = ? "
                                            "ORDER BY h.decide_by IS NULL, h.id DESC LIMIT 1")};
    auto row = find.query(device.value(), platform_id);
    return row.next() ? std::optional{read_platform_message(row)} : std::nullopt;
}

Result<std::vector<PlatformMessage>> SqliteTables::undecided(Timestamp until, std::size_t limit) {
    std::vector<std::int64_t> due;
    Statement list{connection_,
                   "SELECT id FROM handed_over WHERE decide_by IS NOT NULL AND decide_by <= ? "
                   "ORDER BY decide_by LIMIT ?"};
    for (auto row = list.query(until, limit + undecidable_.size()); row.next();) {
        if (const auto id = row.integer(0); due.size() < limit && !undecidable_.contains(id)) {
            due.push_back(id);
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
            if (!failure.is_damage()) {
                throw;
            }
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

Result<std::optional<Timestamp>> SqliteTables::next_decide_by() {
    Statement find{connection_,
                   "SELECT id, decide_by FROM handed_over WHERE decide_by IS NOT NULL "
                   "ORDER BY decide_by LIMIT ?"};
    for (auto row = find.query(undecidable_.size() + 1); row.next();) {
        if (!undecidable_.contains(row.integer(0))) {
            // The query leaves out what no version writes, which `undecided` then reports.
            return from_unix_millis(std::clamp<std::int64_t>(row.integer(1), 0, time_max_millis));
        }
    }
    return std::nullopt;
}

Result<bool> SqliteTables::end_handed_over(const model::Message& message,
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
    Statement insert{connection_, "INSERT INTO completion VALUES(?,?,?,?,?,?,?,?,?)"};
    insert.run(message.id.sequence(), static_cast<int>(completion.state),
               static_cast<int>(completion.code), completion.details, completion.platform_id,
               completion.finished_at, completion.attempts, event, millis(completion.took));
    if (message.campaign_row != 0) {
        note_earlier_progress(message, completion);
    }
    settle(message, completion, model::MessageState::handed_over);
    return true;
}

/// Counts a status that came before the platform had accepted the message.
void SqliteTables::note_earlier_progress(const model::Message& message,
                                         const model::Completion& completion) {
    Statement find{connection_,
                   "SELECT progress FROM platform_event "
                   "WHERE device = ? AND about = 1 AND platform_id = ?"};
    auto row = find.query(message.device.value(), completion.platform_id);
    if (row.next()) {
        writer_.recipients().reported(message, row.enumerator(0, model::Progress::read),
                                      completion.finished_at);
    }
}

Result<void> SqliteTables::note_event(model::PhoneNumber device, model::MessageId message,
                                      const model::MessageEvent& event) {
    Statement find{connection_, "SELECT 1 FROM message WHERE id = ? AND tail = ? AND device = ?"};
    if (find.query(message.sequence(), tail_of(message), device.value()).next()) {
        writer_.trail().note(message, event);
    }
    return {};
}

Result<std::optional<model::AccountId>> SqliteTables::owner_of_message(model::MessageId message) {
    Statement find{connection_, "SELECT account FROM message WHERE id = ? AND tail = ?"};
    auto row = find.query(message.sequence(), tail_of(message));
    return row.next() ? std::optional{model::AccountId{row.integer(0)}} : std::nullopt;
}

}  // namespace merpati::store::sqlite
