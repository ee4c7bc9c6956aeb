// Reserves disk space for the outcomes of sends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "store/condition.hpp"

namespace merpati::store::sqlite {

/// Free bytes of a folder's disk, as far as this process may use them; empty: unknown.
using FreeBytes = std::function<std::optional<std::uint64_t>(const std::filesystem::path& folder)>;
[[nodiscard]] std::optional<std::uint64_t> free_bytes_of(const std::filesystem::path& folder);

/// Operation: a file beside the store, PATH-reserve, occupies `reserve_bytes`. When less than that
/// is free beside it, no message is accepted; sends continue, as many at a time as are sure to have
/// room for their outcomes. A write that finds the disk full all the same empties the reserve file,
/// and nothing is sent until the file is whole again, which each `look` tries. Free pages inside
/// the store count as free space.
///
/// Threads: one, the store's.
///
/// Limits: on a file system that compresses, copies on write or has quotas, the reserve may not
/// hold; then a write fails, and is undone as a whole.
class DiskRoom {
public:
    /// `reserve_bytes` 0: nothing is reserved, and only failed writes are noticed.
    DiskRoom(const std::filesystem::path& store, std::uint64_t reserve_bytes, FreeBytes free_bytes,
             Condition& condition);

    /// Updates the condition. `reusable` returns the bytes of free pages in the store; it is called
    /// only if they matter.
    void look(const std::function<std::uint64_t()>& reusable);

    /// A write found the disk full.
    void met_full();

    /// Empties the reserve file of a store that is not open.
    static void give_up(const std::filesystem::path& store);

private:
    [[nodiscard]] bool secure(std::uint64_t free);
    [[nodiscard]] bool is_whole() const;
    void set_room(Room room);

    const std::filesystem::path reserve_;
    const std::filesystem::path folder_;
    const std::uint64_t reserve_bytes_;
    const FreeBytes free_bytes_;
    Condition& condition_;
    bool secured_ = false;  // The reserve file is whole.
};

}  // namespace merpati::store::sqlite
