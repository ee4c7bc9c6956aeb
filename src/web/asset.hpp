// The files of the web app that are built into this program.
#pragma once

#include <span>
#include <string_view>

namespace merpati::web {

/// One file of `web/dist`. The views live as long as the program.
struct Asset {
    std::string_view path;          // Below /app/: "index.html", "assets/index-B2c3.js".
    std::string_view content_type;  // By its extension.
    std::string_view hash;          // Of the plain bytes, in hexadecimal digits.
    std::string_view plain;
    std::string_view gzip;    // Empty if it saves too little.
    std::string_view brotli;  // Empty if it saves too little.
};

/// All of them, sorted by path. Empty in a program that was built without the web app.
[[nodiscard]] std::span<const Asset> assets();

}  // namespace merpati::web
