#include "store/postgres/link.hpp"

#include <cerrno>
#include <poll.h>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "store/postgres/failures.hpp"

namespace merpati::store::postgres {
namespace {

constexpr int server_version_min = 150'000;

/// One line of a message that ends with a line break, or has several lines for several hosts.
std::string one_line(std::string_view message) {
    std::string line;
    for (const char letter : message) {
        line += letter == '\n' || letter == '\t' ? ' ' : letter;
    }
    line.resize(line.find_last_not_of(' ') + 1);
    return line;
}

sql::Failure unavailable(const ConnectionSettings& settings, std::string_view why) {
    return {sql::Failure::Kind::unavailable,
            fmt::format("postgresql: {}: {}", settings.server(), why)};
}

}  // namespace

Link::Link(ConnectionSettings settings, std::chrono::milliseconds silence_max)
    : settings_(std::move(settings)), silence_max_(silence_max) {}

void Link::open() {
    const auto names = settings_.names();
    const auto values = settings_.values();
    handle_.reset(PQconnectdbParams(names.data(), values.data(), 0));
    if (handle_ == nullptr || PQstatus(handle_.get()) != CONNECTION_OK) {
        const auto why =
            handle_ == nullptr ? std::string{"no memory"} : one_line(PQerrorMessage(handle_.get()));
        close();
        throw unavailable(settings_, why);
    }
    // The server's notices would be written to standard error.
    PQsetNoticeReceiver(handle_.get(), [](void*, const PGresult*) {}, nullptr);
    inspect_server();
    if (PQsetnonblocking(handle_.get(), 1) != 0 || PQenterPipelineMode(handle_.get()) != 1) {
        lose();
    }
    ++session_;
}

/// A pooler reports a process of its own instead of the server's.
void Link::inspect_server() {
    const ResultPointer result{
        PQexec(handle_.get(),
               "SELECT pg_backend_pid(), current_setting('server_encoding'), "
               "current_setting('synchronous_commit'), current_setting('fsync')")};
    if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) {
        const auto failure = failure_of(result.get());
        close();
        throw sql::Failure{failure};
    }
    is_pooled_ = std::to_string(PQbackendPID(handle_.get())) != PQgetvalue(result.get(), 0, 0);
    const bool stores_utf8 = std::string_view{PQgetvalue(result.get(), 0, 1)} == "UTF8";
    const bool is_new_enough = PQserverVersion(handle_.get()) >= server_version_min;
    durability_ = {.synchronous_commit = PQgetvalue(result.get(), 0, 2),
                   .fsync = PQgetvalue(result.get(), 0, 3)};
    if (!stores_utf8 || !is_new_enough) {
        close();
        throw sql::Failure{
            session_ == 0 ? sql::Failure::Kind::failed : sql::Failure::Kind::unavailable,
            stores_utf8 ? "postgresql: the server is older than version 15"
                        : "postgresql: the database does not store UTF-8: create "
                          "one with ENCODING 'UTF8'"};
    }
    if (must_sync_ && !durability_.suffices(*must_sync_)) {
        close();
        throw unavailable(settings_, fmt::format("the server may lose what it acknowledges, so "
                                                 "nothing is written to it: {}",
                                                 durability_.text()));
    }
}

/// While nothing is under way, a server sends only notices, changed settings, and its farewell.
bool Link::has_ended() const noexcept {
    constexpr int reads_max = 16;
    pollfd watched{.fd = PQsocket(handle_.get()), .events = POLLIN, .revents = 0};
    for (int reads = 0; reads < reads_max && ::poll(&watched, 1, 0) == 1; ++reads) {
        if (PQconsumeInput(handle_.get()) != 1) {
            return true;
        }
    }
    return false;
}

void Link::sent(int accepted) {
    if (accepted != 1) {
        lose();
    }
}

void Link::flush() {
    if (PQflush(handle_.get()) < 0) {
        lose();
    }
}

ResultPointer Link::next_result() {
    while (PQisBusy(handle_.get()) == 1) {
        wait_for_server();
    }
    return ResultPointer{PQgetResult(handle_.get())};
}

void Link::run_script(const char* sql) {
    run_alone(sql, {});
}

void Link::copy_in(const char* sql, std::string_view rows) {
    run_alone(sql, rows);
}

/// Outside the pipeline, in which neither several statements nor a COPY are possible.
void Link::run_alone(const char* sql, std::string_view input) {
    if (PQexitPipelineMode(handle_.get()) != 1) {
        lose();
    }
    sent(PQsendQuery(handle_.get(), sql));
    ResultPointer failed;
    while (auto result = next_result()) {
        const auto status = PQresultStatus(result.get());
        if (status == PGRES_COPY_IN) {
            give(input);
        } else if (status == PGRES_FATAL_ERROR) {
            failed = std::move(result);
        }
    }
    if (PQstatus(handle_.get()) != CONNECTION_OK || PQenterPipelineMode(handle_.get()) != 1) {
        lose();
    }
    if (failed) {
        throw sql::Failure{failure_of(failed.get())};
    }
}

/// Hands the input to the system piece by piece, because libpq keeps what the system does not take.
void Link::give(std::string_view input) {
    constexpr std::size_t piece_max = 64UL * 1024;
    while (!input.empty()) {
        const auto piece = input.substr(0, piece_max);
        sent(PQputCopyData(handle_.get(), piece.data(), static_cast<int>(piece.size())));
        input.remove_prefix(piece.size());
        for (int unsent = PQflush(handle_.get()); unsent != 0; unsent = PQflush(handle_.get())) {
            sent(unsent);
            wait_for(POLLIN | POLLOUT);
        }
    }
    sent(PQputCopyEnd(handle_.get(), nullptr));
}

void Link::wait_for_server() {
    const int unsent = PQflush(handle_.get());
    if (unsent < 0) {
        lose();
    }
    wait_for(static_cast<short>(unsent == 1 ? POLLIN | POLLOUT : POLLIN));
}

void Link::wait_for(short events) {
    pollfd watched{.fd = PQsocket(handle_.get()), .events = events, .revents = 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(silence_max_.count()));
    if (ready < 0 && errno == EINTR) {
        return;
    }
    if (ready == 0) {
        close();
        throw unavailable(settings_,
                          fmt::format("no answer within {} s", silence_max_.count() / 1'000));
    }
    if (ready < 0 || PQconsumeInput(handle_.get()) != 1) {
        lose();
    }
}

/// Closes the connection, because what the server did with the last commands is not known.
void Link::lose() {
    const auto why = handle_ == nullptr ? std::string{"the connection was lost"}
                                        : one_line(PQerrorMessage(handle_.get()));
    close();
    throw unavailable(settings_, why.empty() ? "the connection was lost" : why);
}

}  // namespace merpati::store::postgres
