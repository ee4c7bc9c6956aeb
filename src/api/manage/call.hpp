// One call on its way through a handler of the catalogue.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "admission/principal.hpp"
#include "api/manage/fields.hpp"
#include "api/session_cookie.hpp"
#include "http/request.hpp"
#include "model/scope.hpp"

namespace merpati::api::manage {

inline constexpr std::string_view json_type = "application/json";

/// What of a request's head the catalogue reads.
struct RequestHead {
    std::string accept;  // Empty: not given.
    std::optional<std::string> if_match{};
    std::optional<std::string> if_none_match{};
    std::optional<std::string> idempotency_key{};
    std::string_view door = "command";  // "socket", "network"; static text.
    std::string id{};                   // X-Request-Id of the answer.
    std::string address{};              // Where the client is.
    std::string agent{};                // Its own words, cut to a bound.
    bool is_own = false;                // Made by a page of this server (session_cookie.hpp).
    bool is_secure = false;             // What its cookie is named by,
    bool may_sign_in = false;           // and whether it may have one.

    [[nodiscard]] static RequestHead of(const http::Request& request, const AppAddress& app);
};

/// What a handler may say beside the value that it answers.
struct AnswerHead {
    std::uint16_t status = 200;
    std::string headers{};                      // Further lines, each "Name: value\r\n".
    std::optional<std::string> text{};          // Sent instead of the value, as `content_type`.
    std::string_view content_type = json_type;  // Static text.
};

struct Call {
    admission::Principal principal;
    std::optional<model::Scope> needs;  // Of the operation: in the account that the call is about.
    std::string id;  // What stands for "{}" in the operation's path, percent-decoded.
    Fields fields;   // Of the body; for GET and DELETE of the query.
    RequestHead head;
    std::span<const std::string_view> edited{};  // Of the operation.
    AnswerHead answer{};
    /// What was done outside the store, for the log of changes; no secrets.
    boost::json::object did{};
    /// Set where the right to it is decided (lookup.hpp): the account that the call turned out to
    /// be about. For the log of changes.
    mutable std::optional<model::AccountId> account{};
};

}  // namespace merpati::api::manage
