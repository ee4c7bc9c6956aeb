// Finds out whether the worker of linked devices can run here.
#pragma once

#include <string>

#include "config/settings.hpp"
#include "connector/process/program/confinement.hpp"

namespace merpati::cli {

struct LinkedProgram {
    bool good = false;
    std::string found;  // The program and its version, or why the worker cannot run.
    connector::process::Confinement confinement;  // What the worker would have here.
    std::string remedy;                           // Empty: none is known, or none is needed.
};

/// Runs `node --version`, confined as the worker would be, and waits at most 3 s for it. Checks no
/// version if `linked.command` is set.
[[nodiscard]] LinkedProgram examine_linked(const config::Settings& settings);

}  // namespace merpati::cli
