// Who makes a call.
#pragma once

#include <cstdint>
#include <utility>

#include "admission/directory.hpp"

namespace merpati::admission {

/// Goes with each call, so that what it may do is decided by who makes it.
struct Principal {
    enum class Kind : std::uint8_t {
        anyone,          // Has shown nothing.
        local_operator,  // Came through the management socket; its file permissions let them in.
        api_key,         // An account, by one of its keys.
    };
    Kind kind = Kind::anyone;
    KeyEntry key{};  // Of api_key alone.

    [[nodiscard]] static Principal of(KeyEntry key) {
        return {.kind = Kind::api_key, .key = std::move(key)};
    }
    /// Of api_key alone.
    [[nodiscard]] const model::Account& account() const { return key.account->account; }
};

}  // namespace merpati::admission
