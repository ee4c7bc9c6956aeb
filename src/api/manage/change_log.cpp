#include "api/manage/change_log.hpp"

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "admission/checks.hpp"
#include "api/manage/row_images.hpp"

namespace merpati::api::manage {
namespace {

using Kind = admission::Principal::Kind;

std::unexpected<Error> not_any_more() {
    return fail(ErrorCode::forbidden,
                "what you may do has changed a moment ago: nothing was changed");
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

Context ChangeLog::context() const {
    auto scoped = context_;
    if (operation_.method != http::Method::get) {
        scoped.change = [this](Run run) {
            return context_.change([this, run = std::move(run)](store::Tables& tables) mutable {
                return change(tables, run);
            });
        };
    }
    return scoped;
}

Result<void> ChangeLog::change(store::Tables& tables, Run& run) const {
    if (auto checked = check_caller(tables); !checked) {
        return checked;
    }
    const auto known = named_row(tables, operation_.path, call_.id);
    if (!known) {
        return pass(known);
    }
    if (auto done = run(tables); !done || operation_.recorded_first) {
        return done;
    }
    const bool of_server = operation_.needs == model::Scope::admin;
    const auto now = context_.clock.now();
    const auto images = images_of(tables.written(), *known, context_.directory, now,
                                  of_server || !operation_.needs ? std::nullopt : call_.account);
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

Result<void> ChangeLog::check_caller(store::Tables& tables) const {
    const auto& principal = call_.principal;
    if (principal.kind == Kind::api_key) {
        const auto key = tables.find_key(principal.key.key->id);
        if (!key) {
            return pass(key);
        }
        const auto now = context_.clock.now();
        if (!*key || !admission::is_live(**key, now)) {
            return not_any_more();
        }
        const auto account = tables.find_account((**key).account);
        if (!account) {
            return pass(account);
        }
        const bool is_valid = *account && admission::check_validity(**account, now);
        return is_valid ? Result<void>{} : not_any_more();
    }
    if (principal.kind == Kind::person && principal.session != nullptr) {
        const auto session = tables.people().find_session(principal.session->session().id);
        if (!session) {
            return pass(session);
        }
        const auto person = tables.people().find_person(principal.person->id);
        if (!person) {
            return pass(person);
        }
        const bool is_same = *session && *person &&
                             (**person).is_admin == principal.person->is_admin &&
                             (**person).memberships == principal.person->memberships;
        return is_same ? Result<void>{} : not_any_more();
    }
    return {};
}

store::AuditEntry ChangeLog::entry() const {
    const auto& principal = call_.principal;
    store::AuditEntry made{
        .at = context_.clock.now(),
        .door = std::string{call_.head.door},
        .account = call_.account,
        .operation = fmt::format("{} {}", http::to_string(operation_.method), operation_.path),
        .object = call_.id,
        .request_id = call_.head.id};
    switch (principal.kind) {
        case Kind::anyone:
            made.actor = "anyone";
            break;
        case Kind::local_operator:
            made.actor = "local";
            made.actor_name = principal.user ? fmt::format("uid {}", *principal.user) : "";
            break;
        case Kind::api_key:
            made.actor = principal.key.key->id.text();
            made.actor_name = principal.key.key->hint;
            break;
        case Kind::person:
            made.actor = principal.person->id.text();
            made.actor_name = principal.person->email;
            break;
    }
    return made;
}

/// The account of the object that the call names, or else the account that it is about. Empty:
/// there is no such object, or it belongs to the server.
Result<std::optional<model::AccountId>> ChangeLog::account_meant(store::Tables& tables) const {
    if (const auto message = model::MessageId::parse(call_.id)) {
        return tables.owner_of_message(*message);
    }
    if (const auto number = model::PhoneNumber::parse(call_.id)) {
        const auto device = tables.find_device(*number);
        if (!device) {
            return pass(device);
        }
        return *device ? std::optional{(**device).account} : std::nullopt;
    }
    if (!call_.id.empty() || operation_.needs == model::Scope::admin) {
        return std::nullopt;
    }
    const auto named = call_.fields.peek("account");
    return named ? model::AccountId::parse(*named) : call_.principal.only_account();
}

Result<void> ChangeLog::begin() {
    return context_.change([this](store::Tables& tables) -> Result<void> {
        if (auto checked = check_caller(tables); !checked) {
            return checked;
        }
        const auto account = account_meant(tables);
        if (!account) {
            return pass(account);
        }
        auto made = entry();
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
