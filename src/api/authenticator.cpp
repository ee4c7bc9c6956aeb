#include "api/authenticator.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "admission/checks.hpp"

namespace merpati::api {
namespace {

constexpr std::string_view revision_header(model::Revision revision) {
    return revision == model::Revision::a ? "X-Api-Revision: A\r\n" : "X-Api-Revision: B\r\n";
}

/// The headers of the IETF draft: the policy (50 requests in 1 s), and its state (49 remain, full
/// again in 1 s).
void add_rate_headers(CallResponder& responder, const model::Rate& rate,
                      const RateVerdict& verdict) {
    std::array<char, 160> lines{};
    const auto end = fmt::format_to_n(
        lines.data(), lines.size(),
        "RateLimit-Policy: \"send\";q={};w={}\r\nRateLimit: \"send\";r={};t={}\r\n", rate.count,
        rate.period.count(), verdict.remaining,
        std::chrono::ceil<std::chrono::seconds>(verdict.reset).count());
    responder.add_headers({lines.data(), end.out});
}

bool may_send(const admission::Principal& principal) {
    return principal.key.key->scopes.has(model::Scope::send);
}

}  // namespace

RevisionChoice choose_revision(std::optional<std::string_view> header,
                               std::optional<model::Revision> pinned, const JsonFields* fields,
                               model::Revision server_default) {
    if (const auto named = header ? model::parse_revision(*header) : std::nullopt) {
        return {.revision = *named};
    }
    // An unknown value is refused later. The other rules choose the wording of that refusal.
    RevisionChoice choice{.revision = server_default, .header_unknown = header.has_value()};
    if (pinned) {
        choice.revision = *pinned;
    } else if (fields != nullptr) {
        if (fields->has("message") || fields->has("callbackStatus") || fields->has("typing")) {
            choice.revision = model::Revision::a;
        } else if (fields->has("pesan")) {
            choice.revision = model::Revision::b;
        }
    }
    return choice;
}

void Authenticator::authenticate(const http::Request& request, http::Responder responder,
                                 const Operation& operation, Idempotency::Proceed proceed) const {
    Call call{.operation = &operation,
              .request_id = std::string{request.id},
              .principal = {},
              .fields = {},
              .idempotency = {},
              .responder = CallResponder{std::move(responder), on_refused}};
    if (auto passed = check(request, operation, call); !passed) {
        call.responder.answer(pass(passed));
    } else if (call.idempotency) {
        idempotency_.enter(std::move(call), std::move(proceed));
    } else {
        proceed(std::move(call));
    }
}

Checked<void> Authenticator::check(const http::Request& request, const Operation& operation,
                                   Call& call) const {
    const auto now = clock_.wall_now();
    auto principal = admission::authenticate(request.authorization, directory_, now);
    if (!principal) {
        return pass(principal);
    }
    call.principal = std::move(*principal);
    request.vouch(http::Party::account(call.principal.account().id.value));
    if (!may_send(call.principal)) {
        return refuse(Refusal::scope_missing);
    }
    auto fields = JsonFields::parse(request.body);
    RevisionChoice choice;
    if (operation.has_revisions) {
        choice = choose_revision(request.header("X-Api-Revision"), call.principal.key.key->revision,
                                 fields ? &*fields : nullptr, options_.default_revision);
        call.revision = choice.revision;
        call.responder.set_revision(choice.revision);
        call.responder.add_headers(revision_header(choice.revision));
    }
    if (!fields) {
        return refuse(Refusal::json_invalid);
    }
    call.fields = std::move(*fields);
    if (choice.header_unknown) {
        return refuse(Refusal::revision_unknown);
    }
    if (auto valid = admission::check_validity(call.principal.account(), now); !valid) {
        return pass(valid);
    }
    if (auto within = check_rate(call); !within) {
        return pass(within);
    }
    return operation.idempotent ? read_idempotency_key(request, operation, call) : Checked<void>{};
}

Checked<void> Authenticator::check_rate(Call& call) const {
    const auto& entry = *call.principal.key.account;
    const auto verdict = admission::check_rate(entry, options_.default_rate, clock_.steady_now());
    if (!verdict) {
        return {};
    }
    const auto rate = admission::effective_rate(entry.account, options_.default_rate);
    add_rate_headers(call.responder, *rate, *verdict);
    if (verdict->allowed) {
        return {};
    }
    const auto wait = std::chrono::ceil<std::chrono::seconds>(verdict->retry_after);
    call.responder.add_headers(fmt::format("Retry-After: {}\r\n", wait.count()));
    return refuse(Refusal::rate_exceeded);
}

Checked<void> Authenticator::read_idempotency_key(const http::Request& request,
                                                  const Operation& operation, Call& call) const {
    const auto header = request.header("Idempotency-Key");
    if (!header) {
        return {};
    }
    if (!IdempotencyLedger::is_well_formed(*header)) {
        return refuse(Refusal::idempotency_key_invalid);
    }
    // The answers of the revisions differ, so the revision is part of what identifies a request.
    const auto revision =
        operation.has_revisions ? model::to_string(call.revision) : std::string_view{};
    call.idempotency = idempotency_.record_of(request, *header, revision,
                                              call.principal.account().id, clock_.now());
    return {};
}

std::optional<http::Reply> Authenticator::before_too_large(const http::Request& request) const {
    // The method is not compared: a path of Scope::account has one operation.
    const auto operation = std::ranges::find_if(operations(), [&](const Operation& one) {
        return one.scope == Scope::account && one.path == request.path;
    });
    if (operation == operations().end()) {
        return std::nullopt;
    }
    const auto principal =
        admission::authenticate(request.authorization, directory_, clock_.wall_now());
    const auto refusal = !principal             ? principal.error()
                         : may_send(*principal) ? Refusal::body_too_large
                                                : Refusal::scope_missing;
    if (on_refused) {
        on_refused(refusal);
    }
    auto reply = failure(refusal);
    if (refusal == Refusal::body_too_large && operation->has_revisions) {
        const auto choice =
            choose_revision(request.header("X-Api-Revision"), principal->key.key->revision, nullptr,
                            options_.default_revision);
        reply.headers += revision_header(choice.revision);
    }
    return reply;
}

}  // namespace merpati::api
