#include "cluster/former_life.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

namespace merpati::cluster {

std::optional<store::NodeGeneration> read_former_life(const std::string& file) {
    std::ifstream text{file};
    store::NodeGeneration life;
    text >> life.node >> life.generation;
    const bool is_one = text && life.node > 0 && life.generation > 0;
    return is_one ? std::optional{life} : std::nullopt;
}

Result<void> write_life(const std::string& file, const store::NodeGeneration& life) {
    const auto next = file + ".new";
    std::ofstream text{next, std::ios::trunc};
    text << life.node << ' ' << life.generation << '\n';
    text.close();
    std::error_code error;
    if (text) {
        std::filesystem::rename(next, file, error);
    }
    if (!text || error) {
        return fail(ErrorCode::io_failed, fmt::format("cannot write {}", file));
    }
    return {};
}

}  // namespace merpati::cluster
