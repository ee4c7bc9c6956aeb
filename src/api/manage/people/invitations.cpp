// Invitations of people to an account, as its owners manage them.
#include <fmt/format.h>

#include "api/manage/engine/change_log.hpp"
#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "api/manage/people/membership.hpp"
#include "api/manage/people/person_fields.hpp"
#include "people/token.hpp"
#include "store/people.hpp"

namespace merpati::api::manage::invitations {
namespace {

using boost::json::value;
using model::Invitation;

/// How long an invitation can be accepted.
constexpr std::chrono::days lasts{7};

}  // namespace

Result<value> list(const Context& context, Call& call) {
    const auto owner = take_own_account(context, call);
    if (!owner) {
        return pass(owner);
    }
    const auto found = context.read([&](store::Reader& reader) {
        return reader.people().invitations(owner->id, context.clock.now());
    });
    if (!found) {
        return pass(found);
    }
    boost::json::array items;
    for (const auto& invitation : *found) {
        items.push_back(view(invitation));
    }
    return page(std::move(items));
}

/// The answer does not tell whether the server knows the address.
Result<value> create(const Context& context, Call& call) {
    auto& fields = call.fields;
    const auto account = fields.account();
    const auto email = take_email(fields);
    const auto role = take_role(fields);
    if (auto checked = fields.finish(); !checked) {
        return pass(checked);
    }
    const auto now = context.clock.now();
    const auto token = people::make_token(context.random);
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<Invitation> {
            const auto owner = find_own_account(tables, call, account);
            if (!owner) {
                return pass(owner);
            }
            if (auto allowed = check_grant(call, owner->id, *role); !allowed) {
                return pass(allowed);
            }
            if (const auto known = find_new_member(tables, owner->id, email); !known) {
                return pass(known);
            }
            const auto inviter = name_of(call.principal);
            return tables.people().put_invitation({.id = {},
                                                   .account = owner->id,
                                                   .email = email,
                                                   .role = *role,
                                                   .digest = *people::token_digest(token),
                                                   .inviter = inviter.actor,
                                                   .inviter_name = inviter.actor_name,
                                                   .created_at = now,
                                                   .expires_at = now + lasts});
        },
        [&](const Invitation& made) {
            auto shown = view(made);
            shown["url"] = fmt::format("{}/app/invitation#{}", context.people.app_url(), token);
            return shown;
        });
}

Result<value> revoke(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto now = context.clock.now();
    return context.commit_and_show(
        [&](store::Tables& tables) -> Result<Invitation> {
            const auto missing =
                fail(ErrorCode::not_found, fmt::format("there is no invitation {}", call.id));
            const auto id = model::InvitationId::parse(call.id);
            const auto found = id ? tables.people().find_invitation(*id, now)
                                  : Result<std::optional<Invitation>>{std::nullopt};
            if (!found) {
                return pass(found);
            }
            if (!*found) {
                return missing;
            }
            if (auto allowed = check_right(call, (**found).account, missing); !allowed) {
                return pass(allowed);
            }
            if (auto removed = tables.people().remove_invitation(*id); !removed) {
                return pass(removed);
            }
            return **found;
        },
        [](const Invitation& removed) { return view(removed); });
}

}  // namespace merpati::api::manage::invitations
