// The methods of StoredReader for the management API and the command line, and the offset of queue
// time.
#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/number.hpp"
#include "store/sql/callback_search.hpp"
#include "store/sql/message_blocks.hpp"
#include "store/sql/message_search.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/stored_reader.hpp"

namespace merpati::store::sql {
namespace {

const std::string message_record_columns =
    std::string{message_columns} + ", c.id IS NULL, " + completion_columns;
constexpr int completion_missing = message_column_count;
constexpr int completion_first = message_column_count + 1;

MessageRecord read_record(const Cursor& row) {
    MessageRecord record;
    read_message(row, 0, record.message);
    if (row.integer(completion_missing) == 0) {
        record.completion = read_completion(row, completion_first);
        record.state = record.completion->state;
        record.attempts = record.completion->attempts;
    }
    return record;
}

/// Added to the size of each secret for its name, so that a page of small ones is bounded too.
constexpr std::size_t secret_overhead = 64;

/// The cost of finding the place of a waiting message, and of looking in each bucket for it, in
/// rows that a search visits.
constexpr std::size_t place_visits = 8;
constexpr std::size_t bucket_visits = 2;

/// In how many buckets a page looks for one message.
constexpr std::size_t place_buckets_max = MessageSearch::visits_max / bucket_visits;

constexpr auto any_number = std::numeric_limits<std::size_t>::max();

/// Empty: nothing writes such a text.
std::optional<Millis> offset_of(std::span<const std::byte> bytes) {
    const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    constexpr std::int64_t longest = Millis{std::chrono::years{100}}.count();
    const auto offset = parse_whole<std::int64_t>(text);
    return offset && *offset >= -longest && *offset <= longest ? std::optional{Millis{*offset}}
                                                               : std::nullopt;
}

}  // namespace

/// Looks in the bucket of the message's first due time, where it mostly is, then in each bucket of
/// its lane, because it was rescheduled.
StoredReader::Place StoredReader::seek_place(const model::Message& message,
                                             std::size_t buckets_max) {
    const auto device = message.device.value();
    const auto source = static_cast<int>(message.source);
    auto bucket = bucket_of(message.due_at);
    std::int64_t walked_to = -1;
    for (std::size_t buckets = 1;; ++buckets) {
        if (auto row = queue_place_.query(device, source, bucket, message.id.sequence());
            row.next()) {
            return {.row{std::move(row)}, .buckets = buckets};
        }
        auto next = next_bucket_.query(device, source, walked_to);
        if (buckets >= buckets_max || !next.next()) {
            return {.row = std::nullopt, .buckets = buckets};
        }
        bucket = walked_to = next.integer(0);
    }
}

/// Adds where a message is that has not ended: handed over, or in its lane. If it is not found in
/// `buckets_max` buckets, it stays `pending`. Answers how many were looked into.
std::size_t StoredReader::add_place(MessageRecord& record, std::size_t buckets_max) {
    if (add_handed_over(record)) {
        return 0;
    }
    const auto place = seek_place(record.message, buckets_max);
    if (const auto& row = place.row) {
        record.queued_at = row->time(0);
        record.attempts = row->number<std::uint32_t>(1);
        record.state =
            row->integer(2) != 0 ? model::MessageState::sending : model::MessageState::pending;
        record.last_details = row->text(3);
    }
    return place.buckets;
}

Result<std::optional<QueuedMessage>> StoredReader::find_queued(const model::Message& message) {
    return guarded([&]() -> Result<std::optional<QueuedMessage>> {
        const auto place = seek_place(message, any_number);
        const auto& row = place.row;
        if (!row) {
            return std::optional<QueuedMessage>{};
        }
        return std::optional{QueuedMessage{.message = nullptr,
                                           .queued_at = row->time(0),
                                           .attempts = row->number<std::uint32_t>(1),
                                           .intent_recorded = row->integer(2) != 0,
                                           .failing_since = row->optional_time(4),
                                           .crashes = row->number<std::uint32_t>(5),
                                           .perhaps_sent = row->integer(6) != 0,
                                           .as_template = row->integer(7) != 0}};
    });
}

bool StoredReader::add_handed_over(MessageRecord& record) {
    auto row = handed_over_.query(record.message.id.sequence());
    if (!row.next()) {
        return false;
    }
    record.state = model::MessageState::handed_over;
    record.platform_id = row.text(0);
    record.attempts = row.number<std::uint32_t>(1);
    record.queued_at = row.time(2);
    return true;
}

Result<std::optional<MessageRecord>> StoredReader::message(model::MessageId id) {
    return guarded([&]() -> Result<std::optional<MessageRecord>> {
        Statement find{connection_, "SELECT " + message_record_columns +
                                        " FROM message m LEFT JOIN completion c ON c.id = m.id "
                                        "WHERE m.id = ? AND m.tail = ?"};
        auto row = find.query(id.sequence(), tail_of(id));
        if (!row.next()) {
            return std::optional<MessageRecord>{};
        }
        auto record = read_record(row);
        if (!record.completion) {
            add_place(record, any_number);
        }
        return std::optional{std::move(record)};
    });
}

Result<MessagePage> StoredReader::messages(const MessageFilter& filter) {
    return guarded([&]() -> Result<MessagePage> {
        // One snapshot, so that the message cannot end between two reads.
        const sql::Snapshot snapshot{connection_};
        MessageSearch search{connection_, filter};
        Statement find{connection_, "SELECT " + message_record_columns +
                                        " FROM message m LEFT JOIN completion c ON c.id = m.id "
                                        "WHERE m.id = ?"};
        MessagePage page;
        while (page.records.size() < filter.limit) {
            const auto id = search.next();
            if (!id) {
                page.next = search.stopped_below().transform(
                    [](std::int64_t below) { return model::MessageId{below, 0}; });
                return page;
            }
            auto row = find.query(*id);
            if (!row.next()) {
                continue;
            }
            auto record = read_record(row);
            if (!record.completion) {
                const auto buckets = add_place(record, place_buckets_max);
                search.spend(place_visits + bucket_visits * buckets);
            }
            if (!filter.state || record.state == *filter.state) {
                page.records.push_back(std::move(record));
            }
        }
        if (!page.records.empty()) {
            page.next = page.records.back().message.id;
        }
        return page;
    });
}

Result<std::optional<QueuedCallback>> StoredReader::callback(model::EventId id) {
    auto found = guarded([&]() -> Result<std::optional<QueuedCallback>> {
        Statement find{connection_, std::string{"SELECT "} + callback_columns +
                                        " FROM callback b WHERE b.id = ? AND b.tail = ?"};
        return first_row(find.query(id.sequence(), tail_of(id)), read_callback);
    });
    if (!found && found.error().code == ErrorCode::damaged) {
        condition_.note_damage("callback " + std::to_string(id.sequence()));
    }
    return found;
}

Result<SummaryStep> StoredReader::summarise(std::size_t size, Timestamp before,
                                            SummaryPlace& place) {
    return guarded([&]() -> Result<SummaryStep> {
        const sql::Snapshot snapshot{connection_};
        return sql::summarise(connection_, size, Uuid::sequence_at(before), place);
    });
}

Result<CallbackPage> StoredReader::callbacks(const CallbackFilter& filter) {
    return guarded(
        [&]() -> Result<CallbackPage> { return CallbackSearch{connection_, filter}.page(); });
}

Result<std::optional<IdempotencyRecord>> StoredReader::idempotency(model::AccountId account,
                                                                   std::string_view key) {
    return guarded([&]() -> Result<std::optional<IdempotencyRecord>> {
        return find_idempotency(connection_, account, key);
    });
}

Result<LaneStep> StoredReader::walk_lane(model::PhoneNumber device, model::Source source,
                                         LanePlace from, Timestamp until, std::size_t limit) {
    auto walked = guarded([&]() -> Result<LaneStep> {
        Statement in_bucket{connection_,
                            "SELECT bucket, id, tail, due_at, attempts, intent, failing_since, "
                            "crashes, perhaps_sent, as_template FROM queue "
                            "WHERE device = ? AND source = ? AND bucket = ? "
                            "AND id > ? ORDER BY id LIMIT ?"};
        const auto lane = static_cast<int>(source);
        LaneStep step{.messages = {}, .next = from};
        auto& place = *step.next;
        std::vector<QueueRow> found;
        std::size_t left = step_rows_max;
        while (left > 0 && found.size() < limit) {
            auto row = in_bucket.query(device.value(), lane, place.bucket, place.sequence, left);
            for (; found.size() < limit && row.next(); --left) {
                place.sequence = row.integer(1);
                const auto queued = read_queued(row);
                if (queued && queued->id.time() <= until) {
                    found.push_back(*queued);
                }
            }
            if (left == 0 || found.size() == limit) {
                break;
            }
            auto next = next_bucket_.query(device.value(), lane, place.bucket);
            if (!next.next()) {
                step.next.reset();
                break;
            }
            place = {.bucket = next.integer(0)};
            --left;
        }
        auto messages = load_messages(found);
        for (const auto& one : found) {
            if (auto queued = load_queued(one, device, source, messages)) {
                step.messages.push_back(*std::move(queued));
            }
        }
        return step;
    });
    if (!walked && walked.error().code == ErrorCode::damaged) {
        condition_.note_damaged_lane(device);
    }
    return walked;
}

Result<QueueSummary> StoredReader::queue_of(model::PhoneNumber device, std::uint64_t most) {
    return guarded([&]() -> Result<QueueSummary> {
        Statement summary{connection_,
                          "SELECT q.waiting, q.due_from, m.id, m.tail, m.accepted_at FROM "
                          "(SELECT count(*) AS waiting, min(due_at) AS due_from, min(id) AS oldest "
                          "FROM (SELECT due_at, id FROM queue WHERE device = ?1 "
                          "ORDER BY source, bucket, id LIMIT ?2) w) q "
                          "LEFT JOIN message m ON m.id = q.oldest"};
        auto row = summary.query(device.value(), most + 1);
        QueueSummary found;
        if (row.next()) {
            const auto seen = static_cast<std::uint64_t>(row.integer(0));
            found.has_more = seen > most;
            found.count = std::min(seen, most);
            found.due_from = row.optional_time(1);
            if (!row.null(2)) {
                found.oldest = uuid_of(row.integer(2), row.integer(3));
                found.oldest_accepted_at = row.time(4);
            }
        }
        return found;
    });
}

Result<std::vector<DeviceSecret>> StoredReader::device_secrets(model::PhoneNumber device,
                                                               std::string_view after,
                                                               std::size_t bytes_max) {
    return guarded([&]() -> Result<std::vector<DeviceSecret>> {
        Statement find{connection_,
                       "SELECT name, value FROM device_secret WHERE device = ? AND name > ? "
                       "ORDER BY name",
                       Rows::many};
        std::vector<DeviceSecret> secrets;
        std::size_t bytes = 0;
        auto row = find.query(device.value(), after);
        while (bytes < bytes_max && row.next()) {
            auto value = secrets_.unseal(row.blob(1));
            if (!value) {
                return pass(value);
            }
            bytes += value->size() + secret_overhead;
            secrets.push_back({.name = std::string{row.text(0)}, .value = std::move(*value)});
        }
        return secrets;
    });
}

Result<std::optional<ReceivedMedia>> StoredReader::received_media(const Uuid& id) {
    return guarded([&]() -> Result<std::optional<ReceivedMedia>> {
        Statement find{connection_,
                       "SELECT device, platform_id, mime, bytes, name, reference "
                       "FROM received_media WHERE id = ? AND tail = ?"};
        auto row = find.query(id.sequence(), tail_of(id));
        if (!row.next()) {
            return std::nullopt;
        }
        const auto reference = secrets_.unseal(row.blob(5));
        if (!reference) {
            return pass(reference);
        }
        const auto* const text = reinterpret_cast<const char*>(reference->data());
        return ReceivedMedia{.id = id,
                             .device = model::PhoneNumber::from_stored(row.integer(0)),
                             .platform_id = std::string{row.text(1)},
                             .mime = std::string{row.text(2)},
                             .bytes = static_cast<std::uint64_t>(row.integer(3)),
                             .name = std::string{row.text(4)},
                             .reference = std::string{text, reference->size()}};
    });
}

Result<Millis> StoredReader::clock_offset() {
    return guarded([&]() -> Result<Millis> {
        try {
            Statement find{connection_, "SELECT value FROM meta WHERE name = 'clock_offset'"};
            auto row = find.query();
            const auto offset = row.next() ? offset_of(row.blob(0)) : Millis{0};
            if (offset) {
                return *offset;
            }
        } catch (const Failure& failure) {
            throw_unless_damage(failure);
        }
        condition_.note_damage("the offset of queue time");
        return Millis{0};
    });
}

Result<std::uint64_t> StoredReader::waiting_messages(std::uint64_t most) {
    return guarded([&]() -> Result<std::uint64_t> {
        Statement count{connection_, "SELECT count(*) FROM (SELECT 1 FROM queue LIMIT ?) q"};
        return static_cast<std::uint64_t>(first_integer(count.query(most)));
    });
}

}  // namespace merpati::store::sql
