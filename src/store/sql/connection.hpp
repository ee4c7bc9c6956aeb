// What the shared SQL needs of a database: connections, prepared statements, cursors.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/clock.hpp"
#include "store/sql/failure.hpp"

namespace merpati::store::sql {

/// The type of an argument, also of a NULL. A database that has to know the types of parameters
/// learns them from the arguments: bigint, text and bytea in PostgreSQL.
enum class ValueKind : std::uint8_t { integer, text, bytes };

/// How many rows a query may have.
enum class Rows : std::uint8_t {
    few,   // A bounded number: an engine may fetch all of them at once.
    many,  // Perhaps millions, of which the caller may read the first only: an engine fetches them
           // in portions.
};

/// A prepared statement as an engine implements it; others use Statement.
///
/// Operation: the arguments are bound, then `run` or `step` is called. Bound texts and bytes are
/// not copied before, and live until `run` returns, or until `reset`. Arguments stay bound after
/// `reset`. Columns are read after `step` returned true, and are valid until the next `step` or
/// `reset`. Several statements of a connection may be between two rows at the same time.
class DriverStatement {
public:
    virtual ~DriverStatement() = default;

    // Places count from 1. Throw Failure.
    virtual void bind_null(int place, ValueKind kind) = 0;
    virtual void bind_integer(int place, std::int64_t value) = 0;
    virtual void bind_text(int place, std::string_view text) = 0;
    virtual void bind_bytes(int place, std::span<const std::byte> bytes) = 0;

    /// As Statement::run. Throws Failure.
    virtual void run() = 0;
    /// As Statement::run_returning. Throws Failure.
    virtual void run_returning(std::optional<std::int64_t>& returned) {
        returned = step() ? std::optional{integer(0)} : std::nullopt;
        while (step()) {
        }
        reset();
    }
    /// Moves to the next row; false after the last. The first call executes the statement. Throws
    /// Failure.
    [[nodiscard]] virtual bool step() = 0;
    /// Ends the query; the next `step` executes the statement anew.
    virtual void reset() noexcept = 0;

    // Columns count from 0.
    [[nodiscard]] virtual bool is_null(int column) const = 0;
    /// 0 for NULL; 0 or 1 for a comparison.
    [[nodiscard]] virtual std::int64_t integer(int column) const = 0;
    /// "" for NULL. Not checked: Cursor does that.
    [[nodiscard]] virtual std::string_view text(int column) const = 0;
    /// No bytes for NULL.
    [[nodiscard]] virtual std::span<const std::byte> bytes(int column) const = 0;
    /// For the text of a failure; "?" if it is not known.
    [[nodiscard]] virtual std::string name_of(int column) const = 0;
};

/// One connection, used by one thread at a time.
///
/// Operation: statements outside a transaction are each one of their own. What `run` and `execute`
/// were given happens in this order, but perhaps later, so that a batch waits for the network a few
/// times only: an engine may queue it until a query, `changes`, `wait` or the end of the
/// transaction, which then throw the Failure of the first that failed. SQLite executes at once.
class Connection {
public:
    virtual ~Connection() = default;

    /// Its connection must outlive it. Throws Failure, here or when the statement is first used.
    [[nodiscard]] virtual std::unique_ptr<DriverStatement> prepare(std::string_view sql,
                                                                   Rows rows) = 0;

    /// Runs SQL without arguments and results; several statements are allowed. Throws Failure.
    virtual void execute(const char* sql) = 0;

    /// The first column of the first row, as text; "": there is no row. Throws Failure.
    [[nodiscard]] std::string query_text(const char* sql);

    /// Rows that the last statement inserted, changed or deleted. Waits for it. Throws Failure.
    [[nodiscard]] virtual std::int64_t changes() = 0;

    /// Sets `changed` to whether the last statement changed a row: without a wait, at the latest
    /// when `wait` returns. `changed` lives until then, or until a Failure is thrown or the
    /// transaction rolled back. Throws Failure.
    virtual void note_changed(bool& changed) { changed = changes() > 0; }

    /// Waits until everything that was run is executed. Throws Failure.
    virtual void wait() = 0;

    /// What follows INSERT or UPDATE in a statement that writes several rows: if it fails, the rows
    /// that it has written may stay until the transaction is undone. SQLite otherwise copies each
    /// page before such a statement changes it.
    [[nodiscard]] virtual std::string_view or_fail() const noexcept { return ""; }

    /// What follows a SELECT whose rows stay locked for other programs until the transaction ends,
    /// because what is written depends on what was read. "": no other program writes meanwhile.
    [[nodiscard]] virtual std::string_view for_update() const noexcept { return ""; }
    /// Whether other programs write too, so that a transaction sees rows that were not there when
    /// it began, and what is remembered from an earlier one may be out of date.
    [[nodiscard]] bool has_other_writers() const noexcept { return !for_update().empty(); }

    /// What an UPDATE sets a row's number to, so that it gets one that no row has had. "": a row
    /// may be updated ever so often under its number. A database keeps the old versions of rows
    /// while somebody holds a snapshot, and each update passes those that have the row's number.
    [[nodiscard]] virtual std::string_view new_number() const noexcept { return ""; }

    /// The place of a row's present version, an integer, for SELECT and RETURNING. "": rows have
    /// none. Whoever finds a row by its key passes all versions that somebody's snapshot keeps; by
    /// its place, none.
    [[nodiscard]] virtual std::string_view row_place() const noexcept { return ""; }
    /// The condition that a row's present version is at the place that an argument says. Use it
    /// with one that names the row, because places are used again.
    [[nodiscard]] virtual std::string is_at(int /*argument*/) const { return ""; }

    // Transactions. Between `begin` and the end of the transaction the connection may write.
    virtual void begin() = 0;
    /// Begins a transaction that only reads, in which all queries see the same rows.
    virtual void begin_snapshot() = 0;
    /// Makes the transaction durable before it returns.
    virtual void commit() = 0;
    /// Does nothing if no transaction is open.
    virtual void roll_back() noexcept = 0;
    [[nodiscard]] virtual bool in_transaction() const noexcept = 0;

    /// The highest id that was ever assigned to a row of the table, whose ids the database assigns,
    /// found without reading its rows. Throws Failure.
    [[nodiscard]] virtual std::int64_t last_assigned(std::string_view table) = 0;
};

/// A transaction that only reads. Ends with this object.
class Snapshot {
public:
    /// Throws Failure.
    explicit Snapshot(Connection& connection) : connection_(connection) {
        connection.begin_snapshot();
    }
    ~Snapshot() { connection_.roll_back(); }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

private:
    Connection& connection_;
};

class Cursor;

/// A prepared statement. Its connection must outlive it.
///
/// The SQL is written for every engine (docs/design-notes.md). Its arguments are `?`, in order, or
/// `?1`, `?2`…, not both.
///
/// `run` and `query` bind their arguments in order, without copying: texts and bytes must live
/// until the call of `run`, or the cursor, ends. Arguments: integers, bool, strings, byte spans,
/// Timestamp, and optionals of them (empty binds NULL). A statement has one cursor at a time.
class Statement {
public:
    Statement(Connection& connection, std::string_view sql, Rows rows = Rows::few)
        : driver_(connection.prepare(sql, rows)) {}
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    /// Executes a statement that returns no rows, perhaps later (Connection). Throws Failure.
    template <class... Arguments>
    void run(const Arguments&... arguments);

    /// As `run`, of a statement with RETURNING of an integer. Sets `returned` to that of the first
    /// row, or to nothing if there is none: at the latest when Connection::wait returns. `returned`
    /// lives as long as an argument of Connection::note_changed. Throws Failure.
    template <class... Arguments>
    void run_returning(std::optional<std::int64_t>& returned, const Arguments&... arguments) {
        bind_all(arguments...);
        driver_->run_returning(returned);
    }

    /// Starts a query. Throws Failure.
    template <class... Arguments>
    [[nodiscard]] Cursor query(const Arguments&... arguments);

    /// Binds arguments from behind `place` on, for a `run` without arguments. Returns the place of
    /// the last one.
    template <class... Arguments>
    int bind_after(int place, const Arguments&... arguments) {
        (bind(++place, arguments), ...);
        return place;
    }

private:
    template <class... Arguments>
    void bind_all(const Arguments&... arguments) {
        bind_after(0, arguments...);
    }
    template <class Value>
    void bind(int place, const std::optional<Value>& value) {
        if (value) {
            bind(place, *value);
        } else {
            driver_->bind_null(place, kind_of<Value>());
        }
    }
    template <std::integral Value>
    void bind(int place, Value value) {
        driver_->bind_integer(place, static_cast<std::int64_t>(value));
    }
    void bind(int place, Timestamp time) { driver_->bind_integer(place, to_unix_millis(time)); }
    void bind(int place, std::string_view text) { driver_->bind_text(place, text); }
    void bind(int place, const std::string& text) { driver_->bind_text(place, text); }
    void bind(int place, const char* text) { driver_->bind_text(place, text); }
    void bind(int place, std::span<const std::byte> bytes) { driver_->bind_bytes(place, bytes); }

    template <class Value>
    [[nodiscard]] static constexpr ValueKind kind_of() {
        if constexpr (std::integral<Value> || std::same_as<Value, Timestamp>) {
            return ValueKind::integer;
        } else if constexpr (std::convertible_to<Value, std::string_view>) {
            return ValueKind::text;
        } else {
            static_assert(std::convertible_to<Value, std::span<const std::byte>>);
            return ValueKind::bytes;
        }
    }

    std::unique_ptr<DriverStatement> driver_;
};

/// The rows of one query. Its destructor ends the query.
///
/// A value that no version of this program writes (a number or time out of bounds, a text that is
/// not UTF-8) is damage, like a page that cannot be read: its getter throws Failure, so callers
/// need no further checks. `integer` and `blob` do not check.
class Cursor {
public:
    explicit Cursor(DriverStatement& statement) : statement_(&statement) {}
    Cursor(Cursor&& other) noexcept : statement_(std::exchange(other.statement_, nullptr)) {}
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;
    Cursor& operator=(Cursor&&) = delete;
    ~Cursor() {
        if (statement_ != nullptr) {
            statement_->reset();
        }
    }

    /// Moves to the next row; false after the last. Throws Failure.
    [[nodiscard]] bool next() { return statement_->step(); }

    [[nodiscard]] std::int64_t integer(int column) const { return statement_->integer(column); }
    /// An integer from `lowest` to `highest`.
    [[nodiscard]] std::int64_t between(int column, std::int64_t lowest, std::int64_t highest) const;
    template <std::unsigned_integral Number>
    [[nodiscard]] Number number(int column) const {
        return static_cast<Number>(between(column, 0, std::numeric_limits<Number>::max()));
    }
    /// A value of an enumeration without gaps that ends with `last`.
    template <class Enum>
    [[nodiscard]] Enum enumerator(int column, Enum last) const {
        return static_cast<Enum>(between(column, 0, static_cast<std::int64_t>(last)));
    }
    [[nodiscard]] bool null(int column) const { return statement_->is_null(column); }
    /// A time in the years 1 to 9999, which every format can represent.
    [[nodiscard]] Timestamp time(int column) const {
        return from_unix_millis(between(column, -62'135'596'800'000, 253'402'300'799'999));
    }
    /// A duration of up to a hundred years.
    [[nodiscard]] Millis span(int column) const {
        return Millis{between(column, 0, 3'155'760'000'000)};
    }
    [[nodiscard]] std::optional<Timestamp> optional_time(int column) const {
        return null(column) ? std::nullopt : std::optional{time(column)};
    }
    /// "" for NULL. Valid until the next row.
    [[nodiscard]] std::string_view text(int column) const;
    /// What was parsed from the column; empty is damage.
    template <class Value>
    [[nodiscard]] Value parsed(int column, std::optional<Value> value) const {
        if (!value) {
            throw_damaged(column, "holds a value that nothing writes");
        }
        return *std::move(value);
    }
    /// No bytes for NULL. Valid until the next row.
    [[nodiscard]] std::span<const std::byte> blob(int column) const {
        return statement_->bytes(column);
    }

private:
    [[noreturn]] void throw_damaged(int column, const char* what) const;

    DriverStatement* statement_;
};

template <class... Arguments>
void Statement::run(const Arguments&... arguments) {
    bind_all(arguments...);
    driver_->run();
}

template <class... Arguments>
Cursor Statement::query(const Arguments&... arguments) {
    bind_all(arguments...);
    return Cursor{*driver_};
}

/// Executes an INSERT with RETURNING of one row, and returns the integer that it returned. Throws
/// Failure.
template <class... Arguments>
[[nodiscard]] std::int64_t insert_row(Statement& insert, const Arguments&... arguments) {
    auto row = insert.query(arguments...);
    invariant(row.next(), "a row that is inserted is returned");
    const auto number = row.integer(0);
    invariant(!row.next(), "one row is inserted");
    return number;
}

/// What `read` makes of the first row; empty: there is none. Throws Failure.
template <class Read>
[[nodiscard]] auto first_row(Cursor row, Read read) {
    return row.next() ? std::optional{read(row)} : std::nullopt;
}

/// The first column of the first row; 0: there is none. Throws Failure.
[[nodiscard]] inline std::int64_t first_integer(Cursor row) {
    return row.next() ? row.integer(0) : 0;
}

/// What `read` makes of each row. Throws Failure.
template <class Read>
[[nodiscard]] auto all_rows(Cursor row, Read read) {
    std::vector<decltype(read(row))> all;
    while (row.next()) {
        all.push_back(read(row));
    }
    return all;
}

}  // namespace merpati::store::sql
