// The settings, one row each. Parser, help, sample file and reference page come from these rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/kind.hpp"
#include "config/settings.hpp"

namespace merpati::config {

/// What of a value is hidden when it is shown or named in an error.
enum class Secrecy : std::uint8_t { open, password_in_url, secret };

/// One setting. Texts are complete sentences for people; `key` never changes.
struct Row {
    std::string key;            // "http.tls.key"
    std::string_view sentence;  // What it does, what an unset value means.
    std::string_view example;   // For the sample file, where the default is unset; of any list.
    Secrecy secrecy = Secrecy::open;
    std::string type;    // After "must be".
    std::string bounds;  // Empty: none.
    Form form = Form::quoted;
    bool text_only = false;

    /// Sets the member; false (and nothing set) when the value is not of the type or out of bounds.
    std::function<bool(Settings&, std::string_view)> assign;
    /// The value as `assign` reads it; empty: unset.
    std::function<std::string(const Settings&)> print;

    /// "MERPATI_HTTP__TLS__KEY"
    [[nodiscard]] std::string variable() const;
    /// The value as it is written in a file: 5, "text" or ["a", "b"].
    [[nodiscard]] std::string in_toml(std::string_view value) const;
    /// The value as it may be shown: secrets as "***".
    [[nodiscard]] std::string show(std::string_view value) const;
};

/// All rows, those of a section together, in the order of the reference page.
///
/// Threads: any; built at the first call, never changed.
[[nodiscard]] std::span<const Row> rows();

/// The row of `workers.NAME.command` or `.socket`, which are not among the others: NAME is the
/// operator's choice.
/// Empty: `key` is none.
[[nodiscard]] std::optional<Row> worker_row(std::string_view key);
/// Its key, by its variable (MERPATI_WORKERS__NAME__COMMAND). Empty: `variable` is none.
[[nodiscard]] std::optional<std::string> worker_key(std::string_view variable);

/// Null when there is no such setting.
[[nodiscard]] const Row* find_row(std::string_view key);

}  // namespace merpati::config
