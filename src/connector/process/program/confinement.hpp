// Which confinement a program really has, as the kernel gave it.
#pragma once

#include <string>

namespace merpati::connector::process {

struct Confinement {
    bool wanted = false;    // False: the program was to run unconfined.
    int landlock = 0;       // The version of Landlock that is in force; 0: none.
    bool filtered = false;  // Whether the system-call filter is in force.

    /// Whether something of the confinement that was wanted is missing. An old version of Landlock
    /// counts as missing only if it is 0.
    [[nodiscard]] bool is_weak() const noexcept { return wanted && (landlock == 0 || !filtered); }
    /// "confined by Landlock 6 and a system-call filter"; empty: not wanted.
    [[nodiscard]] std::string text() const;
};

}  // namespace merpati::connector::process
