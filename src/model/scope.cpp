#include "model/scope.hpp"

#include <array>

namespace merpati::model {
namespace {

constexpr std::array scopes{Scope::send,
                            Scope::messages_read,
                            Scope::messages_manage,
                            Scope::campaigns_read,
                            Scope::campaigns_manage,
                            Scope::devices_manage,
                            Scope::callbacks_manage,
                            Scope::account_read,
                            Scope::account_manage,
                            Scope::admin};
static_assert(scopes.size() == scopes_count);

}  // namespace

std::string_view to_string(Scope scope) noexcept {
    switch (scope) {
        case Scope::send:
            return "send";
        case Scope::messages_read:
            return "messages:read";
        case Scope::messages_manage:
            return "messages:manage";
        case Scope::campaigns_read:
            return "campaigns:read";
        case Scope::campaigns_manage:
            return "campaigns:manage";
        case Scope::devices_manage:
            return "devices:manage";
        case Scope::callbacks_manage:
            return "callbacks:manage";
        case Scope::account_read:
            return "account:read";
        case Scope::account_manage:
            return "account:manage";
        case Scope::admin:
            return "admin";
    }
    return "unknown";
}

std::optional<Scope> parse_scope(std::string_view word) noexcept {
    for (const auto scope : scopes) {
        if (word == to_string(scope)) {
            return scope;
        }
    }
    return std::nullopt;
}

std::optional<Scopes> Scopes::parse(std::string_view text) noexcept {
    Scopes parsed;
    while (true) {
        const auto end = text.find(',');
        const auto scope = parse_scope(text.substr(0, end));
        if (!scope || parsed.has(*scope)) {
            return std::nullopt;
        }
        parsed.add(*scope);
        if (end == std::string_view::npos) {
            return parsed;
        }
        text.remove_prefix(end + 1);
    }
}

std::string Scopes::text() const {
    std::string text;
    for (const auto scope : scopes) {
        if (has(scope)) {
            text.append(text.empty() ? "" : ",").append(to_string(scope));
        }
    }
    return text;
}

std::string_view to_string(Role role) noexcept {
    switch (role) {
        case Role::owner:
            return "owner";
        case Role::operator_:
            return "operator";
        case Role::viewer:
            return "viewer";
    }
    return "unknown";
}

std::optional<Role> parse_role(std::string_view word) noexcept {
    for (const auto role : {Role::owner, Role::operator_, Role::viewer}) {
        if (word == to_string(role)) {
            return role;
        }
    }
    return std::nullopt;
}

Scopes scopes_of(Role role) noexcept {
    switch (role) {
        case Role::owner:
            return {Scope::send,
                    Scope::messages_read,
                    Scope::messages_manage,
                    Scope::campaigns_read,
                    Scope::campaigns_manage,
                    Scope::devices_manage,
                    Scope::callbacks_manage,
                    Scope::account_read,
                    Scope::account_manage};
        case Role::operator_:
            return {Scope::send,
                    Scope::messages_read,
                    Scope::messages_manage,
                    Scope::campaigns_read,
                    Scope::campaigns_manage,
                    Scope::devices_manage,
                    Scope::callbacks_manage,
                    Scope::account_read};
        case Role::viewer:
            return {Scope::messages_read, Scope::campaigns_read, Scope::account_read};
    }
    return {};
}

}  // namespace merpati::model
