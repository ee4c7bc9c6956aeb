#include "model/ids.hpp"

namespace merpati::model {

std::optional<PhoneNumber> PhoneNumber::parse(std::string_view digits) noexcept {
    if (digits.size() < 8 || digits.size() > 15 || digits.front() == '0') {
        return std::nullopt;
    }
    std::int64_t value = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') {
            return std::nullopt;
        }
        value = value * 10 + (c - '0');
    }
    return from_stored(value);
}

}  // namespace merpati::model
