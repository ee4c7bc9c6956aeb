// Hashes passwords: on purpose slow and with much memory, therefore few at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <semaphore>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace merpati::people {

/// libsodium's argon2id (RFC 9106), in the text form that includes the cost.
///
/// Operation: `hash` takes the time and the memory of `Cost`. `verify` takes those of the hash, and
/// for an empty hash those of `Cost`, so that its duration does not tell whether a person exists.
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

    /// Whether `hash` is of this password. False for an empty hash (a person without a password, or
    /// no such person). Errors: busy (no memory for it).
    [[nodiscard]] Result<bool> verify(const std::string& hash, std::string_view password);

    /// Whether the hash was made at another cost.
    [[nodiscard]] bool is_outdated(const std::string& hash) const;

private:
    const Cost cost_;
    const std::string of_nobody_;
    std::counting_semaphore<at_once_max> places_{at_once_max};
};

}  // namespace merpati::people
