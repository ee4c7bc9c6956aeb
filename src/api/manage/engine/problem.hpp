// Answers of the catalogue, and its errors as problem documents (RFC 9457).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>

#include "admission/refusal.hpp"
#include "api/manage/engine/fields.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/texts/language.hpp"
#include "base/error.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"
#include "model/ids.hpp"

namespace merpati::api::manage {

inline constexpr std::string_view problem_type = "application/problem+json";

/// The header of answers that no cache may keep.
inline constexpr std::string_view not_stored = "Cache-Control: no-store\r\n";

struct LateOutcome;

/// The answer to a call.
struct Outcome {
    std::uint16_t status = 200;
    std::string body;                           // Of an error, a problem document.
    std::string_view content_type = json_type;  // Static text.
    std::string headers{};                      // Further lines, each "Name: value\r\n".
    std::string code{};                         // Of an error: the problem's `code`.
    std::unique_ptr<Lines> lines{};             // If streamed: sent instead of `body`.
    std::unique_ptr<LateOutcome> later{};       // If set, the other members are not used.
};

/// An answer that comes later: `begin` begins the operation and passes the answer on once, on any
/// thread.
struct LateOutcome {
    std::move_only_function<void(std::move_only_function<void(Outcome)>)> begin;
};

/// `code` is for programs, `detail` tells people what to do, `mistakes` lists wrong fields.
[[nodiscard]] Outcome problem(std::uint16_t status, std::string_view code, std::string_view detail,
                              std::span<const Mistake> mistakes = {});

/// With `Retry-After` for 429 and 503. For status 500 only administrators get the detail, because
/// it names files and statements.
[[nodiscard]] Outcome problem(const Error& error, bool for_administrator,
                              std::span<const Mistake> mistakes = {});

/// A refusal of the published interface, with its status and text. `retry_after`: for
/// `Retry-After`; 0: as its row says, and at least a second for 503.
[[nodiscard]] Outcome problem(admission::Refusal refusal, std::chrono::seconds retry_after);

/// With `Retry-After`, in place of its headers.
[[nodiscard]] Outcome with_retry_after(Outcome outcome, std::chrono::seconds wait);

/// Adds `problems` to a problem document; an empty list adds nothing.
void add_problems(Outcome& outcome, const boost::json::array& problems);

/// 503: another node works for the account. Nodes pass the request on to that one
/// (forwarding/passage_text.hpp), so that callers get this only while an account moves.
[[nodiscard]] Outcome elsewhere(model::AccountId account);

/// 401: no key and no session, or none that is valid.
[[nodiscard]] Outcome unauthenticated();

/// 403: the caller has lost rights since the call began.
[[nodiscard]] Outcome rights_changed();

/// 403: a page of another site made the request of a browser that is signed in here.
[[nodiscard]] Outcome of_other_site();

/// 403: the account's validity is over, and the call needs more than to read.
[[nodiscard]] Outcome account_expired();

/// 403: a browser's request that may come from a page of another site (is_own_request).
[[nodiscard]] Outcome not_own_request();
[[nodiscard]] Outcome body_too_large();
/// With `Retry-After`. 503: too many calls wait, or the server stops. 429: too many of the
/// caller's.
[[nodiscard]] Outcome busy();
[[nodiscard]] Outcome too_many_requests();
/// 429, with `Retry-After`: the caller's other upload has not ended.
[[nodiscard]] Outcome upload_runs();
[[nodiscard]] Outcome rate_exceeded(std::chrono::seconds wait);

/// With the texts of a problem in the language. Must not be called with `later`. Drops `lines`,
/// which the caller must have taken out.
[[nodiscard]] http::Reply reply_of(Outcome outcome, Language language);
/// The same, in the language that the request asks for.
[[nodiscard]] http::Reply reply_of(Outcome outcome, const http::Request& request);

}  // namespace merpati::api::manage
