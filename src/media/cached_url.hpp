// What is remembered of a URL whose file was fetched.
#pragma once

#include <memory>
#include <string_view>

#include "base/clock.hpp"
#include "media/freshness.hpp"
#include "media/shelf.hpp"
#include "media/sniffer.hpp"
#include "media/types.hpp"

namespace merpati::media {

/// The last fetch of a URL: a file, a declared type that needed none, or a failure.
struct CachedUrl {
    std::string_view failure{};  // One of details.hpp's; empty: the fetch was fine.
    Declared declared{};
    Sniffed content{};
    bool has_file = false;
    std::weak_ptr<const Content> file{};  // Expired: it was removed.
    Freshness freshness{};
    SteadyTime until{};  // Then it has to be asked for anew.
};

}  // namespace merpati::media
