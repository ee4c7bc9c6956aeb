#include "api/callers.hpp"

#include <chrono>
#include <utility>

#include "admission/checks.hpp"
#include "api/manage/manage.hpp"
#include "people/token.hpp"

namespace merpati::api {

std::expected<admission::Principal, manage::Outcome> Callers::admit(
    const http::Request& request, const Operation& operation) const {
    auto principal = identify(request);
    if (!principal) {
        return principal;
    }
    if (auto refusal = manage::Manage::check_scope(operation, *principal)) {
        return std::unexpected(*std::move(refusal));
    }
    if (auto refusal = check_rate(*principal)) {
        return std::unexpected(*std::move(refusal));
    }
    return principal;
}

std::expected<admission::Principal, manage::Outcome> Callers::identify(
    const http::Request& request) const {
    if (request.from_local_socket) {
        return admission::Principal::local(request.peer_user);
    }
    if (request.authorization.empty()) {
        return identify_cookie(request);
    }
    auto principal = admission::authenticate(request.authorization, directory_, clock_.now());
    if (!principal) {
        return std::unexpected(manage::unauthenticated());
    }
    request.vouch();
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
    const bool asks = request.method == http::Method::get || request.method == http::Method::head;
    if (!asks && !is_own_request(request)) {
        return std::unexpected(manage::not_own_request());
    }
    request.vouch();
    if (found->session->note_seen(limits_, now) && on_seen) {
        on_seen(found->session->session().id, now);
    }
    return admission::Principal::of(*std::move(found));
}

std::optional<manage::Outcome> Callers::check_rate(const admission::Principal& principal) const {
    if (principal.kind != admission::Principal::Kind::api_key) {
        return std::nullopt;
    }
    const auto verdict =
        admission::check_call_rate(*principal.key.account, default_rate_, clock_.steady_now());
    if (!verdict || verdict->allowed) {
        return std::nullopt;
    }
    return manage::rate_exceeded(std::chrono::ceil<std::chrono::seconds>(verdict->retry_after));
}

std::optional<admission::Principal> Callers::renew(const admission::Principal& principal) const {
    using Kind = admission::Principal::Kind;
    switch (principal.kind) {
        case Kind::anyone:
        case Kind::local_operator:
            return principal;
        case Kind::api_key: {
            auto found = directory_.find_key(principal.key.key->digest);
            if (!found || !admission::is_live(*found->key, clock_.now())) {
                return std::nullopt;
            }
            return admission::principal_of(*std::move(found), clock_.now());
        }
        case Kind::person: {
            auto found = directory_.people().find_session(principal.session->session().digest);
            if (!found || !found->session->is_live(limits_, clock_.now())) {
                return std::nullopt;
            }
            return admission::Principal::of(*std::move(found));
        }
    }
    return std::nullopt;
}

}  // namespace merpati::api
