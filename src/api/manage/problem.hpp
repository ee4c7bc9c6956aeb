// Failures as the catalogue answers them: RFC 9457, application/problem+json.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "api/manage/fields.hpp"
#include "api/manage/handlers.hpp"
#include "base/error.hpp"
#include "http/reply.hpp"

namespace merpati::api::manage {

inline constexpr std::string_view problem_type = "application/problem+json";

struct LateOutcome;

/// What a call is answered.
struct Outcome {
    std::uint16_t status = 200;
    std::string body;  // JSON; of a failure a problem.
    std::string_view content_type = json_type;
    std::string headers{};                 // Further lines, each "Name: value\r\n".
    std::string code{};                    // Of a failure.
    std::unique_ptr<Lines> lines{};        // Instead of `body`, of an operation that is streamed.
    std::unique_ptr<LateOutcome> later{};  // Instead of everything: the answer comes by it.
};

/// Begins what was asked for; the answer comes once, on any thread.
struct LateOutcome {
    std::move_only_function<void(std::move_only_function<void(Outcome)>)> begin;
};

/// `code` is for programs, `detail` says to people what to do. `mistakes`: of the fields.
[[nodiscard]] Outcome problem(std::uint16_t status, std::string_view code, std::string_view detail,
                              std::span<const Mistake> mistakes = {});

/// Of a fault of ours, only administrators are told the detail: it names files and statements.
[[nodiscard]] Outcome problem(const Error& error, bool for_administrator,
                              std::span<const Mistake> mistakes = {});

/// For who has shown no key and no session, or one that opens nothing.
[[nodiscard]] Outcome unauthenticated();
/// For a browser's request that may come from a page of another site (session_cookie.hpp).
[[nodiscard]] Outcome not_own_request();
[[nodiscard]] Outcome body_too_large();
/// For who must come again: the server's places are taken, or the caller's own.
[[nodiscard]] Outcome busy();
[[nodiscard]] Outcome too_many_requests();
[[nodiscard]] Outcome rate_exceeded(std::chrono::seconds wait);

/// Not of an outcome that is streamed or comes later.
[[nodiscard]] http::Reply reply_of(Outcome outcome);

}  // namespace merpati::api::manage
