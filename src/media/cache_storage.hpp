// The folder of fetched files, each named by its content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "media/received_file.hpp"
#include "media/temporary_file.hpp"

namespace merpati::media {

/// A file that is being written, counted and hashed, a piece at a time. It is removed with the
/// object, unless `move_to` moved it. After a crash the folder is emptied: nothing is flushed.
class IncomingFile {
public:
    explicit IncomingFile(TemporaryFile file) : file_(std::move(file)) {}

    /// Errors: io_failed (disk full, quota).
    [[nodiscard]] Result<void> put(std::span<const std::byte> bytes);

    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

    /// The beginning, read back from the file. Errors: io_failed.
    [[nodiscard]] Result<std::vector<std::byte>> head(std::size_t bytes_max) const;

    /// Of the whole content, in lower-case hexadecimal. Call once.
    [[nodiscard]] std::string sha256();

    /// Errors: io_failed.
    [[nodiscard]] Result<void> move_to(const std::filesystem::path& path) {
        return file_.move_to(path);
    }

private:
    TemporaryFile file_;
    std::uint64_t bytes_ = 0;
    Sha256Stream digest_;
};

/// A stored file, there as long as anyone holds its ContentPtr.
struct Content {
    std::filesystem::path path;
    std::string sha256;
    std::uint64_t bytes = 0;
};
using ContentPtr = std::shared_ptr<const Content>;

struct CacheStorageOptions {
    std::filesystem::path folder;
    std::uint64_t kept_bytes_max = 0;
    Millis kept_for{0};
    std::size_t files_max = 0;
    /// Whether the files are for our group too, which may not list them; it writes what is
    /// received.
    bool group_reads = false;
};

/// The folder, within that of media, that connectors may write to.
inline constexpr std::string_view received_folder = "received";

/// Operation: `incoming` makes a file to write to, `keep` gives it its lasting name, or finds that
/// its content was there. `remove_old` removes what nobody holds and is too old, `make_room` the
/// longest unused of what nobody holds. Each file counts as the blocks it takes on the disk.
/// `receive` makes a file for a connector to write, which is none of those.
///
/// Threads: none; its owner's. ContentPtrs may be let go of on any thread.
class CacheStorage {
public:
    /// Makes the folder (0700) where it is missing, locks it against other servers, and removes
    /// files with names such as ours, and whatever is in `received_folder`. Errors: io_failed,
    /// conflict (another server has it).
    [[nodiscard]] static Result<std::unique_ptr<CacheStorage>> open(const Clock& clock,
                                                                    CacheStorageOptions options);
    CacheStorage(const CacheStorage&) = delete;
    CacheStorage& operator=(const CacheStorage&) = delete;

    /// Errors: io_failed.
    [[nodiscard]] Result<IncomingFile> incoming();
    [[nodiscard]] Result<ContentPtr> keep(IncomingFile file);
    [[nodiscard]] Result<ReceivedFilePtr> receive();

    /// A message is served with what is held here: its age begins anew.
    void use(const Content& content);

    /// How many files were removed.
    std::size_t remove_old();

    /// Removes everything that nobody holds: the disk is full.
    std::size_t clear();

    /// Removes the longest unused until `bytes` more are within kept_bytes_max; false when what is
    /// held leaves no room for them.
    [[nodiscard]] bool make_room(std::uint64_t bytes);

    /// What a file of so many bytes takes on the disk.
    [[nodiscard]] static std::uint64_t room_of(std::uint64_t bytes) noexcept;
    /// kept_bytes_max in whole blocks.
    [[nodiscard]] std::uint64_t bytes_max() const noexcept {
        return room_of(options_.kept_bytes_max);
    }

    [[nodiscard]] std::size_t files() const noexcept { return items_.size(); }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::uint64_t removed_total() const noexcept { return removed_total_; }

private:
    struct Item {
        ContentPtr content;
        SteadyTime last_used;
    };
    using Position = std::list<Item>::iterator;

    CacheStorage(const Clock& clock, CacheStorageOptions options, FileDescriptor lock)
        : clock_(clock), options_(std::move(options)), lock_(std::move(lock)) {}

    Result<void> remove_leftovers() const;
    [[nodiscard]] bool is_due(const Item& item) const;
    bool remove(Position position);

    const Clock& clock_;
    const CacheStorageOptions options_;
    const FileDescriptor lock_;
    std::list<Item> items_;                                     // The longest unused first.
    std::unordered_map<std::string_view, Position> positions_;  // By SHA-256.
    std::uint64_t bytes_ = 0;
    std::uint64_t incoming_ = 0;
    std::uint64_t removed_total_ = 0;
};

}  // namespace merpati::media
