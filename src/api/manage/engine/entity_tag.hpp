// ETag, If-Match and If-None-Match of the catalogue's resources (RFC 9110, section 13).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <boost/json/object.hpp>

#include "api/manage/engine/call.hpp"
#include "base/error.hpp"

namespace merpati::api::manage {

/// A strong validator in two parts, "EDITED.WHOLE": a digest of the fields `edited`, and a digest
/// of the whole representation. Some fields change by themselves, such as an account's credit. That
/// makes a cached copy stale, but not an edit that a client has prepared. So If-None-Match compares
/// both parts, and If-Match compares the first.
[[nodiscard]] std::string entity_tag(const boost::json::object& shown,
                                     std::span<const std::string_view> edited);

/// Whether a conditional GET is answered 304: the If-None-Match `header` is "*" or lists the tag.
[[nodiscard]] bool is_unmodified(std::string_view header, std::string_view tag);

/// Checks If-Match, inside the transaction of a change. `shown` is the resource as that sees it.
/// Errors: precondition_failed.
[[nodiscard]] Result<void> check_match(const Call& call, const boost::json::object& shown);

/// The record that was found for a change, if If-Match allows that. `show` answers the resource of
/// a record. Errors: those of `found`, and of check_match.
template <class Record, class Show>
[[nodiscard]] Result<Record> matching(const Call& call, Result<Record> found, Show show) {
    if (!found) {
        return found;
    }
    auto matched = check_match(call, show(*found));
    return matched ? std::move(found) : pass(matched);
}

}  // namespace merpati::api::manage
