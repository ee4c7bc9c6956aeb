#include "api/manage/engine/change_log.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "api/manage/engine/row_images.hpp"
#include "store/campaigns.hpp"

namespace merpati::api::manage {
namespace {

using Kind = admission::Principal::Kind;

template <class Found>
Result<std::optional<model::AccountId>> account_in(const Result<std::optional<Found>>& found) {
    if (!found) {
        return pass(found);
    }
    return *found ? std::optional{(**found).account} : std::nullopt;
}

/// The account of an object on which an operation may be Operation::recorded_first. Empty: of
/// others too.
Result<std::optional<model::AccountId>> owner_of_named(store::Tables& tables, Resource resource,
                                                       std::string_view id) {
    if (resource == Resource::message) {
        const auto message = model::MessageId::parse(id);
        return message ? tables.owner_of_message(*message, std::nullopt) : std::nullopt;
    }
    if (resource == Resource::device) {
        const auto number = model::PhoneNumber::parse(id);
        return number ? account_in(tables.find_device(*number)) : std::nullopt;
    }
    if (resource == Resource::campaign) {
        const auto campaign = model::CampaignId::parse(id);
        return campaign ? account_in(tables.campaigns().find_campaign(*campaign)) : std::nullopt;
    }
    return std::nullopt;
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

Result<void> LoggedChange::confirm(store::Tables& tables) const {
    if (rooms_.ownership != nullptr && call_.placed &&
        !rooms_.ownership->works_for(*call_.placed)) {
        return fail(ErrorCode::elsewhere, "another node works for the account now");
    }
    return rooms_.rights.confirm(tables, call_.principal);
}

Result<void> LoggedChange::run(store::Tables& tables, Change& change) const {
    if (auto confirmed = confirm(tables); !confirmed) {
        return confirmed;
    }
    const auto known = named_row(tables, operation_.resource, call_.id);
    if (!known) {
        return pass(known);
    }
    auto done = change(tables);
    call_.has_changed = call_.has_changed || done.has_value();
    if (!done || operation_.recorded_first || call_.changed_nothing) {
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
    const auto added = tables.add_audit(made);
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
    if (operation_.resource == Resource::none || operation_.resource == Resource::recipient) {
        if (operation_.needs == model::Scope::admin) {
            return std::nullopt;
        }
        const auto named = call_.fields.peek("account");
        return named ? model::AccountId::parse(*named) : call_.principal.only_account();
    }
    return owner_of_named(tables, operation_.resource, call_.id);
}

Result<void> ChangeLog::begin() {
    return context_.change([this](store::Tables& tables) -> Result<void> {
        if (auto confirmed = logged_.confirm(tables); !confirmed) {
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
        const auto added = tables.add_audit(made);
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
        return tables.end_audit(*begun_, outcome, text_of(call_.did));
    });
}

}  // namespace merpati::api::manage
