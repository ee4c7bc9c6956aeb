// Finds the handler of a request by method and path.
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

#include "http/body_receiver.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"

namespace merpati::http {

/// Called on the I/O thread; must not block. If it throws before it answers, the answer is 500.
using Handler = std::function<void(const Request&, Responder)>;

/// Returns the body of the server's own refusals: 400 (framing), 404, 405, 408, 413, 414, 431, 500,
/// 503 (overload), 505. `api/` provides it, so that they look like the API's failures.
using RefusalBody = std::function<std::string(std::uint16_t status)>;

/// Operation: built once, before the server starts, and not changed afterwards. A path ending in
/// "/*" matches every path below it. Precedence: exact paths, then paths with "{}", then "/*"; a
/// longer one before a shorter one. A route without a handler for the method is skipped. If no
/// handler is left, a path that matched is answered 405 with `Allow`. HEAD uses GET's handler, if
/// it has none of its own; its answer has no body.
///
/// Threads: `find` from any, once the server runs.
class Router {
public:
    /// Called before a body over the limit is refused with 413; `body` is empty. A reply, such as
    /// the 401 of a wrong key, is sent instead of the 413. May be left empty. Not used for the
    /// management socket.
    std::function<std::optional<Reply>(const Request&)> before_too_large;

    Router();
    ~Router();
    Router(Router&&) noexcept;
    Router& operator=(Router&&) noexcept;

    /// The path starts with '/'; one segment may be "{}", which matches any non-empty segment.
    /// Adding the same method and path twice is an invariant violation. `body_max`: the largest
    /// body; 0: Limits::body_max.
    void add(Method method, const std::string& path, Handler handler, std::size_t body_max = 0);

    /// The same for a route whose bodies are received in pieces. `body_max` 0: no limit.
    void add_upload(Method method, const std::string& path, UploadHandler handler,
                    std::size_t body_max = 0);

    /// The paths, in the order in which they were added; `Match::path` is an index into them.
    [[nodiscard]] const std::vector<std::string>& paths() const noexcept;

    static constexpr std::size_t no_path = static_cast<std::size_t>(-1);

    struct Match {
        const Handler* handler = nullptr;
        const UploadHandler* upload = nullptr;  // Both null: answer with `status`.
        std::uint16_t status = 404;             // 404 or 405 if there is no handler.
        std::string_view allow{};               // For 405: "GET, HEAD, POST".
        std::size_t path = no_path;             // Of the handler, or of the first match for 405.
        std::size_t body_max = 0;               // Of the handler; 0: Limits::body_max, or no limit.
    };
    [[nodiscard]] Match find(Method method, std::string_view path) const;

private:
    struct Table;
    std::unique_ptr<Table> table_;
};

/// The segment of `path` that "{}" matches; nothing if `path` does not match `pattern`. For a
/// pattern without "{}" that is equal to `path`, an empty text.
[[nodiscard]] std::optional<std::string_view> match_path(std::string_view pattern,
                                                         std::string_view path) noexcept;

}  // namespace merpati::http
