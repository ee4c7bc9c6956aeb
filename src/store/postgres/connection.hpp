// A connection to PostgreSQL, as the shared SQL uses it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/nodes.hpp"
#include "store/postgres/connection_settings.hpp"
#include "store/postgres/link.hpp"
#include "store/sql/connection.hpp"

namespace merpati::store::postgres {

/// An argument of a command, in PostgreSQL's binary form. The bytes are not copied.
struct Argument {
    sql::ValueKind kind = sql::ValueKind::integer;
    const char* bytes = nullptr;  // Null: NULL.
    int size = 0;
};

/// The text of a statement, and the names under which the server knows it: one for each list of
/// kinds that its arguments have had.
struct PreparedText {
    std::string sql;       // As the server reads it.
    bool is_kept = false;  // False: too many others are; it is sent with its text.
    struct Form {
        std::vector<sql::ValueKind> kinds;
        std::string name;
        std::uint64_t session = 0;  // Of the link, in which it was prepared; 0: none.
    };
    std::deque<Form> forms{};  // Their addresses stay.
};

/// One connection. See sql::Connection; the writer's and each reader's.
///
/// Operation: what `run` and `execute` are given is sent in a pipeline, and executed while the
/// caller goes on. A query waits for one answer, which brings the results of all before. After an
/// error the server skips what follows it, until the failure is thrown.
///
/// Each statement's text is prepared once in a session. Behind a pooler, which may change the
/// server's connection after each transaction, the text is sent each time, and what is run outside
/// a transaction is waited for.
///
/// The connection is opened by its first use, and anew by the next use after it was lost, but not
/// within a transaction: there each use throws until `roll_back`. A connection that the other side
/// has ended while nothing was under way is opened anew without a failure.
///
/// A transaction that waits for this program for `idle_max` is ended by the server, so that a
/// program that was frozen in it keeps no locks.
///
/// Limits: `commands_max` commands are under way; `texts_max` texts are prepared.
class Connection final : public sql::Connection {
public:
    static constexpr std::chrono::milliseconds silence_max{30'000};
    static constexpr std::chrono::milliseconds idle_max{4'000};

    explicit Connection(ConnectionSettings settings,
                        std::chrono::milliseconds longest_silence = silence_max)
        : link_(std::move(settings), longest_silence) {}

    [[nodiscard]] std::unique_ptr<sql::DriverStatement> prepare(std::string_view sql,
                                                                sql::Rows rows) override;
    void execute(const char* sql) override;
    [[nodiscard]] std::int64_t changes() override;
    void note_changed(bool& changed) override;
    void wait() override;
    [[nodiscard]] std::string_view for_update() const noexcept override { return " FOR UPDATE"; }
    [[nodiscard]] std::string_view new_number() const noexcept override { return "DEFAULT"; }
    [[nodiscard]] std::string_view row_place() const noexcept override {
        return "(ctid::text::point)[0]::bigint * 65536 + (ctid::text::point)[1]::bigint";
    }
    [[nodiscard]] std::string is_at(int argument) const override {
        const auto place = "?" + std::to_string(argument);
        return "ctid = ('(' || " + place + " / 65536 || ',' || " + place + " % 65536 || ')')::tid";
    }
    void begin() override;
    void begin_snapshot() override;
    void commit() override;
    void roll_back() noexcept override;
    [[nodiscard]] bool in_transaction() const noexcept override { return in_transaction_; }
    [[nodiscard]] std::int64_t last_assigned(std::string_view table) override;

    /// How long a statement of a transaction waits for a lock of another program; at first without
    /// a limit.
    void wait_for_locks(std::chrono::milliseconds longest) noexcept { lock_wait_ = longest; }

    /// What the server of the present session says; connects if there is none. Throws Failure.
    [[nodiscard]] const Durability& durability() {
        make_ready();
        return link_.durability();
    }

    /// From now on a server that acknowledges what it may lose is unavailable: each new session is
    /// checked. `must_sync`: as in Durability::suffices.
    void demand_durability(bool must_sync) noexcept { link_.demand_durability(must_sync); }

    /// From now on each transaction of `begin` is that of the node: it locks the node's row first,
    /// and fails as `fenced`, on the server, if the node is in another generation.
    void fence(const NodeGeneration& node) noexcept { node_ = node; }

    /// From now on each transaction of `begin` leaves its number in a row of the node, where
    /// `fate_of` looks for it. Only one connection of a node may do so.
    void leave_numbers() noexcept { leaves_numbers_ = true; }

    /// Whether the last `commit` threw, and the transaction may be in the database all the same.
    [[nodiscard]] bool commit_is_unknown() const noexcept { return commit_is_unknown_; }

    /// A transaction as the database knows it. Its number alone may mean another one after a
    /// standby became the primary, which begins a new timeline.
    struct TransactionId {
        std::int64_t number = 0;
        std::int64_t timeline = 0;
    };
    /// Of the transaction that `begin` opened last; empty before the first answer in it.
    [[nodiscard]] std::optional<TransactionId> transaction() const noexcept;

    enum class Fate : std::uint8_t { committed, aborted, in_progress, unknown };
    /// What became of a transaction. `committed` is as durable as a commit when this returns.
    /// `unknown` only without `leave_numbers`. Throws Failure.
    [[nodiscard]] Fate fate_of(const TransactionId& transaction);

    /// Runs several statements, as one transaction if none is open. Throws Failure.
    void run_script(const std::string& sql);

    /// Runs a "COPY … FROM STDIN", in the open transaction if there is one. `rows`: its input.
    /// Throws Failure.
    void copy_in(const std::string& sql, std::string_view rows);

    /// Counts the sessions with the server; another one may be with another server.
    [[nodiscard]] std::uint64_t session() const noexcept { return link_.session(); }

    // For statements.

    /// As sql::Statement::run; with `returned`, as run_returning. Throws Failure.
    void run(PreparedText& text, std::span<const Argument> arguments,
             std::optional<std::int64_t>* returned = nullptr);
    /// Sends a command, of which `receive` brings the result. Throws Failure.
    void send(PreparedText& text, std::span<const Argument> arguments);
    /// Sends a command that is used once, without preparing it. Throws Failure.
    void send_once(const std::string& sql, std::span<const Argument> arguments);
    /// Waits for everything, and returns the result of the last command. Throws Failure.
    [[nodiscard]] ResultPointer receive();

    /// The name of a new cursor. Until it is given back there is a transaction, so that the cursor
    /// stays: one that only reads, if the caller has begun none. Throws Failure.
    [[nodiscard]] std::string take_cursor();
    void give_back_cursor(const std::string& name) noexcept;

private:
    static constexpr std::size_t commands_max = 512;
    static constexpr std::size_t texts_max = 2'000;

    /// What was sent, and is not answered yet.
    struct Expected {
        enum class Kind : std::uint8_t { preparation, command, sync };
        Kind kind;
        PreparedText::Form* form = nullptr;
        bool* changed = nullptr;
        std::optional<std::int64_t>* returned = nullptr;
        bool is_fence = false;
    };

    void begin_step(bool leaves_number);
    void make_ready();
    void clear_pipeline();
    void limit_waits();
    void lock_node();
    [[nodiscard]] std::shared_ptr<PreparedText> text_of(std::string_view sql);
    [[nodiscard]] bool try_roll_back() noexcept;
    void close_step();
    void sync();
    PreparedText::Form& form_of(PreparedText& text, std::span<const Argument> arguments);
    void prepare_form(PreparedText& text, PreparedText::Form& form);
    void expect(Expected expected);
    Expected* last_command();
    void receive_all();
    void receive_next();
    static void report(const Expected& expected, PGresult* result);
    void throw_failure();
    template <class Body>
    auto watched(Body body) -> decltype(body());

    Link link_;
    std::unordered_map<std::string, std::shared_ptr<PreparedText>> texts_;
    std::deque<Expected> expected_;
    ResultPointer last_;  // Of the last command.
    std::optional<sql::Failure> failure_;
    bool is_skipping_ = false;  // The server skips commands until the next sync.
    bool in_transaction_ = false;
    bool is_lost_ = false;  // In a transaction whose connection was lost.
    bool commit_is_unknown_ = false;
    std::optional<std::int64_t> number_;      // Of the transaction.
    std::optional<std::int64_t> timeline_;    // The same.
    std::chrono::milliseconds lock_wait_{0};  // 0: without a limit.
    std::optional<NodeGeneration> node_;      // Whose transactions are written; empty: no node's.
    bool leaves_numbers_ = false;
    std::size_t cursors_ = 0;  // That have begun the transaction.
    std::uint64_t names_ = 0;  // Of statements and cursors so far.
};

}  // namespace merpati::store::postgres
