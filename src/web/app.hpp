// Serves the web app under /app/, from files that are built into this program.
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
/// Operation: files below assets/ have a hash in their name and may be cached for ever; clients
/// revalidate all others each time, by ETag. A path that is no file is one of the app's own pages
/// if a browser asks for a document (`Accept` names text/html) and gets index.html; otherwise the
/// answer is 404, as for any path below assets/ that is no file. Without assets, every answer is a
/// page that says how to build them.
///
/// Security: the content security policy of each answer permits only scripts, styles and other
/// files of this origin, and images in `data:` URLs. It permits no frames and nothing inline.
///
/// Threads: any. Limits: files are not copied for an answer, so slow clients cost no memory here.
class App {
public:
    /// The assets must outlive it, and be sorted by path.
    explicit App(std::span<const Asset> assets) noexcept : assets_(assets) {}

    /// `request.path` begins with /app/.
    [[nodiscard]] http::Reply answer(const http::Request& request) const;

    /// Adds /app/, and the redirects to it from / and /app. The App must outlive the router.
    void add_routes(http::Router& router) const;

private:
    [[nodiscard]] const Asset* find(std::string_view path) const;

    std::span<const Asset> assets_;
};

}  // namespace merpati::web
