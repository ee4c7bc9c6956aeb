// Settings from everywhere an operator can say them: flag beats environment beats file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "config/settings.hpp"

namespace merpati::config {

/// Where settings come from. The environment is handed in, never asked for.
struct Sources {
    std::optional<std::filesystem::path> file;       // Named by the operator, so it must exist.
    std::map<std::string, std::string> environment;  // All of it; only MERPATI_A__B is looked at.
    std::vector<std::string> sets;                   // "http.listen=0.0.0.0:80"; the last wins.
    std::filesystem::path working_directory{};       // Empty: the process's own.
    std::vector<std::string_view> connectors{};      // Names that there are; empty: any is taken.
};

/// Where one value came from.
struct Origin {
    enum class Kind : std::uint8_t { fallback, file, environment, flag };
    Kind kind = Kind::fallback;
    std::string text = "default";  // "/etc/merpati.toml:3", "MERPATI_HTTP__LISTEN", "--set"
};

/// By key. Settings that nobody set are not in it.
using Origins = std::map<std::string, Origin, std::less<>>;

struct Loaded {
    Settings settings;
    Origins origins;

    /// The origin of a setting, `fallback` where nobody set it.
    [[nodiscard]] Origin origin(std::string_view key) const;
};

/// Reads all sources, checks each value and what must hold between them, fills in paths that
/// follow from others (store.key_file), and makes all paths absolute: those of the file and of
/// defaults start at the file's folder, those of variables and flags at the working directory, as
/// do all where there is no file, or it is a pipe.
///
/// Errors: io_failed (file), invalid_argument. The detail has one line per mistake, at most 20,
/// each beginning with its place: "merpati.toml:3: http.lisen: no such setting; did you mean
/// http.listen?". Variables that begin with MERPATI_ and hold two underscores must be settings;
/// all others are not ours. Values of secrets are never quoted.
[[nodiscard]] Result<Loaded> load(const Sources& sources);

}  // namespace merpati::config
