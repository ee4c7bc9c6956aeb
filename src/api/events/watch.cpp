#include "api/events/watch.hpp"

#include <expected>
#include <string>
#include <utility>

#include "api/callers.hpp"
#include "api/events/event_hub.hpp"
#include "api/manage/engine/fields.hpp"
#include "api/manage/engine/problem.hpp"
#include "api/meant_account.hpp"
#include "api/routes.hpp"
#include "model/scope.hpp"

namespace merpati::api {
namespace {

constexpr auto needed = model::Scope::messages_read;

std::expected<model::AccountId, manage::Outcome> account_of(const Rooms& rooms,
                                                            const http::Request& request,
                                                            const admission::Principal& principal) {
    auto fields = manage::Fields::of(http::Method::get, request.query, request.body);
    if (!fields) {
        return std::unexpected(manage::problem(fields.error(), false));
    }
    const auto named = fields->account();
    if (auto checked = fields->finish(); !checked) {
        return std::unexpected(manage::problem(checked.error(), false, fields->mistakes()));
    }
    auto meant = find_meant_account(rooms.directory, principal, named, needed);
    if (!meant) {
        return std::unexpected(std::move(meant.error()));
    }
    return (*meant)->account.id;
}

}  // namespace

void watch(const Rooms& rooms, const http::Request& request, admission::Principal principal,
           http::Responder responder) {
    auto account = account_of(rooms, request, principal);
    if (!account) {
        responder.send(manage::reply_of(std::move(account.error()), request));
        return;
    }
    auto stream = rooms.events.open(
        *account, request.header("Last-Event-ID").value_or(""),
        [&rights = rooms.rights, principal = std::move(principal), account = *account] {
            const auto present = rights.renew(principal);
            return present && present->permits(account, needed) ? present->scopes_in(account)
                                                                : model::Scopes{};
        });
    if (stream == nullptr) {
        responder.send(manage::reply_of(manage::too_many_requests(), request));
        return;
    }
    // Asked afterwards, because an account that leaves is marked first, and then its streams end.
    if (!rooms.ownership.works_for(*account)) {
        stream.reset();
        responder.send(manage::reply_of(manage::elsewhere(*account), request));
        return;
    }
    responder.send({.content_type = "text/event-stream",
                    .headers = "Cache-Control: no-store\r\nX-Accel-Buffering: no\r\n",
                    .source = std::move(stream)});
}

}  // namespace merpati::api
