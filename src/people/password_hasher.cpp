#include "people/password_hasher.hpp"

#include <array>

#include <fmt/format.h>
#include <sodium.h>

#include "base/assert.hpp"

namespace merpati::people {
namespace {

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
        return fail(ErrorCode::busy, "there is no memory to hash the password: try again");
    }
    return std::string{text.data()};
}

bool PasswordHasher::verify(const std::string& hash, std::string_view password) {
    const Place place{places_};
    // The library reads this fixed size.
    std::string padded = hash.empty() ? of_nobody_ : hash;
    padded.resize(crypto_pwhash_STRBYTES, '\0');
    padded.back() = '\0';
    const bool right =
        crypto_pwhash_str_verify(padded.data(), password.data(), password.size()) == 0;
    return right && !hash.empty();
}

bool PasswordHasher::is_outdated(const std::string& hash) const {
    std::string padded = hash;
    padded.resize(crypto_pwhash_STRBYTES, '\0');
    padded.back() = '\0';
    return crypto_pwhash_str_needs_rehash(padded.data(), cost_.passes, cost_.memory_bytes) != 0;
}

}  // namespace merpati::people
