#include "web/app.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "web/accepts.hpp"

namespace merpati::web {
namespace {

constexpr std::string_view root = "/app/";
constexpr std::string_view index_path = "index.html";
constexpr std::string_view html = "text/html; charset=utf-8";

/// Whether it may be cached for ever: its name changes with its content.
bool is_hashed(const Asset& asset) {
    return asset.path.starts_with("assets/");
}

void protect(http::Reply& reply) {
    reply.add_header("Content-Security-Policy",
                     "default-src 'none'; script-src 'self'; style-src 'self'; "
                     "img-src 'self' data:; font-src 'self'; connect-src 'self'; "
                     "manifest-src 'self'; base-uri 'none'; form-action 'self'; "
                     "frame-ancestors 'none'");
    reply.add_header("X-Frame-Options", "DENY");
    reply.add_header("Referrer-Policy", "same-origin");
    reply.add_header("Cross-Origin-Opener-Policy", "same-origin");
    reply.add_header("Cross-Origin-Resource-Policy", "same-origin");
    reply.add_header("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
}

/// A page without scripts and styles.
http::Reply page(std::uint16_t status, std::string_view text) {
    http::Reply reply{.status = status, .static_body = text, .content_type = html};
    reply.add_header("Cache-Control", "no-store");
    protect(reply);
    return reply;
}

http::Reply missing_app() {
    return page(404, R"(<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Merpati</title>
<h1>The web app is not in this build</h1>
<p>The gateway runs; only its pages are missing, because Node was not there when it was built.
With Node 20.19 or newer, run <code>./dev build</code>, or <code>npm ci</code> and
<code>npm run build</code> in <code>web/</code>, then build the gateway again.</p>
<h2 lang="id">Aplikasi web tidak ada di program ini</h2>
<p lang="id">Gateway berjalan; hanya halamannya yang tidak ada, karena Node tidak tersedia saat
program dibuat. Dengan Node 20.19 atau lebih baru, jalankan <code>./dev build</code>.</p>
</html>
)");
}

http::Reply not_found() {
    return page(404, "<!doctype html>\n<title>404</title>\n<p>There is no such file.</p>\n");
}

http::Reply redirect(std::string_view target) {
    http::Reply reply{.status = 302, .content_type = html};
    reply.add_header("Location", target);
    reply.add_header("Cache-Control", "no-cache");
    protect(reply);
    return reply;
}

/// A file in one content coding. Each form has its own ETag.
struct Form {
    std::string_view bytes;
    std::string_view coding;
};

/// The first form that the client accepts: Brotli, gzip, plain.
Form form_of(const Asset& asset, std::string_view codings) {
    for (const auto& form : {Form{asset.brotli, "br"}, Form{asset.gzip, "gzip"}}) {
        if (!form.bytes.empty() && accepts(codings, form.coding)) {
            return form;
        }
    }
    return {asset.plain, {}};
}

http::Reply file(const Asset& asset, const http::Request& request) {
    http::Reply reply{.content_type = asset.content_type};
    const auto form = form_of(asset, request.header("Accept-Encoding").value_or(""));
    std::string tag{'"'};
    tag.append(asset.hash).append(form.coding).append("\"");
    reply.add_header("ETag", tag);
    reply.add_header("Cache-Control",
                     is_hashed(asset) ? "public, max-age=31536000, immutable" : "no-cache");
    if (!asset.gzip.empty() || !asset.brotli.empty()) {
        reply.add_header("Vary", "Accept-Encoding");
    }
    protect(reply);
    if (names_tag(request.header("If-None-Match").value_or(""), tag)) {
        reply.status = 304;
        return reply;
    }
    if (!form.coding.empty()) {
        reply.add_header("Content-Encoding", form.coding);
    }
    reply.static_body = form.bytes;
    return reply;
}

}  // namespace

const Asset* App::find(std::string_view path) const {
    const auto found = std::ranges::lower_bound(assets_, path, {}, &Asset::path);
    return found != assets_.end() && found->path == path ? &*found : nullptr;
}

http::Reply App::answer(const http::Request& request) const {
    const auto path = request.path.substr(root.size());
    const auto* const asset = find(path);
    if (asset != nullptr && !path.empty()) {
        return file(*asset, request);
    }
    const bool is_page =
        path.empty() || accepts(request.header("Accept").value_or(""), "text/html");
    const auto* const index = find(index_path);
    if (index == nullptr) {
        return missing_app();
    }
    return is_page && !path.starts_with("assets/") ? file(*index, request) : not_found();
}

void App::add_routes(http::Router& router) const {
    using http::Method;
    router.add(Method::get, "/app/*", [this](const auto& request, http::Responder responder) {
        responder.send(answer(request));
    });
    for (const auto* const way : {"/", "/app"}) {
        router.add(Method::get, way, [](const auto& /*request*/, http::Responder responder) {
            responder.send(redirect(root));
        });
    }
}

}  // namespace merpati::web
