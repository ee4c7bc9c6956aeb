// Which handler answers which path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::http {

/// Called on the I/O thread; must not block. Exceptions it lets out answer 500.
using Handler = std::function<void(const Request&, Responder)>;

/// Renders the server's own refusals (404, 405, 408, 413, 414, 431, 505, 400 for framing, 503 for
/// overload, 500) so that they have the shape of the API's failures; `api/` provides it.
using RefusalBody = std::function<std::string(std::uint16_t status)>;

/// Operation: built once, before the server starts, and not changed afterwards. A path ending in
/// "/*" matches everything under it. An exact path goes before one with "{}", and that before "/*";
/// of the latter a longer one before a shorter. A known path with another method is answered 405
/// with `Allow`; HEAD is answered by GET's handler without the body.
///
/// Threads: `find` from any, once the server runs.
class Router {
public:
    /// Asked before a body over the limit is refused with 413, with the head alone (`body` is
    /// empty): an answer that goes before it (a wrong key's 401), or nothing. May be left empty.
    std::function<std::optional<Reply>(const Request&)> before_too_large;

    Router();
    ~Router();
    Router(Router&&) noexcept;
    Router& operator=(Router&&) noexcept;

    /// The path starts with '/'; one segment of it may be "{}", which stands for any that is not
    /// empty. Adding the same pair twice is an invariant violation. `body_max`: the largest body;
    /// 0: what Limits allow.
    void add(Method method, const std::string& path, Handler handler, std::size_t body_max = 0);

    /// The paths in the order of adding; `Match::path` counts in it.
    [[nodiscard]] const std::vector<std::string>& paths() const noexcept;

    static constexpr std::size_t no_path = static_cast<std::size_t>(-1);

    struct Match {
        const Handler* handler = nullptr;  // Null: `status` says why.
        std::uint16_t status = 404;        // 404 or 405 where there is no handler.
        std::string_view allow{};          // For 405: "GET, HEAD, POST".
        std::size_t path = no_path;        // Of the handler, or of what answered 405.
        std::size_t body_max = 0;          // Of the handler; 0: what Limits allow.
    };
    [[nodiscard]] Match find(Method method, std::string_view path) const;

private:
    struct Table;
    std::unique_ptr<Table> table_;
};

/// What stands for "{}" where `path` has the pattern's form; empty text where the pattern has none.
[[nodiscard]] std::optional<std::string_view> match_path(std::string_view pattern,
                                                         std::string_view path) noexcept;

}  // namespace merpati::http
