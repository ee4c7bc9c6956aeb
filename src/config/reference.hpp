// Texts about the settings for people, made from the table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/load.hpp"
#include "config/settings.hpp"

namespace merpati::config {

/// One line of `merpati config show`. The value of a secret is "***", an unset value is empty.
struct ShownSetting {
    std::string key;
    std::string value;
    std::string origin;  // "default", "merpati.toml:3", "MERPATI_HTTP__LISTEN", "--set"
};

/// Every setting in the order of the table, with those of the named workers.
[[nodiscard]] std::vector<ShownSetting> show(const Loaded& loaded);

/// The same as aligned lines: "http.listen = 127.0.0.1:8080  (default)".
[[nodiscard]] std::string show_text(const Loaded& loaded);

/// A TOML file with every setting at its default, commented out below its sentence.
[[nodiscard]] std::string sample_file();

/// The whole text of docs/configuration.md.
[[nodiscard]] std::string reference_page();

}  // namespace merpati::config
