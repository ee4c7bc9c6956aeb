#include "base/digest.hpp"

#include <vector>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/assert.hpp"

namespace merpati {
namespace {

/// Fetched once: looking an algorithm up by name costs more than hashing a short text.
const EVP_MD* sha256_algorithm() {
    static const EVP_MD* algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    invariant(algorithm != nullptr, "OpenSSL has SHA-256");
    return algorithm;
}

struct FreeContext {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

struct FreeMac {
    void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
    void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
using MacContext = std::unique_ptr<EVP_MAC_CTX, FreeMac>;

/// Created once per thread: OpenSSL's HMAC() looks up both algorithms by name at each call, which
/// costs more than the HMAC of a callback's body.
MacContext new_hmac_sha256() {
    const std::unique_ptr<EVP_MAC, FreeMac> mac{
        EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr)};
    MacContext context{EVP_MAC_CTX_new(mac.get())};
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_END};
    invariant(EVP_MAC_CTX_set_params(context.get(), parameters) == 1, "OpenSSL has HMAC-SHA256");
    return context;
}

/// The key that a thread's context holds. This copy is erased when another key replaces it.
class LastKey {
public:
    LastKey() = default;
    LastKey(const LastKey&) = delete;
    LastKey& operator=(const LastKey&) = delete;
    ~LastKey() { clear(); }

    [[nodiscard]] bool is(std::span<const std::byte> key) const noexcept {
        return !key_.empty() && equal_constant_time(key_, key);
    }
    void set(std::span<const std::byte> key) {
        clear();
        key_.assign(key.begin(), key.end());
    }

private:
    void clear() noexcept { OPENSSL_cleanse(key_.data(), key_.size()); }

    std::vector<std::byte> key_;
};

unsigned char* raw(Sha256& digest) {
    return reinterpret_cast<unsigned char*>(digest.data());
}

}  // namespace

struct Sha256Stream::State {
    Context context{EVP_MD_CTX_new()};
};

Sha256 sha256(std::span<const std::byte> bytes) {
    thread_local const Context context{EVP_MD_CTX_new()};
    Sha256 digest;
    const bool ok = EVP_DigestInit_ex(context.get(), sha256_algorithm(), nullptr) == 1 &&
                    EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
                    EVP_DigestFinal_ex(context.get(), raw(digest), nullptr) == 1;
    invariant(ok, "SHA-256 works");
    return digest;
}

// A thread's context keeps the key of the previous call. Setting a key hashes two blocks, half of
// the work for a short text, and callers mostly sign many texts with one key.
Sha256 hmac_sha256(std::span<const std::byte> key, std::string_view text) {
    thread_local const MacContext context = new_hmac_sha256();
    thread_local LastKey last;
    Sha256 digest;
    std::size_t length = 0;
    const bool known = last.is(key);
    // A null key keeps the previous one. The data of an empty key may be null.
    static constexpr unsigned char no_bytes = 0;
    const auto* given =
        key.empty() ? &no_bytes : reinterpret_cast<const unsigned char*>(key.data());
    const bool ok =
        EVP_MAC_init(context.get(), known ? nullptr : given, known ? 0 : key.size(), nullptr) ==
            1 &&
        EVP_MAC_update(context.get(), reinterpret_cast<const unsigned char*>(text.data()),
                       text.size()) == 1 &&
        EVP_MAC_final(context.get(), raw(digest), &length, digest.size()) == 1;
    invariant(ok && length == digest.size(), "HMAC-SHA256 works");
    if (!known) {
        last.set(key);
    }
    return digest;
}

bool equal_constant_time(std::span<const std::byte> left,
                         std::span<const std::byte> right) noexcept {
    return left.size() == right.size() &&
           CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

Sha256Stream::Sha256Stream() : state_(std::make_unique<State>()) {
    invariant(EVP_DigestInit_ex(state_->context.get(), sha256_algorithm(), nullptr) == 1,
              "SHA-256 works");
}
Sha256Stream::~Sha256Stream() = default;
Sha256Stream::Sha256Stream(Sha256Stream&&) noexcept = default;
Sha256Stream& Sha256Stream::operator=(Sha256Stream&&) noexcept = default;

void Sha256Stream::add(std::span<const std::byte> bytes) {
    invariant(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1,
              "SHA-256 works");
}

Sha256 Sha256Stream::finish() {
    Sha256 digest;
    invariant(EVP_DigestFinal_ex(state_->context.get(), raw(digest), nullptr) == 1,
              "SHA-256 works");
    return digest;
}

}  // namespace merpati
