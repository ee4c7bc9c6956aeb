// The settings, one row each. Parser, help, sample file and reference page are made from the rows.
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

/// Which part of a value is hidden when it is shown or quoted in an error.
enum class Secrecy : std::uint8_t { open, password_in_url, secret };

/// One setting. `sentence` is text for people; `key` never changes.
struct Row {
    std::string key;            // "http.tls.key"
    std::string_view sentence;  // What the setting does, and what an unset value means.
    std::string_view example;   // Of a setting that is unset by default, and of every list.
    Secrecy secrecy = Secrecy::open;
    std::string type;    // After "must be".
    std::string bounds;  // Empty: none.
    Form form = Form::quoted;
    bool text_only = false;

    /// Sets the member. False, and nothing is set: the value has a wrong form or is out of bounds.
    std::function<bool(Settings&, std::string_view)> assign;
    /// The value in the form that `assign` reads; empty: unset.
    std::function<std::string(const Settings&)> print;

    /// "MERPATI_HTTP__TLS__KEY"
    [[nodiscard]] std::string variable() const;
    /// The value as a file has it: 5, "text" or ["a", "b"].
    [[nodiscard]] std::string in_toml(std::string_view value) const;
    /// The value as it may be shown, with "***" for secrets.
    [[nodiscard]] std::string show(std::string_view value) const;
};

/// All rows in the order of the reference page, grouped by section.
///
/// Threads: any. Built at the first call, and never changed.
[[nodiscard]] std::span<const Row> rows();

/// The row of `workers.NAME.command` or `workers.NAME.socket`, which `rows` leaves out because the
/// operator chooses NAME. Empty: `key` is no such key.
[[nodiscard]] std::optional<Row> worker_row(std::string_view key);
/// The key of such a variable (MERPATI_WORKERS__NAME__COMMAND). Empty: `variable` is none.
[[nodiscard]] std::optional<std::string> worker_key(std::string_view variable);

/// A row of `rows`; null: there is no such setting.
[[nodiscard]] const Row* find_row(std::string_view key);

}  // namespace merpati::config
