// The folder of fetched files, each named by the hash of its content.
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

/// A file that is written, counted and hashed in pieces. The destructor removes it unless `move_to`
/// has moved it. Nothing is flushed, because the next start empties the folder.
class IncomingFile {
public:
    explicit IncomingFile(TemporaryFile file) : file_(std::move(file)) {}

    /// Errors: io_failed (disk full, quota).
    [[nodiscard]] Result<void> put(std::span<const std::byte> bytes);

    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

    /// The first bytes, read back from the file. Errors: io_failed.
    [[nodiscard]] Result<std::vector<std::byte>> head(std::size_t bytes_max) const;

    /// The hash of the whole content, in lower-case hexadecimal. Call once.
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

/// A stored file. It is not removed while a ContentPtr to it exists.
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
    /// Whether the process's group may read stored files and write received files. It cannot list
    /// the folder.
    bool group_reads = false;
};

/// The subfolder for files that connectors write.
inline constexpr std::string_view received_folder = "received";

/// Operation: `incoming` makes a file to write; `keep` stores it under the hash of its content, or
/// returns the stored file with the same content. `remove_old` removes files that are not held and
/// are too old or too many; `make_room` removes files that are not held, longest unused first. A
/// file counts with the disk blocks that it takes. If its removal fails, it stays and counts, and
/// is tried again later. `receive` makes a file for a connector to write;
/// it is not counted.
///
/// Threads: its owner's. ContentPtrs may be released on any thread.
class CacheStorage {
public:
    /// Makes the folder (0700) if it is missing, locks it against other servers, and removes what
    /// an earlier server left: files with names like ours, and everything in `received_folder`.
    /// Errors: io_failed, conflict (another server uses it).
    [[nodiscard]] static Result<std::unique_ptr<CacheStorage>> open(const Clock& clock,
                                                                    CacheStorageOptions options);
    CacheStorage(const CacheStorage&) = delete;
    CacheStorage& operator=(const CacheStorage&) = delete;

    /// Errors: io_failed.
    [[nodiscard]] Result<IncomingFile> incoming();
    [[nodiscard]] Result<ContentPtr> keep(IncomingFile file);
    [[nodiscard]] Result<ReceivedFilePtr> receive();

    /// Call when a message is served with the file: its age begins anew.
    void use(const Content& content);

    /// Returns how many files were removed.
    std::size_t remove_old();

    /// Removes all files that are not held, and returns how many were. For a full disk.
    std::size_t clear();

    /// Removes files until `bytes` more fit into kept_bytes_max. False: the files that stay leave
    /// no room.
    [[nodiscard]] bool make_room(std::uint64_t bytes);

    /// The disk space of a file of this size, in whole blocks; at least one.
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
    std::list<Item> items_;                                     // Longest unused first.
    std::unordered_map<std::string_view, Position> positions_;  // By SHA-256.
    std::uint64_t bytes_ = 0;
    std::uint64_t incoming_ = 0;
    std::uint64_t removed_total_ = 0;
};

}  // namespace merpati::media
