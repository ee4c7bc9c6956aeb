// The table of all operations of the API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

#include "admission/principal.hpp"
#include "api/call.hpp"
#include "api/manage/engine/handlers.hpp"
#include "http/body_receiver.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"
#include "model/scope.hpp"

namespace merpati::api {

struct Rooms;

/// Who may call an operation.
enum class Scope : std::uint8_t {
    anyone,
    metrics,    // Callers with metrics.token; if it is not set, peers on this machine.
    account,    // A key with the scope `send`: the published interface.
    catalogue,  // The local operator, keys and people that have the scope in `Operation::needs`.
    machine,    // The local operator only: never offered on a network.
};

/// How an operation is carried out.
using Page = http::Reply(const Rooms&);             // Answers at once, on the I/O thread.
using AccountHandler = void(const Rooms&, Call&&);  // Answers later; must not block.
/// As AccountHandler, for the catalogue. The principal has the needed scope in some account; the
/// handler checks it for the account that is meant.
using PrincipalHandler = void(const Rooms&, const http::Request&, admission::Principal,
                              http::Responder);
/// As PrincipalHandler, for a body that is read in pieces. Null: it has answered.
using BodyHandler = std::unique_ptr<http::BodyReceiver>(const Rooms&, const http::Request&,
                                                        admission::Principal, http::Responder);
/// Answers later; must not block. Neither keys nor cookies are looked at.
using StrangerHandler = void(const Rooms&, const http::Request&, http::Responder);
/// As StrangerHandler, for a body that is read in pieces. Null: it has answered.
using StrangerBodyHandler = std::unique_ptr<http::BodyReceiver>(const Rooms&, const http::Request&,
                                                                http::Responder);
using Answerer = std::variant<Page*, AccountHandler*, PrincipalHandler*, BodyHandler*,
                              StrangerHandler*, StrangerBodyHandler*, manage::Handler*,
                              manage::StreamHandler*, manage::LateHandler*, manage::UploadHandler*>;

/// The threads that carry out an operation of the catalogue, so that slow calls do not delay
/// others.
enum class Pool : std::uint8_t {
    brief,      // Reads or writes a few rows.
    lengthy,    // Reads many rows, or waits for several commits.
    hashing,    // Hashes a password.
    retrying,   // Sends a message, after a probe of its file.
    testing,    // Waits for any host that the caller names.
    uploading,  // Waits for the body of an upload.
    asking,     // May wait for a platform's answer.
    stopping,   // Stops what runs: must not wait for what else its caller has asked.
};

/// What the "{}" in an operation's path names. The log of changes finds the row and its account by
/// it.
enum class Resource : std::uint8_t {
    none,  // The path has no "{}", or nothing of the catalogue has the name.
    message,
    campaign,
    recipient,  // A contact or a suppression: the number of a person to whom an account sends.
    callback,
    device,  // By its number.
    received_media,
    key,
    account,
    membership,
    invitation,
    person,  // By id or address.
    session,
};

/// One row of the table. Routes, access checks, limits, idempotency, metrics and the tests of the
/// manuals read it.
struct Operation {
    http::Method method = http::Method::get;
    std::string_view path;  // At most one "{}", for an id.
    Scope scope = Scope::anyone;
    Answerer answerer;
    Resource resource = Resource::none;
    /// Catalogue only: the scope that the caller needs in the account that the call is about.
    /// Empty: the call is about the caller itself.
    std::optional<model::Scope> needs{};
    /// The fields in the first part of the resource's ETag (entity_tag.hpp): those that identify it
    /// and those that callers can change. Empty: the resource has no ETag.
    std::span<const std::string_view> edited{};
    std::string_view shown_once{};  // The field of the answer that is never shown again.
    std::size_t body_max = 0;       // 0: http.body_max; for uploads: no limit
    bool idempotent = false;        // Takes an Idempotency-Key.
    bool has_revisions = false;
    bool takes_basic = false;  // A key may also come as the password of HTTP Basic.
    /// The effect is outside the store, or takes several commits. The log of changes gets an entry
    /// before the operation begins, and its outcome afterwards. Other changes are logged in their
    /// own transaction.
    bool recorded_first = false;
    /// The handler itself judges the validity of the account (Manage::check_scope).
    bool judges_validity = false;
    Pool pool = Pool::brief;

    /// The body is read while it arrives. Such an operation is in Pool::uploading.
    [[nodiscard]] constexpr bool is_upload() const {
        return std::holds_alternative<manage::UploadHandler*>(answerer);
    }

    /// The same, for a handler that chooses its threads.
    [[nodiscard]] constexpr bool takes_body() const {
        return std::holds_alternative<BodyHandler*>(answerer) || is_for_strangers();
    }

    /// The body is read while it arrives, from callers of whom nothing is known.
    [[nodiscard]] constexpr bool is_for_strangers() const {
        return std::holds_alternative<StrangerBodyHandler*>(answerer);
    }

    /// The answer is produced while it is sent.
    [[nodiscard]] constexpr bool is_streamed() const {
        return std::holds_alternative<manage::StreamHandler*>(answerer);
    }
};

/// Which node carries an operation out, where several share the accounts.
enum class Place : std::uint8_t {
    asked,    // The one that was asked.
    account,  // The one that works for the account that is meant; if none is, the one asked.
    people,   // The one that works for the first shard: it counts attempts to sign in.
    all,      // Every one takes its part.
};
[[nodiscard]] Place place_of(const Operation& operation) noexcept;

/// The table, in the order of the manuals. Static.
[[nodiscard]] std::span<const Operation> operations() noexcept;

}  // namespace merpati::api
