// URLs to which callbacks and events are posted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/manage/accounts/limits.hpp"
#include "api/manage/engine/context.hpp"
#include "api/manage/engine/fields.hpp"

namespace merpati::api::manage {

/// Adds the mistake in the field `name` if nothing may be posted to the URL.
inline void check_callback_url(Fields& fields, std::string_view name, std::string_view url,
                               const Context& context) {
    const auto admitted = outbound::admit_url(url, context.callback_schemes, context.policy);
    if (!admitted) {
        fields.mistake(name, "must be a public https URL: " + admitted.error().detail);
    }
}

/// Takes the URL in the field `name`; null is "".
[[nodiscard]] inline std::optional<std::string> take_callback_url(Fields& fields,
                                                                  std::string_view name,
                                                                  const Context& context) {
    if (fields.none(name)) {
        return "";
    }
    auto url = fields.text(name, url_bytes_max);
    if (url) {
        check_callback_url(fields, name, *url, context);
    }
    return url;
}

}  // namespace merpati::api::manage
