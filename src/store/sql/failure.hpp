// A failed call of a database.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace merpati::store::sql {

/// A failed call of the database. Thrown only inside store/sql/ and the engines; the public methods
/// of an engine turn it into an Error.
class Failure : public std::runtime_error {
public:
    enum class Kind : std::uint8_t {
        damage,       // A page or a value cannot be read, because it is corrupt.
        read_error,   // The disk failed to read a page. The next start may read it.
        constraint,   // A row violates a constraint of its table.
        busy,         // Another program holds the lock for writing. Nothing was written.
        collision,    // Another program's transaction and this one were in each other's way, and
                      // this one was ended. Nothing was written; it may be run again at once.
        no_room,      // The disk is full. The write did not happen.
        unavailable,  // The database cannot be reached, or ended the connection.
        fenced,       // Another node has taken over what this one owned. Nothing was written.
        failed,       // Anything else.
    };

    Failure(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}

    [[nodiscard]] Kind kind() const noexcept { return kind_; }

    /// Whether a page or a value cannot be read, because it is corrupt or the disk fails to read
    /// it. Other pages may be sound.
    [[nodiscard]] bool is_damage() const noexcept {
        return kind_ == Kind::damage || kind_ == Kind::read_error;
    }

    /// Whether the disk failed to read a page. Failed writes and syncs are never damage.
    [[nodiscard]] bool is_read_error() const noexcept { return kind_ == Kind::read_error; }

    /// Whether a row violates a constraint of its table.
    [[nodiscard]] bool is_constraint() const noexcept { return kind_ == Kind::constraint; }

    /// Whether another program was in the way. Nothing was written.
    [[nodiscard]] bool is_busy() const noexcept {
        return kind_ == Kind::busy || kind_ == Kind::collision;
    }

    /// Whether the disk is full. The write did not happen.
    [[nodiscard]] bool is_no_room() const noexcept { return kind_ == Kind::no_room; }

private:
    Kind kind_;
};

/// Call it where `failure` is caught: throws it again, unless it is damage.
inline void throw_unless_damage(const Failure& failure) {
    if (!failure.is_damage()) {
        throw;
    }
}

[[nodiscard]] constexpr ErrorCode code_of(Failure::Kind kind) noexcept {
    switch (kind) {
        case Failure::Kind::damage:
        case Failure::Kind::read_error:
            return ErrorCode::damaged;
        case Failure::Kind::unavailable:
            return ErrorCode::unavailable;
        case Failure::Kind::fenced:
            return ErrorCode::fenced;
        case Failure::Kind::constraint:
        case Failure::Kind::busy:
        case Failure::Kind::collision:
        case Failure::Kind::no_room:
        case Failure::Kind::failed:
            break;
    }
    return ErrorCode::store_failed;
}

/// Runs `body` and turns a Failure into an Error: damaged, unavailable, fenced or store_failed.
template <class Body>
auto guarded(Body&& body) -> decltype(body()) {
    try {
        return std::forward<Body>(body)();
    } catch (const Failure& failure) {
        return fail(code_of(failure.kind()), failure.what());
    }
}

}  // namespace merpati::store::sql
