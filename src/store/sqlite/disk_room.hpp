// Reserves disk space for the outcomes of sends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include "store/condition.hpp"

namespace merpati::store::sqlite {

/// The free bytes of a folder's disk that this process may use; empty: unknown.
using FreeBytes = std::function<std::optional<std::uint64_t>(const std::filesystem::path& folder)>;
[[nodiscard]] std::optional<std::uint64_t> free_bytes_of(const std::filesystem::path& folder);

/// Operation: a file beside the store, PATH-reserve, occupies `reserve_bytes`. If the disk has less
/// than that free in addition, no message is accepted; sends continue, but only so many at a time
/// that the reserve has room for all their outcomes. If a write finds the disk full nevertheless,
/// the reserve file is emptied, and nothing is sent until it has its full size again; each `look`
/// tries to restore it. Free pages inside the store count as free space, except for a quarter of
/// the reserve, which must be free on the disk. A reserve file of another size is kept and resized.
///
/// Threads: one, the store's.
///
/// Limits: on a file system that compresses, copies on write or has quotas, the reserve may not
/// suffice; then a write fails, and is undone as a whole.
class DiskRoom {
public:
    /// `reserve_bytes` 0: nothing is reserved, and only failed writes change the condition.
    DiskRoom(const std::filesystem::path& store, std::uint64_t reserve_bytes, FreeBytes free_bytes,
             Condition& condition);

    /// Updates the condition. `reusable` returns the bytes of free pages in the store; it is called
    /// only if the disk alone has too little.
    void look(const std::function<std::uint64_t()>& reusable);

    /// Call when a write found the disk full.
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
    bool secured_ = false;  // The reserve file has its full size, or none is wanted.
};

}  // namespace merpati::store::sqlite
