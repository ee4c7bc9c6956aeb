#include "people/token.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/encoding.hpp"

namespace merpati::people {
namespace {

constexpr std::size_t token_bytes = 32;
constexpr std::size_t token_characters = 43;
constexpr std::string_view code_alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
static_assert(code_alphabet.size() == 32);

constexpr std::size_t recovery_groups = 4;
constexpr std::size_t recovery_group_size = 4;

}  // namespace

std::string make_token(Random& random) {
    std::array<std::byte, token_bytes> bytes{};
    random.fill(bytes);
    return to_base62(bytes, token_characters);
}

std::optional<Sha256> token_digest(std::string_view token) {
    if (token.size() != token_characters ||
        !std::ranges::all_of(token, [](char c) { return is_letter(c) || is_digit(c); })) {
        return std::nullopt;
    }
    return sha256(token);
}

std::string make_grouped_code(Random& random, std::size_t groups, std::size_t size) {
    std::vector<std::byte> bytes(groups * size);
    random.fill(bytes);
    std::string code;
    for (std::size_t place = 0; place < bytes.size(); ++place) {
        if (place > 0 && place % size == 0) {
            code += '-';
        }
        code += code_alphabet[std::to_integer<std::size_t>(bytes[place]) % code_alphabet.size()];
    }
    return code;
}

std::vector<std::string> make_recovery_codes(Random& random) {
    std::vector<std::string> codes;
    while (codes.size() < recovery_codes_count) {
        codes.push_back(make_grouped_code(random, recovery_groups, recovery_group_size));
    }
    return codes;
}

std::optional<Sha256> recovery_digest(std::string_view code) {
    std::string plain;
    for (const char c : code) {
        if (code_alphabet.contains(to_lower(c))) {
            plain += to_lower(c);
        } else if (c != '-' && c != ' ') {
            return std::nullopt;
        }
    }
    if (plain.size() != recovery_groups * recovery_group_size) {
        return std::nullopt;
    }
    return sha256(plain);
}

}  // namespace merpati::people
