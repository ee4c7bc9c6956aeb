#include "store/postgres/postgres_store.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file_descriptor.hpp"
#include "base/number.hpp"
#include "store/lock_file.hpp"
#include "store/postgres/connection.hpp"
#include "store/postgres/durability.hpp"
#include "store/postgres/schema.hpp"
#include "store/postgres/stored_journal.hpp"
#include "store/postgres/stored_nodes.hpp"
#include "store/sql/campaign_check.hpp"
#include "store/sql/copy_mark.hpp"
#include "store/sql/ledger_check.hpp"
#include "store/sql/message_writer.hpp"
#include "store/sql/store_key.hpp"
#include "store/sql/stored_reader.hpp"
#include "store/sql/stored_tables.hpp"
#include "store/sql/transaction.hpp"

namespace merpati::store::postgres {
namespace {

using sql::Failure;

constexpr std::chrono::seconds size_within{2};

/// How often a batch is written, if the server ends it each time for another program's transaction.
/// It takes a second to find out that two wait for each other; meanwhile nothing else is written.
constexpr int collided_tries_max = 3;

/// The results that elements have before a batch is written: some were refused before.
class ResultsBefore {
public:
    explicit ResultsBefore(const WriteBatch& batch) {
        for (const auto& accept : batch.accepts) {
            accepts_.push_back(accept.result);
        }
        for (const auto& change : batch.changes) {
            changes_.push_back(change.result.has_value());
        }
    }

    void restore(WriteBatch& batch) const {
        for (std::size_t index = 0; index < accepts_.size(); ++index) {
            batch.accepts[index].result = accepts_[index];
        }
        for (std::size_t index = 0; index < changes_.size(); ++index) {
            if (changes_[index]) {
                batch.changes[index].result = {};
            }
        }
    }

private:
    std::vector<Accept::Result> accepts_;
    std::vector<bool> changes_;  // Whether each had no error.
};

class PostgresStore final : public Store {
public:
    /// Throws Failure.
    PostgresStore(ConnectionSettings settings, std::unique_ptr<Connection> connection,
                  const SecretBox& secrets, const StoreOptions& options)
        : settings_(std::move(settings)),
          connection_(std::move(connection)),
          condition_(options.on_damage),
          secrets_(secrets),
          writer_(*connection_),
          tables_(*connection_, writer_, secrets_, condition_),
          journal_writer_(*connection_),
          transaction_(*connection_, writer_, tables_, condition_,
                       [this](auto rows) { journal_writer_.write(rows); }),
          journal_(settings_),
          nodes_(settings_, {.on_joined = [this](const auto& self) { joined(self); },
                             .on_claimed = [this] { forgets_rows_ = true; }}),
          size_connection_(settings_, size_within) {
        nodes_.demand_durability(options.must_sync);
        journal_.demand_durability(options.must_sync);
    }

    /// Keeps the lock of the machine's other processes until the store is closed.
    void hold(FileDescriptor lock) { lock_ = std::move(lock); }

    /// Records damage that was met before the store was made.
    void note_damage(const std::string& place) { condition_.note_damage(place); }

    Result<void> write(WriteBatch& batch) override {
        if (failed_) {
            return fail(ErrorCode::store_failed,
                        "the store failed before and must be opened anew: what is stored decides");
        }
        if (undecided_) {
            const auto was_committed = decide(batch);
            if (!was_committed) {
                return pass(was_committed);
            }
            if (*was_committed) {
                return {};
            }
        }
        if (forgets_rows_.exchange(false)) {
            transaction_.forget_rows();
        }
        ResultsBefore before{batch};
        auto failure = transaction_.write(batch);
        for (int tries = 1;
             failure && failure->kind() == Failure::Kind::collision && tries < collided_tries_max;
             ++tries) {
            before.restore(batch);
            failure = transaction_.write(batch);
        }
        note_condition(failure);
        if (!failure) {
            return {};
        }
        if (failure->is_busy() || failure->is_no_room()) {
            refuse(batch, *failure);
            return fail(ErrorCode::busy, failure->what());
        }
        if (failure->kind() == Failure::Kind::unavailable) {
            return lost(batch, std::move(before), failure->what());
        }
        failed_ = true;
        return fail(sql::code_of(failure->kind()), failure->what());
    }

    Result<std::unique_ptr<Reader>> open_reader() override {
        return sql::guarded([&]() -> Result<std::unique_ptr<Reader>> {
            return std::make_unique<sql::StoredReader>(std::make_unique<Connection>(settings_),
                                                       secrets_, condition_);
        });
    }

    Result<void> maintain(bool) override { return {}; }  // The server moves its own log.
    Result<void> checkpoint() override { return {}; }
    /// How much space the server has is not known: the next write shows whether there is some.
    void look_at_disk() override { condition_.set_room(Room::ample, 0); }

    Sha256 fingerprint(std::string_view text) const override { return secrets_.fingerprint(text); }

    Nodes* nodes() noexcept override { return &nodes_; }
    RowJournal* row_journal() noexcept override { return &journal_; }

    const Condition& condition() const noexcept override { return condition_; }

    std::uint64_t bytes_on_disk() const override {
        // Callers serve others too, so that they must not wait for a database that is away.
        const std::scoped_lock lock{size_mutex_};
        if (!condition_.is_available()) {
            return bytes_;
        }
        try {
            const auto text =
                size_connection_.query_text("SELECT pg_database_size(current_database())");
            bytes_ = parse_whole<std::uint64_t>(text).value_or(bytes_);
        } catch (const Failure&) {
            return bytes_;  // The next write reports the error.
        }
        return bytes_;
    }

    Result<void> backup(const std::filesystem::path&) override {
        return fail(ErrorCode::refused,
                    "a store in PostgreSQL is backed up by the database's own means, such as "
                    "pg_dump (docs/backup.md)");
    }

private:
    /// Nothing was written yet as this node.
    void joined(const NodeGeneration& self) {
        connection_->fence(self);
        connection_->leave_numbers();
        journal_writer_.join(self);
        journal_.join(self);
    }

    /// The connection was lost, or there is none. If a commit has no answer, the next write asks
    /// for it by the number of its transaction.
    std::unexpected<Error> lost(WriteBatch& batch, ResultsBefore&& before, const char* why) {
        if (!connection_->commit_is_unknown()) {
            before.restore(batch);
            return fail(ErrorCode::unavailable, why);
        }
        const auto transaction = connection_->transaction();
        if (!transaction) {
            failed_ = true;
            return fail(ErrorCode::store_failed, why);
        }
        undecided_.emplace(*transaction, std::move(before));
        batch.undecided = true;
        return fail(ErrorCode::unavailable, why);
    }

    /// Whether the batch whose commit had no answer is stored. If so, its elements have the results
    /// of that transaction.
    Result<bool> decide(WriteBatch& batch) {
        using Fate = Connection::Fate;
        auto fate = Fate::in_progress;
        try {
            fate = connection_->fate_of(undecided_->transaction);
        } catch (const Failure& failure) {
            connection_->roll_back();
            failed_ = failure.kind() != Failure::Kind::unavailable && !failure.is_busy();
            return fail(failed_ ? sql::code_of(failure.kind()) : ErrorCode::unavailable,
                        failure.what());
        }
        switch (fate) {
            case Fate::in_progress:
                return fail(ErrorCode::unavailable, "postgresql: a commit is still under way");
            case Fate::unknown:  // A standby is the primary now, and this process is no node.
                failed_ = true;
                return fail(ErrorCode::store_failed,
                            "the database cannot tell what became of a commit");
            case Fate::aborted:
                undecided_->before.restore(batch);
                break;
            case Fate::committed:
                break;
        }
        undecided_.reset();
        batch.undecided = false;
        condition_.set_available(true);
        return fate == Fate::committed;
    }

    void note_condition(const std::optional<Failure>& failure) {
        condition_.set_room(failure && failure->is_no_room() ? Room::none : Room::ample, 0);
        condition_.set_locked(failure && failure->is_busy());
        condition_.set_available(!failure || failure->kind() != Failure::Kind::unavailable);
    }

    /// Nothing was written. What is not refused may be written again.
    static void refuse(WriteBatch& batch, const Failure& failure) {
        for (auto& accept : batch.accepts) {
            accept.result = failure.is_no_room() ? Accept::Result::no_room : Accept::Result::locked;
        }
        for (auto& change : batch.changes) {
            if (change.lasting) {
                change.result = {};  // It runs again with the next batch.
            } else {
                change.result = fail(ErrorCode::busy, failure.what());
            }
        }
    }

    FileDescriptor lock_;
    const ConnectionSettings settings_;
    std::unique_ptr<Connection> connection_;
    Condition condition_;
    const SecretBox secrets_;
    sql::MessageWriter writer_;
    sql::StoredTables tables_;
    JournalWriter journal_writer_;
    sql::Transaction transaction_;
    std::atomic<bool> forgets_rows_{false};  // Before the next batch.
    StoredJournal journal_;
    StoredNodes nodes_;
    mutable std::mutex size_mutex_;
    mutable Connection size_connection_;  // For any thread.
    mutable std::uint64_t bytes_ = 0;     // As it was last known.
    bool failed_ = false;                 // Set for good.
    /// A batch whose commit had no answer.
    struct Undecided {
        Connection::TransactionId transaction;
        ResultsBefore before;
    };
    std::optional<Undecided> undecided_;
};

}  // namespace

Result<std::unique_ptr<Store>> open(const StoreOptions& options) {
    if (options.key_file.empty()) {
        return fail(ErrorCode::invalid_argument,
                    "store.key_file has no default with PostgreSQL: name the file that all nodes "
                    "have a copy of");
    }
    auto settings = ConnectionSettings::parse(options.url);
    if (!settings) {
        return pass(settings);
    }
    auto lock = options.lock_file.empty() ? Result<FileDescriptor>{}
                                          : lock_file(options.lock_file.string(), true);
    if (!lock) {
        return pass(lock);
    }
    return sql::guarded([&]() -> Result<std::unique_ptr<Store>> {
        auto connection = std::make_unique<Connection>(*settings);
        if (auto checked = check_durability(*connection, options.must_sync); !checked) {
            return pass(checked);
        }
        if (auto migrated = migrate(*connection, options.create); !migrated) {
            return pass(migrated);
        }
        connection->wait_for_locks(options.lock_wait);
        if (auto ended = sql::end_copies(*connection); !ended) {
            return pass(ended);
        }
        auto key = sql::open_key(*connection, options.key_file);
        if (!key) {
            return pass(key);
        }
        auto store = std::make_unique<PostgresStore>(std::move(*settings), std::move(connection),
                                                     key->secrets, options);
        if (key->check_damaged) {
            store->note_damage("the check of the key file");
        }
        store->hold(std::move(*lock));
        return store;
    });
}

Result<Integrity> check_integrity(const std::string& url, std::chrono::milliseconds time_max) {
    auto settings = ConnectionSettings::parse(url);
    if (!settings) {
        return pass(settings);
    }
    return sql::guarded([&]() -> Result<Integrity> {
        constexpr std::chrono::seconds reply_max{10};  // After a query was cancelled.
        Connection connection{std::move(*settings), time_max + reply_max};
        const sql::Snapshot snapshot{connection};
        connection.execute(
            fmt::format("SET LOCAL statement_timeout = {}", time_max.count()).c_str());
        Integrity found;
        try {
            found.ledger_faults = sql::compare_ledgers(connection);
            sql::compare_counts(connection, found.campaign_faults);
            sql::compare_outcomes(connection, found.campaign_faults);
        } catch (const Failure& failure) {
            if (!failure.is_busy()) {
                throw;
            }
            found.complete = false;
        }
        return found;
    });
}

}  // namespace merpati::store::postgres
