// The columns of exported contacts, which an import reads back.
#pragma once

#include <array>
#include <string_view>

namespace merpati::campaign {

/// The first columns, in this order; those of values follow. An upload that begins with them is
/// taken for an export: its numbers are in the first column, and the apostrophes that keep
/// spreadsheets from taking texts for formulas are removed.
inline constexpr std::array<std::string_view, 6> exported_columns{
    "number", "name", "tags", "consent_source", "consent_at", "consent_text"};

/// Whether an import takes the column for a field of a contact, and not for a value.
[[nodiscard]] bool is_contact_field(std::string_view column);

}  // namespace merpati::campaign
