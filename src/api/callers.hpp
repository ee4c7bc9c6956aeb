// Who asks for an operation of the catalogue.
#pragma once

#include <expected>
#include <optional>

#include "admission/directory.hpp"
#include "admission/principal.hpp"
#include "api/manage/problem.hpp"
#include "base/clock.hpp"
#include "http/request.hpp"

namespace merpati::api {

/// Operation: a request that came through the management socket is the local operator's; of the
/// others the `Authorization` header says whose key it is.
///
/// Threads: any; no call blocks.
class Callers {
public:
    Callers(const Clock& clock, const admission::Directory& directory)
        : clock_(clock), directory_(directory) {}

    /// Anyone, where nothing was shown. An outcome: something was, and it opens nothing.
    [[nodiscard]] std::expected<admission::Principal, manage::Outcome> identify(
        const http::Request& request) const;

    /// The same caller as it is now; empty: its key is not valid any more.
    [[nodiscard]] std::optional<admission::Principal> renew(
        const admission::Principal& principal) const;

private:
    const Clock& clock_;
    const admission::Directory& directory_;
};

}  // namespace merpati::api
