// The web app under /app/, answered out of this program's own bytes.
#pragma once

#include <span>
#include <string_view>

#include "http/reply.hpp"
#include "http/request.hpp"
#include "http/router.hpp"
#include "web/asset.hpp"

namespace merpati::web {

/// Answers for a set of assets.
///
/// Operation: files below assets/ have a hash in their name and may be kept for ever; all others
/// are asked for again each time, with their ETag. A path that is no file is one of the app's own
/// pages where a browser asks for a document (`Accept` names text/html), else 404: a mistyped
/// address of the API never answers HTML. Without assets, a page says how to build them.
///
/// Security: the policy that goes with each answer lets nothing run, load or be framed but files
/// of this origin; there are no inline scripts and styles, so it needs no nonce.
///
/// Threads: any. Limits: answers are not copied, whoever reads them and however slowly.
class App {
public:
    /// The assets must outlive it, and be sorted by path.
    explicit App(std::span<const Asset> assets) noexcept : assets_(assets) {}

    /// `request.path` begins with /app/.
    [[nodiscard]] http::Reply answer(const http::Request& request) const;

    /// Adds /app/ and the ways to it. It must outlive the router.
    void add_routes(http::Router& router) const;

private:
    [[nodiscard]] const Asset* find(std::string_view path) const;

    std::span<const Asset> assets_;
};

}  // namespace merpati::web
