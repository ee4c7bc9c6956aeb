#include "cli/hints.hpp"

#include <array>
#include <string_view>

namespace merpati::cli {
namespace {

struct Hint {
    std::string_view words;  // Part of the refusal's sentence.
    std::string_view command;
};

constexpr std::array hints{
    Hint{"there is no account ", "merpati account list"},
    Hint{"there is no key ", "merpati key list ACCOUNT"},
    Hint{"there is no device ", "merpati device list"},
    Hint{"there is no message ", "merpati message list"},
    Hint{"there is no campaign ", "merpati campaign list"},
    Hint{"there is no contact ", "merpati contact list --account ID"},
    Hint{"is not ready to start", "merpati campaign check ID"},
    Hint{"there is no callback ", "merpati callback list"},
    Hint{"there is no person ", "merpati user list"},
    Hint{"change that person instead", "merpati user set"},
    Hint{"does not work any more: create a new one", "merpati key create ACCOUNT"},
    Hint{"can raise the account's `devices_max`", "merpati account set ACCOUNT --devices-max N"},
    Hint{"clear its queue", "merpati device queue clear NUMBER"},
    Hint{": disconnect it first", "merpati device disconnect NUMBER"},
};

}  // namespace

std::string with_hint(std::string detail) {
    for (const auto& [words, command] : hints) {
        if (detail.contains(words)) {
            detail.append(" (`").append(command).append("`)");
            break;
        }
    }
    return detail;
}

}  // namespace merpati::cli
