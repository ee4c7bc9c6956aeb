#include "media/cache_storage.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/ascii.hpp"
#include "base/assert.hpp"

namespace merpati::media {
namespace {

constexpr std::string_view incoming_prefix = "incoming-";
constexpr std::uint64_t block = 4096;
constexpr const char* lock_name = "lock";
constexpr mode_t group_reads = 0640;
constexpr mode_t group_writes = 0660;

bool is_ours(const std::string& name) {
    constexpr std::size_t sha256_digits = 64;
    return name.starts_with(incoming_prefix) ||
           (name.size() == sha256_digits &&
            name.find_first_not_of(hex_digits) == std::string::npos);
}

std::unexpected<Error> folder_failure(const std::filesystem::path& folder, std::string why) {
    return fail(ErrorCode::io_failed,
                "media.folder " + folder.string() + " cannot be used: " + std::move(why));
}

}  // namespace

Result<void> IncomingFile::put(std::span<const std::byte> bytes) {
    digest_.add(bytes);
    bytes_ += bytes.size();
    return file_.write(bytes);
}

Result<std::vector<std::byte>> IncomingFile::head(std::size_t bytes_max) const {
    std::vector<std::byte> bytes(bytes_max);
    auto read = file_.read(0, bytes);
    if (!read) {
        return pass(read);
    }
    bytes.resize(*read);
    return bytes;
}

std::string IncomingFile::sha256() {
    return to_hex(digest_.finish());
}

Result<std::unique_ptr<CacheStorage>> CacheStorage::open(const Clock& clock,
                                                         CacheStorageOptions options) {
    const auto& folder = options.folder;
    std::error_code error;
    if (std::filesystem::create_directories(folder, error)) {
        std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
    }
    if (!error && options.group_reads) {
        std::filesystem::permissions(folder, std::filesystem::perms::group_exec,
                                     std::filesystem::perm_options::add, error);
    }
    if (error) {
        return folder_failure(folder, error.message());
    }
    FileDescriptor lock{
        ::open((folder / lock_name).c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (!lock) {
        return folder_failure(folder, std::generic_category().message(errno));
    }
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
        return fail(ErrorCode::conflict,
                    "media.folder " + folder.string() + " is used by another server");
    }
    std::unique_ptr<CacheStorage> storage{
        new CacheStorage{clock, std::move(options), std::move(lock)}};
    if (auto removed = storage->remove_leftovers(); !removed) {
        return pass(removed);
    }
    return storage;
}

/// Removes an earlier server's files, and makes an empty `received_folder`.
Result<void> CacheStorage::remove_leftovers() const {
    std::error_code error;
    for (std::filesystem::directory_iterator entry{options_.folder, error}, end;
         !error && entry != end; entry.increment(error)) {
        const auto& path = entry->path();
        if (is_ours(path.filename().string()) && ::unlink(path.c_str()) != 0) {
            return folder_failure(options_.folder, std::generic_category().message(errno));
        }
    }
    const auto received = options_.folder / received_folder;
    if (!error) {
        std::filesystem::remove_all(received, error);
    }
    if (!error && std::filesystem::create_directory(received, error)) {
        using std::filesystem::perm_options;
        using std::filesystem::perms;
        std::filesystem::permissions(received, perms::group_all | perms::others_all,
                                     perm_options::remove, error);
        if (options_.group_reads && !error) {
            std::filesystem::permissions(received, perms::group_exec, perm_options::add, error);
        }
    }
    return error ? Result<void>{folder_failure(options_.folder, error.message())} : Result<void>{};
}

Result<IncomingFile> CacheStorage::incoming() {
    auto file = TemporaryFile::create(
        options_.folder / (std::string{incoming_prefix} + std::to_string(++incoming_)),
        options_.group_reads ? group_reads : owner_only);
    return file ? Result<IncomingFile>{IncomingFile{std::move(*file)}} : pass(file);
}

Result<ReceivedFilePtr> CacheStorage::receive() {
    return ReceivedFile::create(options_.folder / received_folder / std::to_string(++incoming_),
                                options_.group_reads ? group_writes : owner_only);
}

Result<ContentPtr> CacheStorage::keep(IncomingFile file) {
    Content made{.sha256 = file.sha256(), .bytes = file.bytes()};
    if (const auto found = positions_.find(made.sha256); found != positions_.end()) {
        auto content = found->second->content;
        use(*content);
        return content;
    }
    made.path = options_.folder / made.sha256;
    if (auto moved = file.move_to(made.path); !moved) {
        return pass(moved);
    }
    auto content = std::make_shared<const Content>(std::move(made));
    items_.push_back({content, clock_.steady_now()});
    positions_.emplace(content->sha256, std::prev(items_.end()));
    bytes_ += room_of(content->bytes);
    return content;
}

void CacheStorage::use(const Content& content) {
    const auto found = positions_.find(content.sha256);
    invariant(found != positions_.end(), "what is held is stored");
    found->second->last_used = clock_.steady_now();
    items_.splice(items_.end(), items_, found->second);
}

bool CacheStorage::is_due(const Item& item) const {
    return item.last_used + options_.kept_for <= clock_.steady_now() ||
           items_.size() > options_.files_max;
}

std::uint64_t CacheStorage::room_of(std::uint64_t bytes) noexcept {
    return std::max<std::uint64_t>(1, (bytes + block - 1) / block) * block;
}

std::size_t CacheStorage::remove_old() {
    const auto before = removed_total_;
    std::size_t left = items_.size();
    for (auto position = items_.begin(); left > 0 && is_due(*position); --left) {
        const auto next = std::next(position);
        if (!remove(position)) {
            use(*position->content);  // It stays, so its age begins anew.
        }
        position = next;
    }
    return removed_total_ - before;
}

std::size_t CacheStorage::clear() {
    const auto before = removed_total_;
    for (auto position = items_.begin(); position != items_.end();) {
        const auto next = std::next(position);
        static_cast<void>(remove(position));
        position = next;
    }
    return removed_total_ - before;
}

bool CacheStorage::make_room(std::uint64_t bytes) {
    for (auto position = items_.begin();
         position != items_.end() && bytes_ + bytes > bytes_max();) {
        const auto next = std::next(position);
        static_cast<void>(remove(position));
        position = next;
    }
    return bytes_ + bytes <= bytes_max();
}

/// False: the file is held or cannot be removed from the disk. Only this thread copies our pointer,
/// so a use count of one cannot grow meanwhile.
bool CacheStorage::remove(Position position) {
    const auto& content = position->content;
    if (content.use_count() > 1) {
        return false;
    }
    if (::unlink(content->path.c_str()) != 0 && errno != ENOENT) {
        return false;
    }
    ++removed_total_;
    bytes_ -= room_of(content->bytes);
    positions_.erase(content->sha256);
    items_.erase(position);
    return true;
}

}  // namespace merpati::media
