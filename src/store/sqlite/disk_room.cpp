#include "store/sqlite/disk_room.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "base/file_descriptor.hpp"

namespace merpati::store::sqlite {
namespace {

/// An upper bound of the bytes that the outcome of one send writes: a few pages of 4 KiB, first to
/// the log and then to the database file.
constexpr std::uint64_t outcome_bytes = std::uint64_t{24} << 10;

constexpr const char* reserve_suffix = "-reserve";

/// Hysteresis: a worse state is left only when a quarter more is free.
constexpr std::uint64_t with_margin(std::uint64_t bytes) {
    return bytes + bytes / 4;
}

struct FileBytes {
    std::uint64_t size = 0;
    std::uint64_t allocated = 0;
};

/// 0 for a file that is missing.
FileBytes bytes_of(const std::filesystem::path& file) {
    struct stat status{};
    if (::stat(file.c_str(), &status) != 0) {
        return {};
    }
    return {.size = static_cast<std::uint64_t>(status.st_size),
            .allocated = static_cast<std::uint64_t>(status.st_blocks) * 512};
}

}  // namespace

std::optional<std::uint64_t> free_bytes_of(const std::filesystem::path& folder) {
    struct statvfs space{};
    if (::statvfs(folder.c_str(), &space) != 0) {
        return std::nullopt;
    }
    return std::uint64_t{space.f_bavail} * space.f_frsize;
}

DiskRoom::DiskRoom(const std::filesystem::path& store, std::uint64_t reserve_bytes,
                   FreeBytes free_bytes, Condition& condition)
    : reserve_(store.string() + reserve_suffix),
      folder_(std::filesystem::absolute(store).parent_path()),
      reserve_bytes_(reserve_bytes),
      free_bytes_(free_bytes ? std::move(free_bytes) : free_bytes_of),
      condition_(condition),
      secured_(reserve_bytes == 0 || is_whole()) {
    set_room(secured_ ? Room::low : Room::none);
}

void DiskRoom::look(const std::function<std::uint64_t()>& reusable) {
    if (reserve_bytes_ == 0) {
        set_room(Room::ample);
        return;
    }
    const auto free = free_bytes_(folder_);
    if (!free) {
        return;
    }
    if (!secured_ && !secure(*free)) {
        set_room(Room::none);
        return;
    }
    const bool was_ample = condition_.room() == Room::ample;
    const auto wanted = was_ample ? reserve_bytes_ : with_margin(reserve_bytes_);
    // The log grows on the disk, even if the store has free pages.
    const bool ample = *free >= wanted || (*free >= wanted / 4 && *free + reusable() >= wanted);
    set_room(ample ? Room::ample : Room::low);
}

void DiskRoom::met_full() {
    secured_ = reserve_bytes_ == 0;
    std::ignore = ::truncate(reserve_.c_str(), 0);
    set_room(Room::none);
}

void DiskRoom::give_up(const std::filesystem::path& store) {
    std::ignore = ::truncate((store.string() + reserve_suffix).c_str(), 0);
}

bool DiskRoom::secure(std::uint64_t free) {
    // A reserve file of another size, kept from other settings, is extended or shortened.
    if (free + bytes_of(reserve_).allocated < with_margin(reserve_bytes_)) {
        return false;
    }
    const FileDescriptor file{::open(reserve_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    if (!file) {
        return false;
    }
    const auto size = static_cast<off_t>(reserve_bytes_);
    secured_ = ::ftruncate(file.get(), size) == 0 && ::posix_fallocate(file.get(), 0, size) == 0;
    if (!secured_) {
        std::ignore = ::ftruncate(file.get(), 0);
    }
    return secured_;
}

/// Whether an earlier process left a reserve file of the right size.
bool DiskRoom::is_whole() const {
    const auto found = bytes_of(reserve_);
    return found.size == reserve_bytes_ && found.allocated >= reserve_bytes_;
}

void DiskRoom::set_room(Room room) {
    condition_.set_room(room, static_cast<std::size_t>(reserve_bytes_ / outcome_bytes));
}

}  // namespace merpati::store::sqlite
