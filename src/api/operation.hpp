// Everything the gateway can be asked to do, as one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "admission/principal.hpp"
#include "api/call.hpp"
#include "api/manage/handlers.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"
#include "model/scope.hpp"

namespace merpati::api {

struct Rooms;

/// Who may ask for an operation.
enum class Scope : std::uint8_t {
    anyone,
    metrics,    // Whoever has metrics.token; without one, peers on this machine.
    account,    // An account, by one of its keys that may send: the published interface.
    catalogue,  // The local operator, keys and people, whoever has the scope that it needs.
    machine,    // The local operator alone: offered on no network.
};

/// How it is carried out.
using Page = http::Reply(const Rooms&);             // At once, on the I/O thread.
using AccountHandler = void(const Rooms&, Call&&);  // Answers later; must not block.
/// The same, of an operation of the catalogue: the principal has the scope somewhere.
using PrincipalHandler = void(const Rooms&, const http::Request&, admission::Principal,
                              http::Responder);
using Answerer = std::variant<Page*, AccountHandler*, PrincipalHandler*, manage::Handler*,
                              manage::StreamHandler*, manage::LateHandler*>;

/// One row. Routes, authority, limits, idempotency, metrics and the tests of the manuals follow it.
struct Operation {
    http::Method method = http::Method::get;
    std::string_view path;  // At most one "{}", for an id.
    Scope scope = Scope::anyone;
    Answerer answerer;
    /// Of the catalogue: what the caller needs in the account that the call is about. Empty: it is
    /// about the caller alone.
    std::optional<model::Scope> needs{};
    /// Of a single resource: its fields that can be changed, for ETags; empty: it has none.
    std::span<const std::string_view> edited{};
    std::string_view shown_once{};  // The field of the answer that nobody is shown again.
    std::size_t body_max = 0;       // 0: http.body_max
    bool idempotent = false;        // Takes an Idempotency-Key.
    bool has_revisions = false;
    /// What it does is done outside the store, or in several commits: that it was asked for is
    /// logged before it is begun, and how it ended afterwards. Other changes are logged in their
    /// own transaction.
    bool recorded_first = false;
    bool hashes = false;   // A password: runs where few do at once.
    bool is_long = false;  // Runs beside calls that are answered at once, never before them.
    bool waits = false;    // For a host that somebody has named: runs beside all the others.

    /// The answer is made while it is sent.
    [[nodiscard]] constexpr bool is_streamed() const {
        return std::holds_alternative<manage::StreamHandler*>(answerer);
    }
};

/// The table, in the order of the manuals. Static.
[[nodiscard]] std::span<const Operation> operations() noexcept;

}  // namespace merpati::api
