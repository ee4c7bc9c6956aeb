// Where this folder's exceptions end.
#pragma once

#include <utility>

#include "base/error.hpp"
#include "store/sqlite/connection.hpp"

namespace merpati::store::sqlite {

/// Runs `body` and turns a Failure into damaged (it cannot be read) or store_failed.
template <class Body>
auto guarded(Body&& body) -> decltype(body()) {
    try {
        return std::forward<Body>(body)();
    } catch (const Failure& failure) {
        return fail(failure.is_damage() ? ErrorCode::damaged : ErrorCode::store_failed,
                    failure.what());
    }
}

}  // namespace merpati::store::sqlite
