// The URL of a store: "sqlite:PATH" or "postgresql://…".
#pragma once

#include <optional>
#include <string_view>

namespace merpati::model {

constexpr std::string_view sqlite_scheme = "sqlite:";
constexpr std::string_view postgresql_scheme = "postgresql://";

/// The PATH of an SQLite store; empty if the URL is not of this form.
[[nodiscard]] constexpr std::optional<std::string_view> sqlite_file(std::string_view url) noexcept {
    return url.starts_with(sqlite_scheme) && url.size() > sqlite_scheme.size()
               ? std::optional{url.substr(sqlite_scheme.size())}
               : std::nullopt;
}

/// Whether the URL names a store in PostgreSQL. Such a URL may hold a password.
[[nodiscard]] constexpr bool is_postgresql(std::string_view url) noexcept {
    return url.starts_with(postgresql_scheme) && url.size() > postgresql_scheme.size();
}

}  // namespace merpati::model
