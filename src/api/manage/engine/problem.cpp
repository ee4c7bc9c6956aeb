#include "api/manage/engine/problem.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "api/errors.hpp"
#include "api/texts/text.hpp"
#include "forwarding/passage_text.hpp"
#include "store/nodes.hpp"

namespace merpati::api::manage {
namespace {

using namespace std::chrono_literals;

/// The reason phrases of RFC 9110.
std::string_view title_of(std::uint16_t status) {
    switch (status) {
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 402:
            return "Payment Required";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 409:
            return "Conflict";
        case 412:
            return "Precondition Failed";
        case 413:
            return "Content Too Large";
        case 415:
            return "Unsupported Media Type";
        case 422:
            return "Unprocessable Content";
        case 429:
            return "Too Many Requests";
        case 502:
            return "Bad Gateway";
        case 503:
            return "Service Unavailable";
        case 504:
            return "Gateway Timeout";
        default:
            return "Internal Server Error";
    }
}

std::uint16_t status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::invalid_argument:
            return 400;
        case ErrorCode::refused:
        case ErrorCode::forbidden:
            return 403;
        case ErrorCode::not_found:
            return 404;
        case ErrorCode::conflict:
            return 409;
        case ErrorCode::precondition_failed:
            return 412;
        case ErrorCode::too_many_requests:
            return 429;
        case ErrorCode::unreachable:
            return 502;
        case ErrorCode::busy:
        case ErrorCode::unavailable:
        case ErrorCode::fenced:
        case ErrorCode::elsewhere:
        case ErrorCode::shutting_down:
            return 503;
        case ErrorCode::timeout:
            return 504;
        case ErrorCode::protocol:
        case ErrorCode::store_failed:
        case ErrorCode::damaged:
        case ErrorCode::io_failed:
            return 500;
    }
    return 500;
}

/// What callers who do not administer the server are told: errors of the store, files and
/// protocols name things of its operator.
std::string_view told(const Error& error) {
    if (error.code == ErrorCode::unavailable || error.code == ErrorCode::fenced) {
        return "the server's database cannot be reached now: try again";
    }
    return status_of(error.code) == 500 ? "the server failed to do it; its operator finds out why"
                                        : std::string_view{error.detail};
}

void translate(boost::json::object& object, std::string_view name, Language language) {
    if (auto* text = object.if_contains(name); text != nullptr && text->is_string()) {
        *text = translated(text->get_string(), language);
    }
}

/// The problem document with its texts in the language.
std::string in_language(const std::string& document, Language language) {
    if (language == Language::english) {
        return document;
    }
    boost::system::error_code error;
    auto parsed = boost::json::parse(document, error);
    if (error || !parsed.is_object()) {
        return document;
    }
    auto& problem = parsed.get_object();
    translate(problem, "title", language);
    translate(problem, "detail", language);
    if (auto* errors = problem.if_contains("errors")) {
        for (auto& mistake : errors->as_array()) {
            translate(mistake.as_object(), "message", language);
        }
    }
    return boost::json::serialize(parsed);
}

}  // namespace

Outcome problem(std::uint16_t status, std::string_view code, std::string_view detail,
                std::span<const Mistake> mistakes) {
    boost::json::object body{{"type", "about:blank"},
                             {"title", title_of(status)},
                             {"status", status},
                             {"code", code},
                             {"detail", detail}};
    if (!mistakes.empty()) {
        auto& errors = body["errors"].emplace_array();
        for (const auto& mistake : mistakes) {
            errors.push_back({{"field", mistake.field}, {"message", mistake.what}});
        }
    }
    return {.status = status,
            .body = boost::json::serialize(body),
            .content_type = problem_type,
            .code = std::string{code}};
}

Outcome problem(const Error& error, bool for_administrator, std::span<const Mistake> mistakes) {
    const auto status = status_of(error.code);
    const bool is_of_fields =
        error.code == ErrorCode::invalid_argument || error.code == ErrorCode::refused;
    auto outcome = problem(status, to_string(error.code),
                           for_administrator ? std::string_view{error.detail} : told(error),
                           is_of_fields ? mistakes : decltype(mistakes){});
    if (status == 429 || status == 503) {
        const auto wait = status == 429 ? 10s : error.code == ErrorCode::unavailable ? 5s : 1s;
        return with_retry_after(std::move(outcome), wait);
    }
    return outcome;
}

Outcome with_retry_after(Outcome outcome, std::chrono::seconds wait) {
    outcome.headers = fmt::format("Retry-After: {}\r\n", wait.count());
    return outcome;
}

Outcome problem(admission::Refusal refusal, std::chrono::seconds retry_after) {
    const auto& row = error_row(refusal);
    auto outcome = problem(row.a.code, row.name, row.text);
    const auto wait =
        std::max({retry_after, std::chrono::seconds{row.retry_after}, row.a.code == 503 ? 1s : 0s});
    if (wait > 0s) {
        outcome = with_retry_after(std::move(outcome), wait);
    }
    if (refusal == admission::Refusal::elsewhere) {
        outcome.headers += fmt::format("{}: 1\r\n", forwarding::not_here_header);
    }
    return outcome;
}

Outcome elsewhere(model::AccountId account) {
    auto outcome = problem(admission::Refusal::elsewhere, std::chrono::seconds{0});
    outcome.headers +=
        fmt::format("{}: {}\r\n", forwarding::shard_header, store::shard_of(account));
    return outcome;
}

void add_problems(Outcome& outcome, const boost::json::array& problems) {
    if (!problems.empty()) {
        auto document = boost::json::parse(outcome.body);
        document.as_object()["problems"] = problems;
        outcome.body = boost::json::serialize(document);
    }
}

Outcome unauthenticated() {
    auto outcome = problem(401, "unauthenticated",
                           "give an API key as `Authorization: Bearer KEY`, or sign in: there is "
                           "none, or it is not valid any more");
    outcome.headers = "WWW-Authenticate: Bearer\r\n";
    return outcome;
}

Outcome rights_changed() {
    return problem(403, "forbidden", "what you may do has changed since the call began");
}

Outcome account_expired() {
    return problem(403, "account_expired",
                   "the account's validity is over: until an administrator of the server extends "
                   "it, its keys and people can only read");
}

Outcome not_own_request() {
    return problem(403, "forbidden",
                   "a browser's request that changes something needs the header "
                   "`X-Merpati-Request: 1`, and to come from a page of this server");
}

Outcome of_other_site() {
    return problem(403, "forbidden",
                   "this was asked by a page of another site: open the address yourself");
}

Outcome body_too_large() {
    return problem(413, "body_too_large", "the body is larger than this operation takes");
}

Outcome busy() {
    return with_retry_after(
        problem(503, "busy", "too many calls wait, or the server is stopping: try again"), 1s);
}

Outcome too_many_requests() {
    return with_retry_after(problem(429, "too_many_requests",
                                    "too many calls of this account wait: make fewer at once"),
                            1s);
}

Outcome upload_runs() {
    return with_retry_after(
        problem(429, "too_many_requests",
                "another upload of this account has not ended: wait for its end"),
        10s);
}

Outcome rate_exceeded(std::chrono::seconds wait) {
    return with_retry_after(
        problem(429, "too_many_requests",
                "there are more calls than the rate of the account or person lets in: wait"),
        wait);
}

http::Reply reply_of(Outcome outcome, Language language) {
    if (outcome.content_type == problem_type) {
        outcome.body = in_language(outcome.body, language);
        outcome.headers += fmt::format("Content-Language: {}\r\n", to_string(language));
    }
    outcome.headers += "Vary: Accept-Language\r\n";
    return {.status = outcome.status,
            .body = std::move(outcome.body),
            .content_type = outcome.content_type,
            .headers = std::move(outcome.headers)};
}

http::Reply reply_of(Outcome outcome, const http::Request& request) {
    return reply_of(std::move(outcome),
                    language_of(request.header("Accept-Language").value_or("")));
}

}  // namespace merpati::api::manage
