#include "api/manage/contacts/person_call.hpp"

#include <fmt/format.h>

#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/views.hpp"
#include "base/number.hpp"

namespace merpati::api::manage {
namespace {

using boost::json::object;
using boost::json::value;

constexpr int cursor_rounds = 4;  // As many make a permutation that nobody can tell from chance.

value shown_consent(const std::optional<model::Consent>& consent) {
    if (!consent) {
        return nullptr;
    }
    return {{"source", consent->source}, {"at", to_rfc3339(consent->at)}, {"text", consent->text}};
}

std::string shown_number(model::PhoneNumber number, model::AccountId account,
                         const admission::Principal& viewer) {
    return viewer.sees_masked(account) ? masked(number.text()) : number.text();
}

}  // namespace

Result<model::PhoneNumber> person_of(const Call& call) {
    const auto number = model::PhoneNumber::parse(call.id);
    return number ? Result<model::PhoneNumber>{*number}
                  : fail(ErrorCode::not_found, fmt::format("there is no number {}", call.id));
}

Result<void> check_sees_people(const Call& call, model::AccountId account) {
    return call.principal.sees_masked(account)
               ? fail(ErrorCode::forbidden, "viewers do not see numbers")
               : Result<void>{};
}

Result<AskedPerson> take_asked_person(const Context& context, Call& call) {
    const auto owner = take_own_account(context, call);
    if (!owner) {
        return pass(owner);
    }
    if (auto sees = check_sees_people(call, owner->id); !sees) {
        return pass(sees);
    }
    const auto number = person_of(call);
    return number ? Result<AskedPerson>{{.account = owner->id, .number = *number}} : pass(number);
}

Result<AskedPerson> find_asked_person(store::Tables& tables, Call& call,
                                      const std::optional<std::string>& account) {
    const auto owner = find_own_account(tables, call, account);
    if (!owner) {
        return pass(owner);
    }
    const auto number = person_of(call);
    return number ? Result<AskedPerson>{{.account = owner->id, .number = *number}} : pass(number);
}

std::string NumberCursor::text(model::PhoneNumber number) const {
    return std::to_string(permuted(static_cast<std::uint64_t>(number.value()), Direction::forward));
}

std::optional<model::PhoneNumber> NumberCursor::parse(std::string_view text) const {
    return parse_whole<std::uint64_t>(text).and_then([this](std::uint64_t block) {
        return model::PhoneNumber::parse(std::to_string(permuted(block, Direction::back)));
    });
}

/// A Feistel network over two halves of 32 bits, with the store's keyed digest as its function.
std::uint64_t NumberCursor::permuted(std::uint64_t block, Direction direction) const {
    auto left = static_cast<std::uint32_t>(block >> 32U);
    auto right = static_cast<std::uint32_t>(block);
    for (int step = 0; step < cursor_rounds; ++step) {
        if (direction == Direction::forward) {
            left ^= mixed(step, right);
            std::swap(left, right);
        } else {
            std::swap(left, right);
            left ^= mixed(cursor_rounds - 1 - step, right);
        }
    }
    return std::uint64_t{left} << 32U | right;
}

std::uint32_t NumberCursor::mixed(int round, std::uint32_t half) const {
    const auto digest = store_.fingerprint(fmt::format("number cursor {} {}", round, half));
    std::uint32_t word = 0;
    for (std::size_t place = 0; place < sizeof word; ++place) {
        word = word << 8U | std::to_integer<std::uint32_t>(digest.at(place));
    }
    return word;
}

object view(const model::Contact& contact, const admission::Principal& viewer) {
    object values;
    for (const auto& [name, text] : contact.values) {
        values[name] = text;
    }
    object shown{{"number", shown_number(contact.number, contact.account, viewer)},
                 {"account", contact.account.text()},
                 {"name", text_or_null(contact.name)},
                 {"values", std::move(values)},
                 {"tags", boost::json::array(contact.tags.begin(), contact.tags.end())},
                 {"consent", shown_consent(contact.consent)},
                 {"created_at", to_rfc3339(contact.created_at)},
                 {"updated_at", to_rfc3339(contact.updated_at)}};
    hide_from_viewer(shown, viewer, contact.account, {"values"});
    return shown;
}

object view(const model::Suppression& suppression, const admission::Principal& viewer) {
    return {{"number", shown_number(suppression.number, suppression.account, viewer)},
            {"account", suppression.account.text()},
            {"reason", model::to_string(suppression.reason)},
            {"at", to_rfc3339(suppression.at)},
            {"campaign", text_or_null(suppression.campaign)}};
}

}  // namespace merpati::api::manage
