// A connection to a server of PostgreSQL, in libpq's pipeline mode.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <libpq-fe.h>

#include "store/postgres/connection_settings.hpp"
#include "store/postgres/durability.hpp"

namespace merpati::store::postgres {

struct ClearResult {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using ResultPointer = std::unique_ptr<PGresult, ClearResult>;

/// Sends commands and receives their results, without a knowledge of transactions.
///
/// Operation: `open` connects. Commands are sent with libpq's own calls on `handle`, each checked
/// with `sent`; `next_result` returns what PQgetResult does. A connection that fails is closed, and
/// its failure thrown; `open` connects again.
///
/// Limits: a wait ends when the server is silent for `silence_max`.
///
/// Threads: one at a time.
class Link {
public:
    Link(ConnectionSettings settings, std::chrono::milliseconds silence_max);

    /// Connects, to the first host that suits. Throws Failure: unavailable, or failed if the server
    /// cannot be used, because it is older than 15 or does not store UTF-8. One that has taken the
    /// place of a server that could be used is unavailable then.
    void open();
    void close() noexcept { handle_.reset(); }
    [[nodiscard]] bool is_open() const noexcept { return handle_ != nullptr; }

    /// Whether the server, or what is between, has ended the connection. Asked while nothing is
    /// under way; does not wait.
    [[nodiscard]] bool has_ended() const noexcept;

    /// Counts the calls of `open` that succeeded.
    [[nodiscard]] std::uint64_t session() const noexcept { return session_; }

    /// Whether the server's connection belongs to a pooler, which may give each transaction another
    /// one: then a prepared statement may be missing in the next.
    [[nodiscard]] bool is_pooled() const noexcept { return is_pooled_; }

    /// Of the server, as it was when the connection was opened.
    [[nodiscard]] const Durability& durability() const noexcept { return durability_; }

    /// From now on `open` fails as unavailable if the server acknowledges what it may lose.
    /// `must_sync`: as in Durability::suffices.
    void demand_durability(bool must_sync) noexcept { must_sync_ = must_sync; }

    [[nodiscard]] PGconn* handle() const noexcept { return handle_.get(); }

    /// `accepted`: what one of libpq's PQsend… calls returned. Throws Failure.
    void sent(int accepted);

    /// Hands what was sent to the system, as far as that takes it. Throws Failure.
    void flush();

    /// Waits for the next result; null between the results of two commands. Throws Failure.
    [[nodiscard]] ResultPointer next_result();

    /// Runs several statements as one transaction. No command may be under way. Throws Failure.
    void run_script(const char* sql);

    /// Runs a "COPY … FROM STDIN", whose input is `rows`. No command may be under way. Throws
    /// Failure.
    void copy_in(const char* sql, std::string_view rows);

private:
    struct Finish {
        void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
    };

    void inspect_server();
    void run_alone(const char* sql, std::string_view input);
    void give(std::string_view input);
    void wait_for_server();
    void wait_for(short events);
    [[noreturn]] void lose();

    const ConnectionSettings settings_;
    const std::chrono::milliseconds silence_max_;
    std::unique_ptr<PGconn, Finish> handle_;
    std::uint64_t session_ = 0;
    bool is_pooled_ = false;
    Durability durability_;
    std::optional<bool> must_sync_;  // Empty: any server will do.
};

}  // namespace merpati::store::postgres
