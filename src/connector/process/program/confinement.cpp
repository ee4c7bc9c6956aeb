#include "connector/process/program/confinement.hpp"

#include <fmt/format.h>

namespace merpati::connector::process {

std::string Confinement::text() const {
    if (!wanted) {
        return {};
    }
    if (landlock > 0 && filtered) {
        return fmt::format("confined by Landlock {} and a system-call filter", landlock);
    }
    if (landlock > 0) {
        return fmt::format("confined by Landlock {} alone: this system refuses system-call filters",
                           landlock);
    }
    return filtered ? "confined by a system-call filter alone: this kernel has no Landlock, so it "
                      "may open every file of its user"
                    : "not confined: this system has neither Landlock nor system-call filters";
}

}  // namespace merpati::connector::process
