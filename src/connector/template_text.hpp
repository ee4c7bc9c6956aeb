// The texts of a platform's template, as its recipient reads them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "connector/connector.hpp"
#include "model/message.hpp"

namespace merpati::connector {

/// The text with the values in the places of its variables, in their order. `names`: of the
/// variables; empty: they are numbered. The place of a variable that has no value stays as it is.
///
/// Limits: cut, between two characters, at filled_bytes_max, which is more than any platform takes.
[[nodiscard]] std::string filled_text(std::string_view text, std::span<const std::string> names,
                                      std::span<const std::string> values);
inline constexpr std::size_t filled_bytes_max = 16'384;

/// The template with what a message fills it with.
[[nodiscard]] model::SentTemplate sent_template(const MessageTemplate& used,
                                                const model::FilledTemplate& filled);

}  // namespace merpati::connector
