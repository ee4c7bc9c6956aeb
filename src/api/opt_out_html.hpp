// The pages on which people refuse further campaigns, as HTML without scripts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/texts/language.hpp"
#include "http/reply.hpp"

namespace merpati::api {

/// Whom a page is for.
struct OptOutReader {
    std::string account;   // The name; any text.
    std::string number;    // Without its middle.
    bool is_out = false;   // Has refused further campaigns.
    bool is_back = false;  // Has just taken that back.
};

/// The page of a valid link. Its address is that of the request.
[[nodiscard]] http::Reply opt_out_page(const OptOutReader& reader, Language language);

/// 400: the link is not valid. 429: too many such links.
[[nodiscard]] http::Reply bad_link_page(std::uint16_t status, Language language);

}  // namespace merpati::api
