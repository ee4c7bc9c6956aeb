// Expected failures as values, each with the line of source that made it.
#pragma once

#include <cstdint>
#include <expected>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace merpati {

/// Why something failed. One code, one remedy: add a code only if its reader must act differently.
enum class ErrorCode : std::uint8_t {
    invalid_argument,     // The caller passed something malformed: correct it and call again.
    not_found,            // It does not exist, or the caller may not see it.
    conflict,             // It exists already, or its state does not allow this.
    refused,              // A rule of ours forbids it (plan, policy, private address).
    forbidden,            // The caller lacks the right to it.
    precondition_failed,  // It has changed since the caller read it: read it again.
    busy,                 // A limit of ours is reached: try again later.
    unavailable,          // The database is away; nothing was written: wait.
    fenced,               // Another node owns it now; nothing was written: do no more for it.
    elsewhere,            // Another node works for the account; nothing was done: ask that one.
    too_many_requests,    // The caller asks for more than its share: wait, and ask for less.
    timeout,              // The outside did not answer within its deadline.
    unreachable,          // The outside could not be reached.
    protocol,             // The outside answered something that is not its protocol.
    store_failed,         // The store failed; the process must not go on writing.
    damaged,              // A page or row of the store cannot be read: restore a backup.
    io_failed,            // A file or socket of this machine failed.
    shutting_down,        // The process is stopping; nothing was done.
};

/// Whether the same call may succeed later, without anything being changed: busy, unavailable.
[[nodiscard]] constexpr bool is_passing(ErrorCode code) noexcept {
    return code == ErrorCode::busy || code == ErrorCode::unavailable;
}

/// The code as a word for logs and for `--json`, for example "not_found".
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

/// An expected failure, carried as a value. A broken invariant is not one: assert it.
struct Error {
    ErrorCode code;
    std::string detail;           // For the operator; never sent to an API caller.
    std::source_location origin;  // Where `fail` was called.

    /// "not_found: account acc_7 (store/sql/account_tables.cpp:41)"
    [[nodiscard]] std::string describe() const;
};

template <class T>
using Result = std::expected<T, Error>;

/// The one way to make an error: `return fail(ErrorCode::busy, "4096 commits wait");`
[[nodiscard]] inline std::unexpected<Error> fail(
    ErrorCode code, std::string detail,
    std::source_location origin = std::source_location::current()) {
    return std::unexpected(Error{code, std::move(detail), origin});
}

/// Passes on a failure, an Error or a Refusal: `if (!opened) { return pass(opened); }`. Moves the
/// error out of `failed`, unless that is const.
template <class Expected>
[[nodiscard]] auto pass(Expected&& failed) {
    if constexpr (std::is_const_v<std::remove_reference_t<Expected>>) {
        return std::unexpected(failed.error());
    } else {
        return std::unexpected(std::move(failed.error()));
    }
}

}  // namespace merpati
