#include "people/password_hasher.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <sodium.h>

#include "base/assert.hpp"

namespace merpati::people {
namespace {

constexpr std::size_t digest_bytes = 32;
constexpr const char* no_memory = "there is no memory to hash the password: try again";

template <class Semaphore>
class Place {
public:
    explicit Place(Semaphore& places) : places_(places) { places_.acquire(); }
    ~Place() { places_.release(); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

private:
    Semaphore& places_;
};

/// What the text of a hash says, as `crypto_pwhash_str_alg` writes it.
struct Parts {
    PasswordHasher::Cost cost;
    std::array<unsigned char, crypto_pwhash_SALTBYTES> salt{};
    std::array<unsigned char, digest_bytes> digest{};
};

/// Removes `word` from the front of `text`. False: the text begins in another way.
bool skip(std::string_view& text, std::string_view word) {
    const bool begins = text.starts_with(word);
    text.remove_prefix(begins ? word.size() : 0);
    return begins;
}

std::uint32_t take_number(std::string_view& text) {
    std::uint32_t number = 0;
    const auto* end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

template <std::size_t size>
bool decode(std::string_view text, std::array<unsigned char, size>& bytes) {
    std::size_t length = 0;
    return sodium_base642bin(bytes.data(), size, text.data(), text.size(), nullptr, &length,
                             nullptr, sodium_base64_VARIANT_ORIGINAL_NO_PADDING) == 0 &&
           length == size;
}

/// Empty: it is not a hash, or of a cost that the library refuses.
std::optional<Parts> parse(std::string_view hash) {
    Parts parts;
    const bool begins = skip(hash, "$argon2id$v=19$m=");
    parts.cost.memory_bytes = std::size_t{take_number(hash)} * 1024;
    const bool has_passes = skip(hash, ",t=");
    parts.cost.passes = take_number(hash);
    const bool has_threads = skip(hash, ",p=1$");
    const auto end = std::min(hash.find('$'), hash.size());
    const bool decoded = decode(hash.substr(0, end), parts.salt) && end < hash.size() &&
                         decode(hash.substr(end + 1), parts.digest);
    const bool possible = parts.cost.passes >= crypto_pwhash_argon2id_OPSLIMIT_MIN &&
                          parts.cost.memory_bytes >= crypto_pwhash_argon2id_MEMLIMIT_MIN;
    return begins && has_passes && has_threads && decoded && possible ? std::optional{parts}
                                                                      : std::nullopt;
}

/// A well-formed hash, whose digest is of no password.
std::string hash_of_nobody(PasswordHasher::Cost cost) {
    return fmt::format(
        "$argon2id$v=19$m={},t={},p=1$bWVycGF0aS1ub2JvZHktMA$"
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        cost.memory_bytes / 1024, cost.passes);
}

}  // namespace

PasswordHasher::PasswordHasher(Cost cost) : cost_(cost), of_nobody_(hash_of_nobody(cost)) {
    invariant(sodium_init() >= 0, "libsodium starts");
}

Result<std::string> PasswordHasher::hash(std::string_view password) {
    const Place place{places_};
    std::array<char, crypto_pwhash_STRBYTES> text{};
    if (crypto_pwhash_str_alg(text.data(), password.data(), password.size(), cost_.passes,
                              cost_.memory_bytes, crypto_pwhash_ALG_ARGON2ID13) != 0) {
        return fail(ErrorCode::busy, no_memory);
    }
    return std::string{text.data()};
}

// Not by `crypto_pwhash_str_verify`, which answers a shortage of memory like a wrong password.
Result<bool> PasswordHasher::verify(const std::string& hash, std::string_view password) {
    const auto parts = parse(hash.empty() ? of_nobody_ : hash);
    if (!parts) {
        return false;
    }
    const Place place{places_};
    std::array<unsigned char, digest_bytes> digest{};
    if (crypto_pwhash(digest.data(), digest.size(), password.data(), password.size(),
                      parts->salt.data(), parts->cost.passes, parts->cost.memory_bytes,
                      crypto_pwhash_ALG_ARGON2ID13) != 0) {
        return fail(ErrorCode::busy, no_memory);
    }
    const bool right = sodium_memcmp(digest.data(), parts->digest.data(), digest.size()) == 0;
    return right && !hash.empty();
}

bool PasswordHasher::is_outdated(const std::string& hash) const {
    std::string padded = hash;
    padded.resize(crypto_pwhash_STRBYTES, '\0');
    padded.back() = '\0';
    return crypto_pwhash_str_needs_rehash(padded.data(), cost_.passes, cost_.memory_bytes) != 0;
}

}  // namespace merpati::people
