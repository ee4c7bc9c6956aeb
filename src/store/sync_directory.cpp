#include "store/sync_directory.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace merpati::store {

bool sync_directory_of(const std::filesystem::path& file) {
    const auto parent = file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
    const int directory = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) {
        return false;
    }
    const bool synced = ::fsync(directory) == 0;
    ::close(directory);
    return synced;
}

}  // namespace merpati::store
