#include "api/manage/people/person_fields.hpp"

#include <fmt/format.h>

#include "people/email.hpp"
#include "people/password.hpp"
#include "store/people.hpp"

namespace merpati::api::manage {
namespace {

/// What a path names a person by. Both empty: nobody.
struct PersonName {
    explicit PersonName(std::string_view id) {
        if (id.contains('@')) {
            email = people::normalised_email(id);
        } else {
            number = model::PersonId::parse(id);
        }
    }
    std::optional<model::PersonId> number;
    std::optional<std::string> email;
};

std::unexpected<Error> no_person(std::string_view id) {
    return fail(ErrorCode::not_found, fmt::format("there is no person {}", id));
}

}  // namespace

std::string take_email(Fields& fields) {
    const auto text = fields.required_text("email", people::email_bytes_max + 2);
    auto email = people::normalised_email(text);
    if (!text.empty() && !email) {
        fields.mistake("email", "must be an e-mail address");
    }
    return std::move(email).value_or("");
}

std::optional<std::string> take_password(Fields& fields, std::string_view name) {
    return fields.text(name, people::password_bytes_max);
}

Result<NewPassword> hash_password(const Context& context, Fields& fields, std::string_view name,
                                  const std::optional<std::string>& given, std::string_view email) {
    NewPassword made;
    if (!given) {
        made.made = people::make_password(context.random);
    } else if (auto checked = people::check_password(*given, email); !checked) {
        fields.mistake(name, checked.error().detail);
        return pass(fields.finish());
    }
    auto hash = context.people.sign_in.hasher().hash(given ? *given : *made.made);
    if (!hash) {
        return pass(hash);
    }
    made.hash = std::move(*hash);
    return made;
}

Result<model::Person> find_person(store::Tables& tables, std::string_view id) {
    const PersonName name{id};
    if (!name.number && !name.email) {
        return no_person(id);
    }
    auto found = name.number ? tables.people().find_person(*name.number)
                             : tables.people().find_person(*name.email);
    if (!found) {
        return pass(found);
    }
    return *found ? Result<model::Person>{**std::move(found)} : no_person(id);
}

Result<std::shared_ptr<const model::Person>> find_person(const admission::Directory& directory,
                                                         std::string_view id) {
    const PersonName name{id};
    auto found = name.number  ? directory.people().find(*name.number)
                 : name.email ? directory.people().find(*name.email)
                              : nullptr;
    return found != nullptr ? Result<std::shared_ptr<const model::Person>>{std::move(found)}
                            : no_person(id);
}

boost::json::object view(const model::Membership& membership) {
    return {{"account", membership.account.text()},
            {"role", model::to_string(membership.role)},
            {"since", to_rfc3339(membership.since)}};
}

boost::json::object view(const model::Person& person) {
    boost::json::array memberships;
    for (const auto& membership : person.memberships) {
        memberships.push_back(view(membership));
    }
    return {{"id", person.id.text()},
            {"email", person.email},
            {"admin", person.is_admin},
            {"has_password", !person.password_hash.empty()},
            {"totp", person.has_second_factor},
            {"memberships", std::move(memberships)},
            {"created_at", to_rfc3339(person.created_at)}};
}

}  // namespace merpati::api::manage
