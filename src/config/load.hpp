// Loads settings from file, environment and flags; a flag beats a variable, which beats the file.
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

/// Where settings come from. The caller passes the environment; `load` does not read the process's.
struct Sources {
    std::optional<std::filesystem::path> file;       // Named by the operator, so it must exist.
    std::map<std::string, std::string> environment;  // All variables; only MERPATI_A__B are read.
    std::vector<std::string> sets;                   // "http.listen=0.0.0.0:80"; the last wins.
    std::filesystem::path working_directory{};       // Empty: the process's own.
    std::vector<std::string_view> connectors{};      // Built-in names; empty: do not check names.
};

/// Where one value came from.
struct Origin {
    enum class Kind : std::uint8_t { fallback, file, environment, flag };
    Kind kind = Kind::fallback;
    std::string text = "default";  // "/etc/merpati.toml:3", "MERPATI_HTTP__LISTEN", "--set"
};

/// By key; without the settings that no source sets.
using Origins = std::map<std::string, Origin, std::less<>>;

struct Loaded {
    Settings settings;
    Origins origins;

    /// The origin of a setting; `fallback` if no source sets it.
    [[nodiscard]] Origin origin(std::string_view key) const;
};

/// Reads all sources. Checks each value, and then the values against each other. Fills in paths
/// that follow from others (store.key_file, media.folder), and makes all paths absolute: paths of
/// the file and defaults start at the file's folder, those of variables and flags at the working
/// directory. Without a file, or if it is a pipe, all start at the working directory.
///
/// Variables that begin with MERPATI_ and have two underscores after it must be settings; all
/// others are ignored.
///
/// Errors: io_failed (file), invalid_argument. The detail has one line for each mistake, at most 20
/// and how many more there are. Each begins with its place: "merpati.toml:3: http.lisen: no such
/// setting; did you mean http.listen?". Values of secrets are never quoted.
[[nodiscard]] Result<Loaded> load(const Sources& sources);

}  // namespace merpati::config
