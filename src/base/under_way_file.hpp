// A file that lists the work in flight and survives a crash of the process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/uuid.hpp"

namespace merpati {

/// Lists the items in flight, so that a start after a crash can delay those that may have caused
/// it.
///
/// Operation: `begin` adds an item, `end` removes it. Both only write to mapped memory, without a
/// system call; the kernel keeps mapped pages when the process is killed. `open` finds the items
/// that were not removed, and counts for each the crashes during which it was in flight. An item
/// that was found keeps its slot and its count until it is begun and ended, or forgotten.
///
/// Faults: nothing is synced. After a power cut the file may list other items, or none, so it may
/// decide only the order of work. A file that is missing, or has another size or format, is made
/// anew.
///
/// Limits: `names_max` items, those that were found included; `begin` does not list further ones.
/// The file has 32 bytes for each, allocated when it is made, so that a full disk cannot fault the
/// mapping.
///
/// Threads: one at a time.
class UnderWayFile {
public:
    struct Found {
        Uuid id;
        std::uint32_t crashes = 0;  // At least 1.
        /// How long after the start it may begin: 2 s, doubled for each earlier crash, at most
        /// 10 min; and 20 ms more for each item before it, so that the next crash lists fewer.
        Millis put_off{0};
    };

    /// Errors: io_failed (cannot be made, locked by another process or mapped).
    [[nodiscard]] static Result<UnderWayFile> open(const std::string& path, std::size_t names_max);
    UnderWayFile(UnderWayFile&&) noexcept;
    UnderWayFile& operator=(UnderWayFile&&) noexcept;
    ~UnderWayFile();

    /// The items that were in flight at a crash and have not been begun since, those with the
    /// fewest crashes first.
    [[nodiscard]] std::vector<Found> found() const;

    /// Returns the slot, for `end`.
    [[nodiscard]] std::size_t begin(const Uuid& id);
    void end(std::size_t name) noexcept;

    /// Removes an item that was found; other ids are ignored.
    void forget(const Uuid& id);

private:
    class Mapping;
    explicit UnderWayFile(std::unique_ptr<Mapping> mapping);

    std::unique_ptr<Mapping> mapping_;
    std::vector<std::uint32_t> free_;
    std::unordered_map<Uuid, std::uint32_t> found_;
};

}  // namespace merpati
