// What the platform says of a request that it did not carry out, or of a message that failed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "base/clock.hpp"
#include "outbound/response.hpp"

namespace merpati::connector::cloud {

struct GraphError {
    static constexpr std::int64_t no_code = -1;

    std::uint16_t http_status = 0;  // 0: it came by the webhook.
    std::int64_t code = no_code;    // `no_code`: the answer is not in the platform's form.
    std::int64_t subcode = 0;
    std::string title;
    std::string details;
    std::optional<Millis> retry_after;  // The wait that the platform asked for.
};

/// Reads the answer to a request whose status is not 2xx. Never fails: what is missing stays empty.
[[nodiscard]] GraphError error_of(const outbound::Response& response);

/// Reads one element of a failed status' `errors`.
[[nodiscard]] GraphError error_of(const boost::json::object& error);

/// The longest text that `words_of` makes.
inline constexpr std::size_t words_bytes_max = 256;

/// "CODE TITLE: DETAILS", without control characters, and without anything that may be a token: the
/// platform repeats malformed ones. `token`: the one that was sent; empty: none.
[[nodiscard]] std::string words_of(const GraphError& error, std::string_view token);

}  // namespace merpati::connector::cloud
