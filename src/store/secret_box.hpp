// Encrypts the secrets in the store, with a key that is kept outside it.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/error.hpp"

namespace merpati::store {

/// libsodium's secretbox (XSalsa20-Poly1305) with a random nonce before each ciphertext.
class SecretBox {
public:
    /// Reads the key file (base64 of 32 bytes, one line). Errors: not_found (missing), io_failed
    /// (unreadable), conflict (malformed); each detail names the file.
    [[nodiscard]] static Result<SecretBox> open(const std::filesystem::path& key_file);

    /// Creates the key file, with mode 0600, and syncs it. Errors: conflict (exists), io_failed.
    [[nodiscard]] static Result<SecretBox> create(const std::filesystem::path& key_file);

    /// A keyed digest by which texts are compared (BLAKE2b, with a key derived from this one).
    /// Without the key, a digest cannot be checked against guessed texts.
    [[nodiscard]] Sha256 fingerprint(std::string_view text) const;

    [[nodiscard]] Bytes seal(std::span<const std::byte> plain) const;

    /// Errors: conflict (sealed with another key, or damaged).
    [[nodiscard]] Result<Bytes> unseal(std::span<const std::byte> sealed) const;

private:
    using Key = std::array<unsigned char, 32>;
    explicit SecretBox(const Key& key) : key_(key) {}
    Key key_;
};

}  // namespace merpati::store
