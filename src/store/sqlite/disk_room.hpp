// Room on the store's disk, kept for what must be recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "store/condition.hpp"

namespace merpati::store::sqlite {

/// Bytes of a folder's disk that this process may still take. Empty where that is not known.
using FreeBytes = std::function<std::optional<std::uint64_t>(const std::filesystem::path& folder)>;
[[nodiscard]] std::optional<std::uint64_t> free_bytes_of(const std::filesystem::path& folder);

/// Operation: a file beside the store, PATH-reserve, holds `reserve_bytes` of the disk. When as
/// much is not free beside it, no message is accepted; sends go on, as many at a time as surely
/// find room for their outcomes. A write that meets a full disk all the same gives the reserve
/// away, and nothing is sent until the file is whole again, which is tried at each look. What the
/// store itself can use again (pages that retention made free) counts as free.
///
/// Threads: one, the store's.
///
/// Limits: where the file system compresses, copies on write or has quotas, the reserve is a
/// promise that it may break; then a full disk is met by the write, which is undone as a whole.
class DiskRoom {
public:
    /// With a reserve of 0 nothing is kept, and only a full disk itself is noticed.
    DiskRoom(const std::filesystem::path& store, std::uint64_t reserve_bytes, FreeBytes free_bytes,
             Condition& condition);

    /// Judges the room; `reusable` asks for bytes that are free inside the store, when it matters.
    void look(const std::function<std::uint64_t()>& reusable);

    /// A write found the disk full.
    void met_full();

    /// Gives the reserve of a store away that is not open.
    static void give_up(const std::filesystem::path& store);

private:
    [[nodiscard]] bool secure(std::uint64_t free);
    [[nodiscard]] bool is_whole() const;
    void settle(Room room);

    const std::filesystem::path reserve_;
    const std::filesystem::path folder_;
    const std::uint64_t reserve_bytes_;
    const FreeBytes free_bytes_;
    Condition& condition_;
    bool secured_ = false;
};

}  // namespace merpati::store::sqlite
