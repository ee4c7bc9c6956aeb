#include "api/manage/engine/change_log.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "api/manage/engine/row_images.hpp"
#include "store/campaigns.hpp"

namespace merpati::api::manage {
namespace {

using Kind = admission::Principal::Kind;

/// Whether the path's number is that of a person of an account, which the call names apart.
bool names_person(std::string_view path) {
    return path.starts_with("/v1/contacts/{}") || path.starts_with("/v1/suppressions/{}");
}

std::string text_of(const boost::json::object& shown) {
    return shown.empty() ? std::string{} : boost::json::serialize(shown);
}

/// A single row is logged as its fields, several rows as an object by row name.
void describe(store::AuditEntry& entry, const std::vector<RowImage>& images) {
    if (images.size() == 1) {
        entry.before = text_of(images.front().before);
        entry.after = text_of(images.front().after);
        return;
    }
    boost::json::object before;
    boost::json::object after;
    for (const auto& image : images) {
        if (!image.before.empty()) {
            before[image.object] = image.before;
        }
        if (!image.after.empty()) {
            after[image.object] = image.after;
        }
    }
    entry.before = text_of(before);
    entry.after = text_of(after);
}

}  // namespace

CallerName name_of(const admission::Principal& principal) {
    switch (principal.kind) {
        case Kind::anyone:
            break;
        case Kind::local_operator:
            return {.actor = "local",
                    .actor_name = principal.user ? fmt::format("uid {}", *principal.user) : ""};
        case Kind::api_key:
            return {.actor = principal.key.key->id.text(), .actor_name = principal.key.key->hint};
        case Kind::person:
            return {.actor = principal.person->id.text(), .actor_name = principal.person->email};
    }
    return {.actor = "anyone", .actor_name = {}};
}

Result<void> LoggedChange::run(store::Tables& tables, Change& change) const {
    if (auto confirmed = rooms_.rights.confirm(tables, call_.principal); !confirmed) {
        return confirmed;
    }
    const auto known = named_row(tables, operation_.path, call_.id);
    if (!known) {
        return pass(known);
    }
    if (auto done = change(tables); !done || operation_.recorded_first || call_.changed_nothing) {
        return done;
    }
    const bool of_server = operation_.needs == model::Scope::admin;
    const auto images = images_of(tables.written(), *known, rooms_.directory, rooms_.clock.now(),
                                  of_server ? std::nullopt : call_.account);
    auto made = entry();
    if (!images.empty()) {
        made.object = call_.id.empty() ? images.front().object : call_.id;
        // Changes that administrators make to people are not in the log of an account.
        const bool of_people = of_server && !images.front().account;
        made.account = of_people      ? std::nullopt
                       : made.account ? made.account
                                      : images.front().account;
    }
    describe(made, images);
    const auto added = tables.people().add_audit(made);
    return added ? Result<void>{} : pass(added);
}

store::AuditEntry LoggedChange::entry() const {
    auto caller = name_of(call_.principal);
    store::AuditEntry made{
        .at = rooms_.clock.now(),
        .door = std::string{call_.head.door},
        .actor = std::move(caller.actor),
        .actor_name = std::move(caller.actor_name),
        .account = call_.account,
        .operation = fmt::format("{} {}", http::to_string(operation_.method), operation_.path),
        .object = call_.id,
        .request_id = call_.head.id};
    return made;
}

Context ChangeLog::context() const {
    auto scoped = context_;
    if (operation_.method != http::Method::get) {
        scoped.change = [this](Change change) {
            return context_.change(
                [this, change = std::move(change)](store::Tables& tables) mutable {
                    return logged_.run(tables, change);
                });
        };
    }
    return scoped;
}

/// The account of the object that the call names, or else the account that it is about. Empty:
/// there is no such object, or it belongs to the server.
Result<std::optional<model::AccountId>> ChangeLog::account_meant(store::Tables& tables) const {
    if (operation_.path.starts_with("/v1/campaigns/{}")) {
        const auto id = model::CampaignId::parse(call_.id);
        const auto campaign = id ? tables.campaigns().find_campaign(*id)
                                 : Result<std::optional<model::Campaign>>{std::nullopt};
        if (!campaign) {
            return pass(campaign);
        }
        return *campaign ? std::optional{(**campaign).account} : std::nullopt;
    }
    const bool of_person = names_person(operation_.path);
    if (const auto message = model::MessageId::parse(call_.id)) {
        return tables.owner_of_message(*message);
    }
    if (const auto number = model::PhoneNumber::parse(call_.id); number && !of_person) {
        const auto device = tables.find_device(*number);
        if (!device) {
            return pass(device);
        }
        return *device ? std::optional{(**device).account} : std::nullopt;
    }
    if ((!call_.id.empty() && !of_person) || operation_.needs == model::Scope::admin) {
        return std::nullopt;
    }
    const auto named = call_.fields.peek("account");
    return named ? model::AccountId::parse(*named) : call_.principal.only_account();
}

Result<void> ChangeLog::begin() {
    return context_.change([this](store::Tables& tables) -> Result<void> {
        if (auto confirmed = context_.rights.confirm(tables, call_.principal); !confirmed) {
            return confirmed;
        }
        const auto account = account_meant(tables);
        if (!account) {
            return pass(account);
        }
        auto made = logged_.entry();
        made.account = *account;
        made.outcome.clear();
        const bool may = made.account
                             ? call_.principal.permits(
                                   *made.account, operation_.needs.value_or(model::Scope::admin))
                             : call_.id.empty() && operation_.needs == model::Scope::admin &&
                                   call_.principal.is_administrator();
        if (!may) {
            return {};
        }
        const auto added = tables.people().add_audit(made);
        if (!added) {
            return pass(added);
        }
        begun_ = *added;
        return {};
    });
}

void ChangeLog::end(std::string_view outcome) {
    if (!begun_) {
        return;
    }
    // If this fails, the entry stays without an outcome.
    (void)context_.change([&](store::Tables& tables) {
        return tables.people().end_audit(*begun_, outcome, text_of(call_.did));
    });
}

}  // namespace merpati::api::manage
