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

}  // namespace merpati::api
