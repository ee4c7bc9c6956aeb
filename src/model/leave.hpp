// How a process detaches an account, with its devices, callbacks and campaigns.
#pragma once

#include <cstdint>

namespace merpati::model {

enum class Leave : std::uint8_t {
    when_settled,  // What was begun ends first, and its results are committed.
    at_once,       // The process may write nothing more of it.
};

}  // namespace merpati::model
