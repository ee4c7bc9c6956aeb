#include "api/callers.hpp"

#include <chrono>
#include <utility>

#include "admission/checks.hpp"
#include "api/manage/engine/manage.hpp"
#include "people/token.hpp"

namespace merpati::api {
namespace {

/// Empty: of the caller nothing is known, or it is the local operator.
std::optional<http::Party> known_party(const admission::Principal& principal) {
    using Kind = admission::Principal::Kind;
    if (principal.kind == Kind::api_key) {
        return http::Party::account(principal.account().id.value);
    }
    if (principal.kind == Kind::person) {
        return http::Party::person(principal.person->id.value);
    }
    return std::nullopt;
}

}  // namespace

std::expected<admission::Principal, manage::Outcome> Callers::admit(
    const http::Request& request, const Operation& operation) const {
    auto principal = identify(request, operation.takes_basic);
    if (!principal) {
        return principal;
    }
    vouch(request, *principal);
    if (auto refusal = manage::Manage::check_scope(operation, *principal)) {
        return std::unexpected(*std::move(refusal));
    }
    if (auto refusal = check_rate(request, *principal)) {
        return std::unexpected(*std::move(refusal));
    }
    return principal;
}

/// Also for a call that is refused afterwards: its connection must count for whoever made it, not
/// for the address, which may be a proxy's.
void Callers::vouch(const http::Request& request, const admission::Principal& principal) {
    if (const auto party = known_party(principal)) {
        request.vouch(*party);
    }
}

http::Party Callers::party_of(const http::Request& request) const {
    const auto principal = identify(request, true);
    const auto known = principal ? known_party(*principal) : std::nullopt;
    return known ? *known : http::Party{app_.client(request)};
}

std::expected<admission::Principal, manage::Outcome> Callers::identify(const http::Request& request,
                                                                       bool takes_basic) const {
    if (request.from_local_socket) {
        return admission::Principal::local(request.peer_user);
    }
    if (request.authorization.empty()) {
        return identify_cookie(request);
    }
    const auto basic = takes_basic ? admission::bearer_of_basic(request.authorization)
                                   : std::optional<std::string>{};
    auto principal = admission::authenticate(
        basic ? std::string_view{*basic} : request.authorization, directory_, clock_.now());
    if (!principal) {
        return std::unexpected(manage::unauthenticated());
    }
    return *std::move(principal);
}

std::expected<admission::Principal, manage::Outcome> Callers::identify_cookie(
    const http::Request& request) const {
    const auto token = session_token(request, app_.is_secure(request));
    const auto digest = token ? people::token_digest(*token) : std::nullopt;
    auto found = digest ? directory_.people().find_session(*digest) : std::nullopt;
    const auto now = clock_.now();
    if (!found || !found->session->is_live(limits_, now)) {
        return admission::Principal{};
    }
    // Some questions have effects outside, such as a check of a recipient at the platform.
    if (is_of_other_site(request)) {
        return std::unexpected(manage::of_other_site());
    }
    const bool asks = request.method == http::Method::get || request.method == http::Method::head;
    if (!asks && !is_own_request(request)) {
        return std::unexpected(manage::not_own_request());
    }
    if (found->session->note_seen(limits_, now) && on_seen) {
        on_seen(found->session->session().id, now);
    }
    return admission::principal_of(*std::move(found), directory_, now);
}

std::optional<manage::Outcome> Callers::check_rate(const http::Request& request,
                                                   const admission::Principal& principal) const {
    const auto verdict = count_call(request, principal);
    if (!verdict || verdict->allowed) {
        return std::nullopt;
    }
    return manage::rate_exceeded(std::chrono::ceil<std::chrono::seconds>(verdict->retry_after));
}

std::optional<RateVerdict> Callers::count_call(const http::Request& request,
                                               const admission::Principal& principal) const {
    using Kind = admission::Principal::Kind;
    const auto now = clock_.steady_now();
    if (principal.kind == Kind::api_key) {
        return admission::check_call_rate(*principal.key.account, default_rate_, now);
    }
    if (principal.kind != Kind::person) {
        return std::nullopt;
    }
    auto& rates = *principal.rates;
    const auto verdict = rates.calls.take(person_calls.count, person_calls.period, now);
    const bool asks = request.method == http::Method::get || request.method == http::Method::head;
    return asks || !verdict.allowed
               ? verdict
               : rates.changes.take(person_changes.count, person_changes.period, now);
}

}  // namespace merpati::api
