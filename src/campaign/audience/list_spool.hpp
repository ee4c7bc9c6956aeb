// Keeps an uploaded list until it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "media/temporary_file.hpp"

namespace merpati::campaign {

/// Operation: `add` takes the pieces of a list, `read_all` gives all of them back. The first
/// `memory_max` bytes are in memory; a longer list is in a file of the system's folder for
/// temporary files (TMPDIR, else /var/tmp), which has no name, so that nothing stays after a crash.
///
/// Limits: `bytes_max`. Threads: one at a time.
///
/// Errors: invalid_argument (the list is longer), io_failed.
class ListSpool {
public:
    static constexpr std::size_t memory_max = 8'388'608;
    static constexpr std::uint64_t bytes_max = 4'294'967'296;

    [[nodiscard]] Result<void> add(std::string_view piece);
    /// Also the errors of `take`.
    [[nodiscard]] Result<void> read_all(
        const std::function<Result<void>(std::string_view)>& take) const;

private:
    [[nodiscard]] Result<void> write_memory();

    std::string memory_;  // What the file does not have.
    std::uint64_t bytes_ = 0;
    std::optional<media::TemporaryFile> file_;
};

}  // namespace merpati::campaign
