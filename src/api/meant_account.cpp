#include "api/meant_account.hpp"

#include <utility>

#include <fmt/format.h>

#include "api/manage/engine/fields.hpp"
#include "api/manage/engine/lookup.hpp"

namespace merpati::api {

std::expected<std::shared_ptr<const admission::AccountEntry>, manage::Outcome> find_meant_account(
    const admission::Directory& directory, const admission::Principal& caller,
    const std::optional<std::string>& named, model::Scope needed) {
    const auto account = named ? model::AccountId::parse(*named) : caller.only_account();
    if (!named && !account) {
        manage::Fields fields;
        fields.mistake("account", std::string{manage::account_needed});
        return std::unexpected(manage::problem(fields.finish().error(), false, fields.mistakes()));
    }
    auto entry = account && caller.knows(*account) ? directory.find_account(*account) : nullptr;
    if (entry == nullptr) {
        return std::unexpected(manage::problem(
            404, "not_found", "there is no account " + named.value_or(std::string{})));
    }
    if (!caller.permits(*account, needed)) {
        return std::unexpected(manage::problem(
            403, "forbidden", fmt::format("this needs the scope {}", model::to_string(needed))));
    }
    return entry;
}

}  // namespace merpati::api
