// The URL of a store: "sqlite:PATH".
#pragma once

#include <optional>
#include <string_view>

namespace merpati::model {

constexpr std::string_view sqlite_scheme = "sqlite:";

/// The PATH of an SQLite store; empty if the URL is not of this form.
[[nodiscard]] constexpr std::optional<std::string_view> sqlite_file(std::string_view url) noexcept {
    return url.starts_with(sqlite_scheme) && url.size() > sqlite_scheme.size()
               ? std::optional{url.substr(sqlite_scheme.size())}
               : std::nullopt;
}

}  // namespace merpati::model
