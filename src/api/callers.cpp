#include "api/callers.hpp"

#include "admission/checks.hpp"

namespace merpati::api {

std::expected<admission::Principal, manage::Outcome> Callers::identify(
    const http::Request& request) const {
    if (request.from_local_socket) {
        return admission::Principal::local();
    }
    if (request.authorization.empty()) {
        return admission::Principal{};
    }
    auto principal = admission::authenticate(request.authorization, directory_, clock_.now());
    if (!principal) {
        return std::unexpected(manage::unauthenticated());
    }
    request.vouch();
    return *std::move(principal);
}

std::optional<admission::Principal> Callers::renew(const admission::Principal& principal) const {
    using Kind = admission::Principal::Kind;
    switch (principal.kind) {
        case Kind::anyone:
        case Kind::local_operator:
        case Kind::person:
            return principal;
        case Kind::api_key: {
            auto found = directory_.find_key(principal.key.key->digest);
            if (!found || !admission::is_live(*found->key, clock_.now())) {
                return std::nullopt;
            }
            return admission::Principal::of(*std::move(found));
        }
    }
    return std::nullopt;
}

}  // namespace merpati::api
