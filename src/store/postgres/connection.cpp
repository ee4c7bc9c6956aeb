#include "store/postgres/connection.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/number.hpp"
#include "store/postgres/failures.hpp"
#include "store/postgres/numbered_sql.hpp"
#include "store/postgres/statement.hpp"
#include "store/postgres/transaction_number.hpp"

namespace merpati::store::postgres {
namespace {

// The types of arguments, by their numbers in the catalogue of every server (pg_type.dat).
constexpr Oid integer_type = 20;
constexpr Oid text_type = 25;
constexpr Oid bytes_type = 17;

Oid type_of(sql::ValueKind kind) {
    return kind == sql::ValueKind::integer ? integer_type
           : kind == sql::ValueKind::bytes ? bytes_type
                                           : text_type;
}

/// The arguments as libpq takes them.
struct ArgumentLists {
    explicit ArgumentLists(std::span<const Argument> arguments)
        : count(static_cast<int>(arguments.size())) {
        for (const auto& argument : arguments) {
            types.push_back(type_of(argument.kind));
            values.push_back(argument.bytes);
            sizes.push_back(argument.size);
            formats.push_back(1);
        }
    }

    int count;
    std::vector<Oid> types;
    std::vector<const char*> values;
    std::vector<int> sizes;
    std::vector<int> formats;
};

constexpr int binary_results = 1;

std::int64_t rows_of(PGresult* result) {
    return parse_whole<std::int64_t>(PQcmdTuples(result)).value_or(0);
}

}  // namespace

std::unique_ptr<sql::DriverStatement> Connection::prepare(std::string_view sql, sql::Rows rows) {
    return std::make_unique<Statement>(*this, text_of(sql), rows);
}

std::shared_ptr<PreparedText> Connection::text_of(std::string_view sql) {
    if (const auto found = texts_.find(std::string{sql}); found != texts_.end()) {
        return found->second;
    }
    auto text = std::make_shared<PreparedText>(
        PreparedText{.sql = numbered_sql(sql), .is_kept = texts_.size() < texts_max});
    if (text->is_kept) {
        texts_.emplace(sql, text);
    }
    return text;
}

void Connection::execute(const char* sql) {
    send_once(sql, {});
    close_step();
}

std::int64_t Connection::changes() {
    wait();
    return last_ ? rows_of(last_.get()) : 0;
}

void Connection::note_changed(bool& changed) {
    if (auto* command = last_command(); command != nullptr) {
        command->changed = &changed;
    } else {
        changed = changes() > 0;
    }
}

/// In a transaction, a sync ends no step, but the server counts the time from it on as idle.
void Connection::wait() {
    watched([&] {
        const bool is_open_step =
            !expected_.empty() && expected_.back().kind != Expected::Kind::sync;
        if (link_.is_open() && in_transaction_ && is_open_step) {
            sync();
        }
        receive_all();
    });
}

void Connection::begin() {
    begin_step(leaves_numbers_ && node_);
}

void Connection::begin_step(bool leaves_number) {
    commit_is_unknown_ = false;
    number_.reset();
    timeline_.reset();
    make_ready();
    in_transaction_ = true;
    send_once("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", {});
    limit_waits();
    lock_node();
    send(*text_of(leaves_number ? leave_number(*node_) : read_number()), {});
    last_command()->returned = &number_;
    send(*text_of(read_timeline()), {});
    last_command()->returned = &timeline_;
}

/// The settings end with the transaction, so a pooler may be between.
void Connection::limit_waits() {
    send_once(fmt::format("SET LOCAL idle_in_transaction_session_timeout = {}", idle_max.count()),
              {});
    if (lock_wait_.count() > 0) {
        send_once(fmt::format("SET LOCAL lock_timeout = {}", lock_wait_.count()), {});
    }
}

/// Divides by zero if there is no row, so that the server carries out nothing of what follows.
/// Whoever deposes the node updates the row (Nodes), which FOR KEY SHARE would not keep waiting.
void Connection::lock_node() {
    if (!node_) {
        return;
    }
    send(*text_of(fmt::format("SELECT 1 / count(*) FROM (SELECT 1 FROM node WHERE id = {} AND "
                              "generation = {} FOR SHARE) AS own",
                              node_->node, node_->generation)),
         {});
    last_command()->is_fence = true;
}

void Connection::begin_snapshot() {
    make_ready();
    in_transaction_ = true;
    send_once("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", {});
}

/// A transaction that had failed is rolled back by its COMMIT. One whose answer is lost may be
/// committed.
void Connection::commit() {
    make_ready();
    try {
        send_once("COMMIT", {});
        sync();
        wait();
    } catch (const sql::Failure&) {
        commit_is_unknown_ = is_lost_;
        throw;
    }
    in_transaction_ = false;
    if (std::string_view{PQcmdStatus(last_.get())} != "COMMIT") {
        throw sql::Failure{sql::Failure::Kind::failed, "postgresql: the transaction had failed"};
    }
}

std::optional<Connection::TransactionId> Connection::transaction() const noexcept {
    if (!number_ || !timeline_) {
        return std::nullopt;
    }
    return TransactionId{.number = *number_, .timeline = *timeline_};
}

/// A commit whose answer was lost may be visible before standbys have it. This one's commit follows
/// it in the log, so it waits for them too: it writes, which a row's lock does.
/// The row is read after the status, because a snapshot shows it from the moment at which the
/// transaction is not in progress any more.
Connection::Fate Connection::fate_of(const TransactionId& transaction) {
    begin_step(false);
    const bool has_row = leaves_numbers_ && node_;
    const auto status =
        query_text((has_row ? read_status(transaction.number)
                            : read_status_on_timeline(transaction.number, transaction.timeline))
                       .c_str());
    const auto left =
        has_row ? query_text(read_left(*node_, transaction.number).c_str()) : std::string{};
    commit();
    if (status == "in progress") {
        return Fate::in_progress;
    }
    if (has_row) {
        return left == std::to_string(transaction.number) ? Fate::committed : Fate::aborted;
    }
    return status == "committed" ? Fate::committed
           : status == "aborted" ? Fate::aborted
                                 : Fate::unknown;
}

void Connection::roll_back() noexcept {
    if (!in_transaction_) {
        return;
    }
    for (auto& expected : expected_) {
        expected.changed = nullptr;
        expected.returned = nullptr;
    }
    // The first attempt may meet the failure of what was sent before, and be skipped with it.
    if (!try_roll_back() && !try_roll_back()) {
        link_.close();  // The server rolls back what is left of it.
        expected_.clear();
        is_skipping_ = false;
    }
    in_transaction_ = false;
    is_lost_ = false;
    cursors_ = 0;
    failure_.reset();
}

bool Connection::try_roll_back() noexcept {
    if (is_lost_) {
        return true;
    }
    try {
        send_once("ROLLBACK", {});
        sync();
        wait();
        return true;
    } catch (const sql::Failure&) {
        return false;
    }
}

std::int64_t Connection::last_assigned(std::string_view table) {
    return std::stoll(query_text(fmt::format("SELECT CASE WHEN is_called THEN last_value ELSE 0 "
                                             "END FROM {}_id_seq",
                                             table)
                                     .c_str()));
}

void Connection::run_script(const std::string& sql) {
    clear_pipeline();
    watched([&] { link_.run_script(sql.c_str()); });
}

void Connection::copy_in(const std::string& sql, std::string_view rows) {
    clear_pipeline();
    watched([&] { link_.copy_in(sql.c_str(), rows); });
}

/// Waits until nothing is under way.
void Connection::clear_pipeline() {
    make_ready();
    sync();
    wait();
}

void Connection::run(PreparedText& text, std::span<const Argument> arguments,
                     std::optional<std::int64_t>* returned) {
    send(text, arguments);
    last_command()->returned = returned;
    close_step();
}

void Connection::send(PreparedText& text, std::span<const Argument> arguments) {
    make_ready();
    if (link_.is_pooled() || !text.is_kept) {
        send_once(text.sql, arguments);
        return;
    }
    auto& form = form_of(text, arguments);
    watched([&] {
        if (form.session != link_.session()) {
            prepare_form(text, form);
        }
        const ArgumentLists lists{arguments};
        link_.sent(PQsendQueryPrepared(link_.handle(), form.name.c_str(), lists.count,
                                       lists.values.data(), lists.sizes.data(),
                                       lists.formats.data(), binary_results));
        expect({.kind = Expected::Kind::command});
    });
}

void Connection::send_once(const std::string& sql, std::span<const Argument> arguments) {
    make_ready();
    watched([&] {
        const ArgumentLists lists{arguments};
        link_.sent(PQsendQueryParams(link_.handle(), sql.c_str(), lists.count, lists.types.data(),
                                     lists.values.data(), lists.sizes.data(), lists.formats.data(),
                                     binary_results));
        expect({.kind = Expected::Kind::command});
    });
}

ResultPointer Connection::receive() {
    close_step();
    wait();
    return std::move(last_);
}

std::string Connection::take_cursor() {
    if (!in_transaction_) {
        begin_snapshot();
        cursors_ = 1;
    } else if (cursors_ > 0) {
        ++cursors_;
    }
    return fmt::format("cursor_{}", ++names_);
}

/// The cursors of a failed transaction have gone with it.
void Connection::give_back_cursor(const std::string& name) noexcept {
    if (!in_transaction_) {
        return;
    }
    if (cursors_ == 1) {
        roll_back();
        return;
    }
    cursors_ -= cursors_ > 0 ? 1 : 0;
    try {
        const bool is_failed =
            !link_.is_open() || failure_ || PQtransactionStatus(link_.handle()) == PQTRANS_INERROR;
        if (!is_failed) {
            send_once("CLOSE " + name, {});
        }
    } catch (const sql::Failure& failure) {
        failure_ = failure;  // Thrown by the next use.
    }
}

/// Opens the connection if it is not, and keeps the number of commands under way bounded.
void Connection::make_ready() {
    if (is_lost_) {
        throw sql::Failure{sql::Failure::Kind::unavailable,
                           "postgresql: the connection was lost in the transaction"};
    }
    const bool is_idle = !in_transaction_ && expected_.empty();
    if (is_idle && link_.is_open() && link_.has_ended()) {
        link_.close();
    }
    if (!link_.is_open()) {
        watched([&] { link_.open(); });
    }
    if (expected_.size() >= commands_max) {
        wait();
    }
}

/// Outside a transaction each command is a transaction, which ends here. A pooler may then give the
/// server's connection to somebody else, also one on which a part of the next command has arrived.
void Connection::close_step() {
    if (!in_transaction_) {
        sync();
        if (link_.is_pooled()) {
            wait();
        }
    }
}

void Connection::sync() {
    watched([&] {
        link_.sent(PQpipelineSync(link_.handle()));
        expect({.kind = Expected::Kind::sync});
    });
}

PreparedText::Form& Connection::form_of(PreparedText& text, std::span<const Argument> arguments) {
    const auto found = std::ranges::find_if(text.forms, [&](const PreparedText::Form& form) {
        return std::ranges::equal(form.kinds, arguments, {}, {}, &Argument::kind);
    });
    if (found != text.forms.end()) {
        return *found;
    }
    PreparedText::Form made{.kinds = {}, .name = fmt::format("statement_{}", ++names_)};
    for (const auto& argument : arguments) {
        made.kinds.push_back(argument.kind);
    }
    return text.forms.emplace_back(std::move(made));
}

void Connection::prepare_form(PreparedText& text, PreparedText::Form& form) {
    std::vector<Oid> types;
    for (const auto kind : form.kinds) {
        types.push_back(type_of(kind));
    }
    link_.sent(PQsendPrepare(link_.handle(), form.name.c_str(), text.sql.c_str(),
                             static_cast<int>(types.size()), types.data()));
    expect({.kind = Expected::Kind::preparation, .form = &form});
    form.session = link_.session();
}

void Connection::expect(Expected expected) {
    constexpr std::size_t flush_each = 16;  // So that the server works while more is sent.
    expected_.push_back(expected);
    if (expected_.size() % flush_each == 0) {
        link_.flush();
    }
}

/// Null: the last command was answered.
Connection::Expected* Connection::last_command() {
    const auto found = std::ranges::find(expected_.rbegin(), expected_.rend(),
                                         Expected::Kind::command, &Expected::kind);
    return found == expected_.rend() ? nullptr : &*found;
}

void Connection::receive_all() {
    while (!expected_.empty()) {
        receive_next();
    }
    throw_failure();
}

void Connection::receive_next() {
    const auto expected = expected_.front();
    expected_.pop_front();
    auto result = link_.next_result();
    if (expected.kind == Expected::Kind::sync) {
        is_skipping_ = false;
    } else {
        ResultPointer rest = result ? link_.next_result() : nullptr;
        while (rest) {
            result = std::move(rest);
            rest = link_.next_result();
        }
    }
    const auto status = PQresultStatus(result.get());
    const bool is_failed = status == PGRES_FATAL_ERROR || status == PGRES_PIPELINE_ABORTED;
    if (status == PGRES_FATAL_ERROR) {
        is_skipping_ = true;
        if (!failure_) {
            failure_ = failure_of(result.get());
            if (expected.is_fence && failure_->kind() == sql::Failure::Kind::failed) {
                failure_.emplace(sql::Failure::Kind::fenced,
                                 "another node has deposed this one, or this one has left");
            }
        }
    }
    if (expected.kind == Expected::Kind::preparation && is_failed) {
        expected.form->session = 0;
    }
    if (PQstatus(link_.handle()) != CONNECTION_OK) {
        link_.close();
        throw sql::Failure{sql::Failure::Kind::unavailable,
                           failure_ ? failure_->what() : "postgresql: the connection was lost"};
    }
    if (expected.kind == Expected::Kind::command) {
        if (!is_failed) {
            report(expected, result.get());
        }
        last_ = std::move(result);
    }
}

void Connection::report(const Expected& expected, PGresult* result) {
    if (expected.changed != nullptr) {
        *expected.changed = rows_of(result) > 0;
    }
    if (expected.returned != nullptr) {
        *expected.returned = PQntuples(result) > 0
                                 ? std::optional{Statement::integer_of(result, 0, 0)}
                                 : std::nullopt;
    }
}

void Connection::throw_failure() {
    if (!failure_) {
        return;
    }
    if (is_skipping_) {
        sync();
        receive_next();
    }
    const auto failure = *std::exchange(failure_, std::nullopt);
    throw sql::Failure{failure};
}

/// Runs `body`, which uses the link. If the link is closed after it, what was under way is
/// forgotten.
template <class Body>
auto Connection::watched(Body body) -> decltype(body()) {
    try {
        return body();
    } catch (const sql::Failure&) {
        if (!link_.is_open()) {
            expected_.clear();
            failure_.reset();
            is_skipping_ = false;
            is_lost_ = in_transaction_;
        }
        throw;
    }
}

}  // namespace merpati::store::postgres
