// Reads the templates of a business account.
#pragma once

#include <string_view>

#include <boost/json/object.hpp>

#include "connector/connector.hpp"

namespace merpati::connector::cloud {

/// The page in the platform's answer; what has no name or language is skipped.
///
/// Limits: templates_max of a page; texts of template_text_bytes_max.
[[nodiscard]] TemplatePage read_templates(const boost::json::object& answer);

inline constexpr std::size_t templates_max = 250;
inline constexpr std::size_t template_text_bytes_max = 8'192;

/// The request for a page, below the version. `name` empty: of all names.
[[nodiscard]] std::string templates_path(std::string_view waba_id, std::string_view name,
                                         std::string_view cursor);

}  // namespace merpati::connector::cloud
