// What a caller may do: the scopes of keys, and the roles of people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace merpati::model {

/// A right within one account; `admin` is the right to the whole server.
enum class Scope : std::uint8_t {
    send,  // POST /v1/send, POST /v1/device/addnew, checks of recipients.
    messages_read,
    messages_manage,
    campaigns_read,  // Campaigns, contacts and suppressions.
    campaigns_manage,
    devices_manage,
    callbacks_manage,
    account_read,
    account_manage,
    admin,
};
inline constexpr std::size_t scopes_count = static_cast<std::size_t>(Scope::admin) + 1;

/// "messages:read"
[[nodiscard]] std::string_view to_string(Scope scope) noexcept;
[[nodiscard]] std::optional<Scope> parse_scope(std::string_view word) noexcept;

/// A set of scopes.
class Scopes {
public:
    constexpr Scopes() = default;
    constexpr Scopes(std::initializer_list<Scope> scopes) noexcept {
        for (const auto scope : scopes) {
            add(scope);
        }
    }
    [[nodiscard]] static constexpr Scopes all() noexcept {
        Scopes scopes;
        scopes.bits_ = (1U << scopes_count) - 1;
        return scopes;
    }

    /// Reads "send,messages:read". Empty if a word is unknown or repeated, or if there is none.
    [[nodiscard]] static std::optional<Scopes> parse(std::string_view text) noexcept;
    [[nodiscard]] std::string text() const;

    constexpr void add(Scope scope) noexcept { bits_ |= bit(scope); }
    [[nodiscard]] constexpr bool has(Scope scope) const noexcept {
        return (bits_ & bit(scope)) != 0;
    }
    [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
    /// Whether it has each of `others`.
    [[nodiscard]] constexpr bool contains(Scopes others) const noexcept {
        return (others.bits_ & ~bits_) == 0;
    }

    /// Those that it has in common with `others`.
    [[nodiscard]] constexpr Scopes among(Scopes others) const noexcept {
        others.bits_ &= bits_;
        return others;
    }

    friend constexpr bool operator==(Scopes, Scopes) = default;

private:
    [[nodiscard]] static constexpr std::uint32_t bit(Scope scope) noexcept {
        return 1U << static_cast<std::uint32_t>(scope);
    }
    std::uint32_t bits_ = 0;
};

/// The scopes that change nothing: what is left to an account's keys and people when its validity
/// is over.
inline constexpr Scopes reading_scopes{Scope::messages_read, Scope::campaigns_read,
                                       Scope::account_read};

/// What a person is in an account.
enum class Role : std::uint8_t {
    owner,      // Everything, keys and people included.
    operator_,  // Messages, devices, callbacks.
    viewer,     // Reads; recipients are masked.
};
/// "owner", "operator", "viewer"
[[nodiscard]] std::string_view to_string(Role role) noexcept;
[[nodiscard]] std::optional<Role> parse_role(std::string_view word) noexcept;

[[nodiscard]] Scopes scopes_of(Role role) noexcept;

}  // namespace merpati::model
