// Whether the worker of linked devices can run here.
#pragma once

#include <string>

#include "config/settings.hpp"

namespace merpati::cli {

struct LinkedProgram {
    bool good = false;
    std::string found;   // With what, or why not.
    std::string remedy;  // What to do; empty: nothing.
};

/// Asks Node.js for its version, for at most a few seconds.
[[nodiscard]] LinkedProgram examine_linked(const config::LinkedSettings& settings);

}  // namespace merpati::cli
