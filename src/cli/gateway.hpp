// Calls the catalogue's operations: in the running server, or in this process if none runs.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "cli/stopped_store.hpp"
#include "config/settings.hpp"
#include "http/local_client.hpp"
#include "http/request.hpp"

namespace merpati::cli {

/// Operation: sends each call to the server through its Unix socket. If no server listens, opens
/// the store, keeps it open, and runs the same handlers here. A store that is locked while no
/// server listens belongs to another command, or to a server that is starting or stopping:
/// `Gateway` then tries both ways for 5 s. Only the creation of an account, and `migrate`, create a
/// missing store.
///
/// Threads: one.
///
/// Errors: those of the catalogue, with its sentences; those of StoppedStore::open, with not_found
/// for a missing store; refused (the socket is another user's); timeout, and protocol (the server
/// ended before its answer, or the answer is not the catalogue's): the call may have been carried
/// out.
class Gateway {
public:
    Gateway(const config::Settings& settings, const Clock& clock, Random& random);

    /// `target` is path and query under /v1, for example "/admin/accounts/acc_1". `timeout` is for
    /// a server's whole answer.
    [[nodiscard]] Result<boost::json::value> ask(
        http::Method method, const std::string& target, const boost::json::object& body = {},
        std::chrono::milliseconds timeout = std::chrono::seconds{30});

    /// The same, but only of a running server: never opens the store, and does not wait for a
    /// server that is starting. Errors: those of `ask`; unreachable (no server listens).
    [[nodiscard]] Result<boost::json::value> ask_server(http::Method method,
                                                        const std::string& target,
                                                        std::chrono::milliseconds timeout) const;

    /// Brings the store's schema up to this version, if no running server has, and returns the
    /// status. A missing store is created in a database, but not as a file.
    [[nodiscard]] Result<boost::json::value> migrate();

    /// Whether this process has opened the store, as no server runs.
    [[nodiscard]] bool works_on_store() const noexcept { return store_ != nullptr; }

    /// Passes a streamed answer to `take` as it arrives, in pieces of any size.
    [[nodiscard]] Result<void> stream(http::Method method, const std::string& target,
                                      const http::BodyTaker& take);

    /// POSTs a body of any size and of media type `type`, which `give` gives in pieces. `timeout`
    /// is for the server to take each piece, and for its answer after the last one. Further errors:
    /// those of `give`.
    [[nodiscard]] Result<boost::json::value> upload(
        const std::string& target, std::string_view type, const http::BodyGiver& give,
        std::chrono::milliseconds timeout = std::chrono::minutes{10});

    /// All items of a list, from all its pages.
    [[nodiscard]] Result<boost::json::array> ask_all(const std::string& target);

    /// The first `most` items of a list, from as many pages as needed. `target` has no `limit` and
    /// no `cursor`.
    [[nodiscard]] Result<boost::json::array> ask_newest(const std::string& target,
                                                        std::size_t most);

private:
    [[nodiscard]] Result<boost::json::array> ask_page(const std::string& target, std::string& next);
    using Outcome = api::manage::Outcome;

    [[nodiscard]] Result<Outcome> exchange(http::Method method, const std::string& target,
                                           const std::string& body,
                                           std::chrono::milliseconds timeout,
                                           const http::BodyTaker& take = {});
    /// Calls `ask_server`, which fails with unreachable if no server listens, or else `ask_store`.
    [[nodiscard]] Result<Outcome> reach(
        bool begins, const std::function<Result<http::ClientReply>()>& ask_server,
        const std::function<Result<Outcome>()>& ask_store);
    /// `begins`: whether a missing store is created. Errors: busy if another process has the store.
    [[nodiscard]] Result<void> open_store(bool begins);
    [[nodiscard]] Result<Outcome> ask_store(http::Method method, const std::string& target,
                                            const std::string& body,
                                            const http::BodyTaker& take) const;

    const config::Settings& settings_;
    const Clock& clock_;
    Random& random_;
    std::string socket_path_;
    std::unique_ptr<StoppedStore> store_;
};

/// The text in a field of an answer; empty: it has none.
[[nodiscard]] std::string text_of(const boost::json::object& record, std::string_view field);

/// Escapes a value for use in a target.
[[nodiscard]] std::string percent_encode(std::string_view text);

}  // namespace merpati::cli
