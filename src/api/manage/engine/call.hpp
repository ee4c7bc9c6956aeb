// One call of an operation of the catalogue, as its handler sees it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "admission/principal.hpp"
#include "admission/refusal.hpp"
#include "api/manage/engine/fields.hpp"
#include "api/session_cookie.hpp"
#include "api/texts/language.hpp"
#include "http/request.hpp"
#include "model/scope.hpp"

namespace merpati::api::manage {

inline constexpr std::string_view json_type = "application/json";

/// The parts of a request's head that the catalogue uses.
struct RequestHead {
    std::string accept;  // Empty: not given.
    /// Of the body, in lower case and without parameters; empty: not given.
    std::string content_type{};
    std::optional<std::string> if_match{};
    std::optional<std::string> if_none_match{};
    std::optional<std::string> idempotency_key{};
    std::string_view door = "command";      // "socket", "network"; static text.
    std::string id{};                       // X-Request-Id of the answer.
    std::string address{};                  // Where the client is.
    std::string agent{};                    // User-Agent, shortened.
    Language language = Language::english;  // Of texts for people: Accept-Language.
    bool is_own = false;                    // Made by a page of this server (is_own_request).
    bool is_secure = false;                 // AppAddress::is_secure: which cookie it uses.
    bool may_sign_in = false;               // AppAddress::may_sign_in.

    [[nodiscard]] static RequestHead of(const http::Request& request, const AppAddress& app);
};

/// What a handler may set in addition to the value that it answers.
struct AnswerHead {
    std::uint16_t status = 200;
    std::string headers{};                      // Further lines, each "Name: value\r\n".
    std::optional<std::string> text{};          // Sent instead of the value, as `content_type`.
    std::string_view content_type = json_type;  // Static text.
    std::optional<std::chrono::seconds> retry_after{};  // Of a failure too_many_requests.
    /// Of a failure: it is answered with the status and the text of this row of the published
    /// interface's errors.
    std::optional<admission::Refusal> refusal{};
    boost::json::array problems{};  // Of a failure: what keeps a campaign from starting.
};

struct Call {
    admission::Principal principal;
    std::optional<model::Scope> needs;  // Operation::needs.
    std::string id;                     // The part of the path for "{}", percent-decoded.
    Fields fields;                      // Of the body; for GET, DELETE and uploads of the query.
    RequestHead head;
    std::span<const std::string_view> edited{};  // Operation::edited.
    AnswerHead answer{};
    /// The effect outside the store, for the log of changes. Must hold no secrets.
    boost::json::object did{};
    /// Set by a handler whose change found everything as it should be: it is not logged.
    bool changed_nothing = false;
    /// The account of which it was found, before the call began, that this process works for it
    /// (whereabouts.hpp). A change of the call is refused if it does not any more.
    std::optional<model::AccountId> placed{};
    /// Whether a change of the call was made, so that it must not be carried out elsewhere as well.
    mutable bool has_changed = false;
    /// The account that the call is about, for the log of changes. Set by check_right (lookup.hpp).
    mutable std::optional<model::AccountId> account{};
};

}  // namespace merpati::api::manage
