// The catalogue of a store, wherever it is: in a running server or in this process.
#pragma once

#include <chrono>
#include <memory>
#include <string>

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

/// Operation: asks the server through its Unix socket; where none listens, opens the store and
/// runs the same handlers here. A store that is locked while nobody listens belongs to a server
/// that is starting or stopping, or to another command: both ways are tried for 5 s. A store that
/// is not there is made for its first account, and for nothing else.
///
/// Threads: one.
///
/// Errors: those of the catalogue, with its sentences; busy, refused (the socket is
/// another user's), timeout, protocol (the server ended in the middle: it may have been done).
class Gateway {
public:
    Gateway(const config::Settings& settings, const Clock& clock, Random& random);

    /// `target` is path and query under /v1, for example "/admin/accounts/acc_1".
    [[nodiscard]] Result<boost::json::value> ask(
        http::Method method, const std::string& target, const boost::json::object& body = {},
        std::chrono::milliseconds timeout = std::chrono::seconds{30});

    /// Gives `take` a streamed answer as it comes, in pieces of any size.
    [[nodiscard]] Result<void> stream(http::Method method, const std::string& target,
                                      const http::BodyTaker& take);

    /// The items of a list, all of them.
    [[nodiscard]] Result<boost::json::array> ask_all(const std::string& target);

    /// Follows a list from page to page until it ends or has `most` items. `target` without
    /// `limit` and `cursor`.
    [[nodiscard]] Result<boost::json::array> ask_newest(const std::string& target,
                                                        std::size_t most);

private:
    [[nodiscard]] Result<boost::json::array> ask_page(const std::string& target, std::string& next);
    using Outcome = api::manage::Outcome;

    [[nodiscard]] Result<Outcome> exchange(http::Method method, const std::string& target,
                                           const std::string& body,
                                           std::chrono::milliseconds timeout,
                                           const http::BodyTaker& take = {});
    /// Errors: unreachable where no server listens.
    [[nodiscard]] Result<Outcome> ask_server(http::Method method, const std::string& target,
                                             const std::string& body,
                                             std::chrono::milliseconds timeout,
                                             const http::BodyTaker& take) const;
    /// Errors: busy where somebody else has the store.
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

/// A value as it may stand in a target.
[[nodiscard]] std::string percent_encode(std::string_view text);

}  // namespace merpati::cli
