// The real files of testdata/, for the tests.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace merpati::media {

[[nodiscard]] inline std::string sample(const std::string& name) {
    std::ifstream file{std::filesystem::path{MERPATI_MEDIA_SAMPLES} / name, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

}  // namespace merpati::media
