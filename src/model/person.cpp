#include "model/person.hpp"

#include <algorithm>

namespace merpati::model {

std::optional<Role> Person::role_in(AccountId account) const noexcept {
    const auto found = std::ranges::find(memberships, account, &Membership::account);
    return found == memberships.end() ? std::nullopt : std::optional{found->role};
}

std::string_view to_string(SignIn by) noexcept {
    switch (by) {
        case SignIn::password:
            return "password";
        case SignIn::link:
            return "link";
    }
    return "unknown";
}

}  // namespace merpati::model
