#include "store/postgres/copied_database.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "store/postgres/connection.hpp"
#include "store/postgres/copied_rows.hpp"
#include "store/postgres/durability.hpp"
#include "store/postgres/schema.hpp"
#include "store/postgres/stored_nodes.hpp"
#include "store/sql/copy_mark.hpp"

namespace merpati::store::postgres {
namespace {

using namespace std::chrono_literals;

/// To count the rows of a large table takes minutes.
constexpr auto copy_silence_max = 15min;
/// The transaction of one side waits while the other one works.
constexpr std::chrono::milliseconds copy_idle_max = 15min;
/// For whoever opens the store just now.
constexpr auto copy_lock_wait = 5s;

class CopiedDatabase final : public sql::CopySide {
public:
    CopiedDatabase(const ConnectionSettings& settings, Millis lease)
        : connection_(settings, copy_silence_max),
          nodes_(settings, {.on_joined = [](const NodeGeneration&) {}, .on_claimed = [] {}}),
          lease_(lease) {
        connection_.wait_for_locks(copy_lock_wait);
    }

    sql::Connection& connection() noexcept override { return connection_; }

    /// What a node that is only silent would still write is refused once it is deposed.
    Result<void> check_unused() override {
        const auto listed = nodes_.list();
        if (!listed) {
            return pass(listed);
        }
        for (const auto& node : *listed) {
            if (node.state == Node::State::gone) {
                continue;
            }
            const auto deposed =
                node.silent_for > lease_ ? nodes_.depose(node.id, lease_) : Result<bool>{false};
            if (!deposed) {
                return pass(deposed);
            }
            if (!*deposed) {
                return fail(ErrorCode::busy,
                            fmt::format("the node \"{}\" is at work on this database: stop it; "
                                        "one that was killed is waited for, as long as its "
                                        "cluster.lease",
                                        node.entry.name));
            }
        }
        return {};
    }

    /// Whoever opens the store removes the note, and waits for its lock.
    Result<void> hold(const std::string& id) override {
        try {
            begin();
            (void)connection_.query_text(
                "SELECT 1 FROM meta WHERE name = 'copy_source' FOR UPDATE");
        } catch (const sql::Failure& failure) {
            if (!failure.is_busy()) {
                throw;
            }
            return fail(ErrorCode::busy, "another copy of the source is under way");
        }
        if (sql::copy_begun_from(connection_) != id) {
            return fail(ErrorCode::busy, "somebody has just opened the source");
        }
        return {};
    }

    void begin() override {
        connection_.begin();
        connection_.execute(
            fmt::format("SET LOCAL idle_in_transaction_session_timeout = {}", copy_idle_max.count())
                .c_str());
    }
    void commit() override { connection_.commit(); }
    std::unique_ptr<sql::RowInserter> inserter(const sql::CopiedTable& table) override {
        return std::make_unique<CopiedRows>(connection_, table);
    }
    void set_last_assigned(const sql::CopiedTable& table, std::int64_t id) override {
        if (id > 0) {
            (void)connection_.query_text(
                fmt::format("SELECT setval(pg_get_serial_sequence('{}', '{}'), {})", table.name,
                            table.columns.front().name, id)
                    .c_str());
        }
    }

    /// Errors: those of migrate, and of check_durability for a target.
    Result<void> prepare(sql::CopyRole role, bool must_sync) {
        const bool is_target = role == sql::CopyRole::target;
        if (is_target) {
            if (auto checked = check_durability(connection_, must_sync); !checked) {
                return checked;
            }
        }
        if (auto migrated = migrate(connection_, is_target); !migrated) {
            return migrated;
        }
        const auto version = stored_schema(connection_).value_or(StoredSchema{}).version;
        if (version != schema_version()) {  // It has tables or columns that would be left out.
            return fail(ErrorCode::conflict,
                        fmt::format("the store's schema is version {}, this program copies {}: run "
                                    "the program that wrote it",
                                    version, schema_version()));
        }
        return check_unused();
    }

private:
    Connection connection_;
    StoredNodes nodes_;
    const Millis lease_;
};

}  // namespace

Result<std::unique_ptr<sql::CopySide>> open_to_copy(std::string_view url, sql::CopyRole role,
                                                    const CopiedDatabaseOptions& options) {
    auto settings = ConnectionSettings::parse(url);
    if (!settings) {
        return pass(settings);
    }
    auto side = std::make_unique<CopiedDatabase>(*settings, options.lease);
    if (auto prepared = side->prepare(role, options.must_sync); !prepared) {
        return pass(prepared);
    }
    return side;
}

}  // namespace merpati::store::postgres
