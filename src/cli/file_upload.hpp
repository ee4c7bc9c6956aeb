// Uploads a file as the body of a call.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "cli/session.hpp"

namespace merpati::cli {

/// POSTs the file, or standard input for "-", with a progress line on a terminal. `target` may have
/// a query. Errors: those of BodyFile and of the operation.
///
/// Limits: the file may have any size, and is read in pieces.
[[nodiscard]] Result<boost::json::value> upload_file(Session& session, const std::string& target,
                                                     const std::string& path);

/// The media type that the file's name tells: CSV or JSON; a list of unknown form otherwise.
[[nodiscard]] std::string_view type_of_list(std::string_view path);

}  // namespace merpati::cli
