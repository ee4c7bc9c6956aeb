// ETag, If-Match and If-None-Match of the catalogue's resources (RFC 9110, section 13).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/manage/call.hpp"
#include "base/error.hpp"

namespace merpati::api::manage {

/// A strong validator in two parts, "EDITED.WHOLE": a digest of the fields that callers can change,
/// and one of the whole representation. A resource has figures that change by themselves, such as
/// an account's credit: a cached copy is stale when they do, a change that somebody has prepared is
/// not. So If-None-Match is judged by both parts, If-Match by the first.
[[nodiscard]] std::string entity_tag(const boost::json::object& shown,
                                     std::span<const std::string_view> edited);

/// Whether a conditional GET is answered 304: `header` is "*", or lists the tag.
[[nodiscard]] bool is_unmodified(std::string_view header, std::string_view tag);

/// Of a change, inside its transaction: `shown` is the resource as it is there.
/// Errors: precondition_failed.
[[nodiscard]] Result<void> check_match(const Call& call, const boost::json::object& shown);

}  // namespace merpati::api::manage
