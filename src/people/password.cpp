#include "people/password.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "people/token.hpp"

namespace merpati::people {
namespace {

constexpr std::size_t distinct_min = 5;

/// Common passwords of at least twelve characters, in lower case.
constexpr std::array<std::string_view, 44> common{
    "123456789012",     "1234567890123",    "12345678901234",  "123456789123",
    "1234567891011",    "123456781234",     "012345678901",    "0123456789ab",
    "098765432109",     "112233445566",     "1q2w3e4r5t6y",    "1qaz2wsx3edc",
    "1qazxsw23edc",     "abc123abc123",     "abcdefghijkl",    "abcdefghijklmnop",
    "administrator",    "administrator1",   "adminadminadmin", "admin1234567",
    "admin12345678",    "changemechangeme", "changeme1234",    "correcthorsebatterystaple",
    "dragondragon",     "iloveyou1234",     "iloveyouforever", "iloveyouiloveyou",
    "letmeinletmein",   "letmeinplease",    "merpati12345",    "merpati123456",
    "merpatimerpati",   "password1234",     "password12345",   "password123456",
    "passwordpassword", "qwerty123456",     "qwertyqwerty",    "qwertyuiop12",
    "qwertyuiop123",    "qwertyuiop[]",     "qwertyuiopasdf",  "rahasiarahasia"};

std::size_t characters_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

bool is_guessed_first(std::string_view password, std::string_view email) {
    const auto lowered = lower_case(password);
    return std::ranges::find(common, lowered) != common.end() || lowered == email ||
           lowered == email.substr(0, email.find('@')) ||
           std::set<char>(lowered.begin(), lowered.end()).size() < distinct_min;
}

}  // namespace

Result<void> check_password(std::string_view password, std::string_view email) {
    const auto refuse = [](std::string why) {
        return fail(ErrorCode::invalid_argument, std::move(why));
    };
    if (!is_utf8(password) || std::ranges::any_of(password, [](char c) {
            return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
        })) {
        return refuse("must be text without control characters");
    }
    if (characters_of(password) < password_characters_min) {
        return refuse(fmt::format("must have at least {} characters", password_characters_min));
    }
    if (password.size() > password_bytes_max) {
        return refuse(fmt::format("must have at most {} bytes", password_bytes_max));
    }
    if (is_guessed_first(password, email)) {
        return refuse("is one of those that are guessed first");
    }
    return {};
}

std::string make_password(Random& random) {
    return make_grouped_code(random, 4, 5);
}

}  // namespace merpati::people
