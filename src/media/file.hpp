// A media file that was fetched and judged, ready to be sent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace merpati::media {

/// What a connector gets. The file stays on disk as long as anyone holds its FilePtr.
struct File {
    std::filesystem::path path;
    std::string mime;  // Of the interface's list, in lower case: what the platform is told.
    std::uint64_t bytes = 0;
    std::string sha256;  // Of the content; 64 hexadecimal digits, in lower case.
};
using FilePtr = std::shared_ptr<const File>;

}  // namespace merpati::media
