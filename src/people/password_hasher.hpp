// Hashes passwords: slow and large on purpose, and therefore few at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <semaphore>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace merpati::people {

/// libsodium's argon2id (RFC 9106), in the text form that says its own cost.
///
/// Operation: every call takes the time and the memory of `Cost`, whatever it is given, so that its
/// duration does not tell whether a person exists.
///
/// Threads: any but an I/O thread: a call lasts about a tenth of a second, and waits while
/// `at_once_max` others run.
class PasswordHasher {
public:
    struct Cost {
        std::uint64_t passes = 3;
        std::size_t memory_bytes = std::size_t{64} << 20;
    };
    static constexpr std::ptrdiff_t at_once_max = 2;

    PasswordHasher() : PasswordHasher(Cost{}) {}
    explicit PasswordHasher(Cost cost);

    /// Errors: busy (no memory for it).
    [[nodiscard]] Result<std::string> hash(std::string_view password);

    /// Whether `hash` is of this password. An empty one, of a person who has no password or of
    /// nobody, is of none.
    [[nodiscard]] bool verify(const std::string& hash, std::string_view password);

    /// Whether the hash was made at another cost.
    [[nodiscard]] bool is_outdated(const std::string& hash) const;

private:
    const Cost cost_;
    const std::string of_nobody_;
    std::counting_semaphore<at_once_max> places_{at_once_max};
};

}  // namespace merpati::people
