// What the process is working on, named in a file that outlives its death.
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

/// Names the pieces of work under way, so that a start after a crash can put off those that may
/// have caused it.
///
/// Operation: `begin` names a piece, `end` takes its name away; both write to mapped memory, and
/// make no system call. The kernel keeps what is mapped when the process is killed. `open` finds
/// the names that were never taken away, and counts for each how many crashes it met; a name that
/// was found stays, with its count, until the piece is begun and ended, or forgotten.
///
/// Faults: nothing is synced. After a power cut the file may name others, or nothing: it gives
/// advice on order, and no more. One that is missing, of another size or shape is made anew.
///
/// Limits: `names_max` pieces at once; more are not named. The file takes 32 bytes each, allocated
/// when it is made, so that a full disk cannot fault the mapping.
///
/// Threads: one at a time.
class UnderWayFile {
public:
    struct Found {
        Uuid id;
        std::uint32_t crashes = 0;  // At least 1.
        /// For so long after the start it shall not begin: 2 s, doubled with each crash that it met
        /// before, 10 min at most; each a little after the one before it, so that the next crash
        /// names fewer.
        Millis put_off{0};
    };

    /// Errors: io_failed (cannot be made, locked by another process or mapped).
    [[nodiscard]] static Result<UnderWayFile> open(const std::string& path, std::size_t names_max);
    UnderWayFile(UnderWayFile&&) noexcept;
    UnderWayFile& operator=(UnderWayFile&&) noexcept;
    ~UnderWayFile();

    /// What was under way when the process died, and has not been begun since; what met the fewest
    /// crashes first.
    [[nodiscard]] std::vector<Found> found() const;

    /// Answers what `end` needs.
    [[nodiscard]] std::size_t begin(const Uuid& id);
    void end(std::size_t name) noexcept;

    /// One that was found is not suspected any more.
    void forget(const Uuid& id);

private:
    class Mapping;
    explicit UnderWayFile(std::unique_ptr<Mapping> mapping);

    std::unique_ptr<Mapping> mapping_;
    std::vector<std::uint32_t> free_;
    std::unordered_map<Uuid, std::uint32_t> found_;
};

}  // namespace merpati
