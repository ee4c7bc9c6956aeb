#include "store/sync_directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "base/file_descriptor.hpp"

namespace merpati::store {

bool sync_directory_of(const std::filesystem::path& file) {
    const auto parent = file.has_parent_path() ? file.parent_path() : std::filesystem::path{"."};
    const FileDescriptor directory{::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    return directory && ::fsync(directory.get()) == 0;
}

}  // namespace merpati::store
