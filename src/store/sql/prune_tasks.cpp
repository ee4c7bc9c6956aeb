// The tasks of Retention.
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "store/sql/retention.hpp"
#include "store/sql/rows.hpp"

namespace merpati::store::sql {
namespace {

using Visit = PruneTask::Visit;

/// By the wall clock, as messages and callbacks record their ends.
Timestamp ended_before(const PruneLimits& limits) {
    return limits.messages_before - limits.clock_offset;
}

/// Rows with a key of several columns. A row is found first, and then removed by its whole key:
/// `(a, b) IN (SELECT …)` would seek only to the rows with the same `a`, because SQLite compares a
/// row value by the affinity of its first column. `find` has a parameter, as OldestRows.
template <auto Before, class... Columns>
class OldestByKey final : public PruneTask {
public:
    OldestByKey(Connection& connection, const char* find, const char* remove)
        : find_(connection, find), remove_(connection, remove) {}

    Visit visit(const PruneLimits& limits) override {
        std::tuple<Columns...> key;
        {
            auto row = find_.query(Before(limits));
            if (!row.next()) {
                return Visit::none;
            }
            int column = 0;
            std::apply([&](auto&... part) { (read(row, column++, part), ...); }, key);
        }
        std::apply([&](const auto&... part) { remove_.run(part...); }, key);
        return Visit::removed;
    }

private:
    static void read(const Cursor& row, int column, std::int64_t& part) {
        part = row.integer(column);
    }
    static void read(const Cursor& row, int column, std::string& part) { part = row.text(column); }

    Statement find_;
    Statement remove_;
};

/// Rows with a key of one column, which one statement finds and removes. Its parameter is the time,
/// or the id, before which a row is old.
template <auto Before>
class OldestRows final : public PruneTask {
public:
    OldestRows(Connection& connection, const char* sql)
        : connection_(connection), remove_(connection, sql) {}

    Visit visit(const PruneLimits& limits) override {
        remove_.run(Before(limits));
        return connection_.changes() > 0 ? Visit::removed : Visit::none;
    }

private:
    Connection& connection_;
    Statement remove_;
};

/// Rows that are removed by the part of the engine that writes them.
class RemovedElsewhere final : public PruneTask {
public:
    using Remove = std::function<bool(const PruneLimits&)>;  // False: none is old.

    explicit RemovedElsewhere(Remove remove) : remove_(std::move(remove)) {}

    Visit visit(const PruneLimits& limits) override {
        return remove_(limits) ? Visit::removed : Visit::none;
    }

private:
    const Remove remove_;
};

/// Messages that have ended, with everything that belongs to them. Continues after the last row, so
/// that completions that cannot be removed yet (held, ended lately, callback waiting) do not delay
/// the others. Messages that have not ended have no completion and are not visited.
class Messages final : public PruneTask {
public:
    Messages(Connection& connection, MessageWriter& writer)
        : writer_(writer),
          find_(connection,
                fmt::format(
                    "SELECT c.id, c.state, c.finished_at, c.event, b.state, "
                    "CASE WHEN (m.flags & {}) <> 0 AND c.state = {} THEN m.account END, "
                    "m.campaign_row IS NOT NULL FROM completion c "
                    "LEFT JOIN callback b ON b.id = c.event LEFT JOIN message m ON m.id = c.id "
                    "WHERE c.id > ? AND c.id < ? ORDER BY c.id LIMIT 1",
                    charged_flag, number_of(model::MessageState::sent))),
          completion_(connection, "DELETE FROM completion WHERE id = ?"),
          handed_over_(connection, "DELETE FROM handed_over WHERE id = ?") {}

    Visit visit(const PruneLimits& limits) override {
        std::optional<std::int64_t> event;
        std::optional<std::int64_t> payer;  // The account, if it stays charged for the message,
        bool from_reserve = false;          // and whether a campaign had reserved the credit.
        {
            auto row = find_.query(visited_, Uuid::sequence_at(limits.messages_before));
            if (!row.next()) {
                visited_ = 0;
                return Visit::none;
            }
            visited_ = row.integer(0);
            if (!may_go(row, limits)) {
                return Visit::kept;
            }
            event = row.null(3) ? std::nullopt : std::optional{row.integer(3)};
            payer = row.null(5) ? std::nullopt : std::optional{row.integer(5)};
            from_reserve = row.integer(6) != 0;
        }
        if (payer) {
            writer_.credits().ledger().keep_pruned(
                model::AccountId{*payer}, {.charged = 1, .reserved = from_reserve ? -1 : 0});
        }
        writer_.remove_message(visited_);
        completion_.run(visited_);
        handed_over_.run(visited_);
        if (event) {
            writer_.trail().remove_callback(*event);
        }
        return Visit::removed;
    }

private:
    /// A row with impossible values stays, and delays no other.
    [[nodiscard]] static bool may_go(const Cursor& row, const PruneLimits& limits) {
        const auto state = row.integer(1);
        const bool ended = state >= 0 &&
                           state <= static_cast<std::int64_t>(model::MessageState::held) &&
                           model::is_final(static_cast<model::MessageState>(state)) &&
                           row.integer(2) < to_unix_millis(ended_before(limits));
        const bool callback_done =
            row.null(4) || row.integer(4) != number_of(model::CallbackState::waiting);
        return ended && callback_done;
    }

    MessageWriter& writer_;
    Statement find_;
    Statement completion_;
    Statement handed_over_;
    std::int64_t visited_ = 0;  // The last one; 0: a round begins.
};

/// Callbacks that no completion names: those of device webhooks, and those of messages that were
/// released.
class Callbacks final : public PruneTask {
public:
    Callbacks(Connection& connection, TrailWriter& trail)
        : trail_(trail),
          find_(
              connection,
              fmt::format("SELECT id, state <> {} AND updated_at < ?3 AND (message IS NULL OR NOT "
                          "EXISTS (SELECT 1 FROM completion c WHERE c.event = callback.id AND "
                          "c.id = callback.message)) "
                          "FROM callback WHERE id > ?1 AND id < ?2 ORDER BY id LIMIT 1",
                          number_of(model::CallbackState::waiting))) {}

    Visit visit(const PruneLimits& limits) override {
        {
            auto row = find_.query(visited_, Uuid::sequence_at(limits.messages_before),
                                   ended_before(limits));
            if (!row.next()) {
                visited_ = 0;
                return Visit::none;
            }
            visited_ = row.integer(0);
            if (row.integer(1) == 0) {
                return Visit::kept;
            }
        }
        trail_.remove_callback(visited_);
        return Visit::removed;
    }

private:
    TrailWriter& trail_;
    Statement find_;
    std::int64_t visited_ = 0;
};

/// Spans of ids in which nothing is left of any account. One old message that is kept therefore
/// keeps only its own span.
class ActivitySpans final : public PruneTask {
public:
    ActivitySpans(Connection& connection, Activity& activity)
        : activity_(activity),
          find_(connection,
                // Two searches, because SQLite does not seek to the second column of a row value.
                fmt::format(
                    "SELECT account, span, span >= ?3 OR "
                    "EXISTS (SELECT 1 FROM message m WHERE m.id >= x.span << {0} AND "
                    "m.id < (x.span + 1) << {0}) OR "
                    "EXISTS (SELECT 1 FROM callback b WHERE b.id >= x.span << {0} AND "
                    "b.id < (x.span + 1) << {0}) FROM "
                    "(SELECT account, span FROM (SELECT account, span FROM activity "
                    "WHERE account = ?1 AND span > ?2 ORDER BY span LIMIT 1) a "
                    "UNION ALL SELECT account, span FROM (SELECT account, span FROM activity "
                    "WHERE account > ?1 ORDER BY account, span LIMIT 1) b ORDER BY 1, 2 LIMIT 1) x",
                    Activity::span_bits)),
          remove_(connection, "DELETE FROM activity WHERE account = ? AND span = ?") {}

    Visit visit(const PruneLimits& limits) override {
        const auto young_from = span_of(limits);
        bool stays = false;
        {
            auto row = find_.query(account_, span_, young_from);
            if (!row.next()) {
                account_ = span_ = 0;
                through_to_ = young_from;
                return Visit::none;
            }
            account_ = row.integer(0);
            span_ = row.integer(1);
            stays = row.integer(2) != 0;
        }
        if (stays) {
            span_ = span_ >= young_from ? sequence_max : span_;  // The next account.
            return Visit::kept;
        }
        remove_.run(account_, span_);
        activity_.forget(model::AccountId{account_});
        return Visit::removed;
    }

    bool is_due(const PruneLimits& limits) override { return span_of(limits) != through_to_; }

private:
    [[nodiscard]] static std::int64_t span_of(const PruneLimits& limits) {
        return Uuid::sequence_at(limits.messages_before) >> Activity::span_bits;
    }

    Activity& activity_;
    Statement find_;
    Statement remove_;
    std::int64_t account_ = 0;  // The last row visited.
    std::int64_t span_ = 0;
    std::optional<std::int64_t> through_to_;  // The young spans of the last round.
};

/// Summaries all of whose messages are gone.
class Blocks final : public PruneTask {
public:
    explicit Blocks(Connection& connection)
        : find_(connection,
                "SELECT first, last, EXISTS (SELECT 1 FROM message m WHERE m.id >= first AND "
                "m.id <= last) FROM message_block WHERE first > ? ORDER BY first LIMIT 1"),
          remove_(connection, "DELETE FROM message_block WHERE first = ?") {}

    Visit visit(const PruneLimits& limits) override {
        {
            auto row = find_.query(first_);
            if (!row.next() || row.integer(1) >= Uuid::sequence_at(limits.messages_before)) {
                first_ = 0;
                return Visit::none;
            }
            first_ = row.integer(0);
            if (row.integer(2) != 0) {
                return Visit::kept;
            }
        }
        remove_.run(first_);
        return Visit::removed;
    }

private:
    Statement find_;
    Statement remove_;
    std::int64_t first_ = 0;  // Of the last block visited.
};

}  // namespace

std::vector<std::unique_ptr<PruneTask>> prune_tasks(const PruneRooms& rooms) {
    constexpr auto keys_before = [](const PruneLimits& limits) {
        return limits.idempotency_before;
    };
    constexpr auto events_before = [](const PruneLimits& limits) {
        return limits.platform_events_before;
    };
    constexpr auto media_before = [](const PruneLimits& limits) {
        return Uuid::sequence_at(limits.received_media_before);
    };
    constexpr auto links_before = [](const PruneLimits& limits) {
        return limits.links_expired_before;
    };
    constexpr auto audit_before = [](const PruneLimits& limits) { return limits.audit_before; };
    auto& connection = rooms.connection;
    std::vector<std::unique_ptr<PruneTask>> tasks;
    tasks.push_back(std::make_unique<Messages>(connection, rooms.writer));
    tasks.push_back(std::make_unique<Callbacks>(connection, rooms.writer.trail()));
    tasks.push_back(std::make_unique<ActivitySpans>(connection, rooms.writer.activity()));
    tasks.push_back(std::make_unique<Blocks>(connection));
    tasks.push_back(std::make_unique<OldestByKey<keys_before, std::int64_t, std::string>>(
        connection,
        "SELECT account, key FROM idempotency WHERE created_at < ? ORDER BY created_at LIMIT 1",
        "DELETE FROM idempotency WHERE account = ? AND key = ?"));
    tasks.push_back(
        std::make_unique<OldestByKey<events_before, std::int64_t, std::int64_t, std::string>>(
            connection,
            "SELECT device, about, platform_id FROM platform_event WHERE noted_at < ? "
            "ORDER BY noted_at LIMIT 1",
            "DELETE FROM platform_event WHERE device = ? AND about = ? AND platform_id = ?"));
    tasks.push_back(std::make_unique<OldestRows<media_before>>(
        connection,
        "DELETE FROM received_media WHERE id = "
        "(SELECT id FROM received_media WHERE id < ? ORDER BY id LIMIT 1)"));
    tasks.push_back(
        std::make_unique<RemovedElsewhere>([&people = rooms.people](const PruneLimits& limits) {
            return people.prune_session(limits);
        }));
    tasks.push_back(std::make_unique<RemovedElsewhere>(rooms.prune_key));
    tasks.push_back(usage_task(rooms));
    tasks.push_back(ledger_task(rooms));
    tasks.push_back(recipients_task(rooms));
    tasks.push_back(std::make_unique<OldestRows<links_before>>(
        connection,
        "DELETE FROM sign_in_link WHERE digest = (SELECT digest FROM sign_in_link "
        "WHERE expires_at < ? ORDER BY expires_at LIMIT 1)"));
    tasks.push_back(std::make_unique<OldestRows<links_before>>(
        connection,
        "DELETE FROM invitation WHERE id = (SELECT id FROM invitation "
        "WHERE expires_at < ? ORDER BY expires_at LIMIT 1)"));
    tasks.push_back(std::make_unique<OldestRows<audit_before>>(
        connection,
        "DELETE FROM audit WHERE id = (SELECT id FROM audit WHERE at < ? ORDER BY at LIMIT 1)"));
    return tasks;
}

}  // namespace merpati::store::sql
