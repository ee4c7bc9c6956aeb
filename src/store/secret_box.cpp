#include "store/secret_box.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <sodium.h>

#include "base/assert.hpp"
#include "base/file_descriptor.hpp"
#include "store/sync_directory.hpp"

namespace merpati::store {
namespace {

static_assert(crypto_secretbox_KEYBYTES == 32);

void start_sodium() {
    invariant(sodium_init() >= 0, "libsodium starts");
}

/// Writes the whole text to a new file and syncs it and its directory.
bool write_new_file(const std::filesystem::path& path, const std::string& text) {
    const FileDescriptor file{::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (!file) {
        return false;
    }
    bool ok = ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ok = ::fsync(file.get()) == 0 && ok;
    ok = ok && sync_directory_of(path);
    if (!ok) {
        ::unlink(path.c_str());  // The next start must not use half a key.
    }
    return ok;
}

}  // namespace

Result<SecretBox> SecretBox::open(const std::filesystem::path& key_file) {
    start_sodium();
    std::error_code error;
    if (!std::filesystem::exists(key_file, error) && !error) {
        return fail(ErrorCode::not_found,
                    fmt::format("the store's key file {} is missing: put it back from your "
                                "backup, or name it with store.key_file",
                                key_file.string()));
    }
    std::ifstream in{key_file};
    if (!in) {
        return fail(ErrorCode::io_failed,
                    fmt::format("the store's key file {} cannot be read: check its owner and the "
                                "permissions of its folders",
                                key_file.string()));
    }
    std::string line;
    std::getline(in, line);
    const auto bytes = from_base64(line);
    if (!bytes || bytes->size() != crypto_secretbox_KEYBYTES) {
        return fail(ErrorCode::conflict, fmt::format("{} is not a key file: it must hold one line "
                                                     "of base64 (32 bytes)",
                                                     key_file.string()));
    }
    Key key;
    std::memcpy(key.data(), bytes->data(), key.size());
    return SecretBox{key};
}

Result<SecretBox> SecretBox::create(const std::filesystem::path& key_file) {
    start_sodium();
    Key key;
    randombytes_buf(key.data(), key.size());
    const auto text = to_base64(std::as_bytes(std::span{key})) + "\n";
    if (!write_new_file(key_file, text)) {
        const auto code = errno == EEXIST ? ErrorCode::conflict : ErrorCode::io_failed;
        return fail(code, fmt::format("cannot write the store's key file {}: {}", key_file.string(),
                                      std::generic_category().message(errno)));
    }
    return SecretBox{key};
}

Sha256 SecretBox::fingerprint(std::string_view text) const {
    constexpr char context[crypto_kdf_CONTEXTBYTES + 1] = "requests";
    static_assert(crypto_kdf_KEYBYTES == std::tuple_size_v<Key>);
    Key key;
    crypto_kdf_derive_from_key(key.data(), key.size(), 1, context, key_.data());
    Sha256 digest;
    crypto_generichash(reinterpret_cast<unsigned char*>(digest.data()), digest.size(),
                       reinterpret_cast<const unsigned char*>(text.data()), text.size(), key.data(),
                       key.size());
    return digest;
}

Bytes SecretBox::seal(std::span<const std::byte> plain) const {
    Bytes sealed(crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES + plain.size());
    auto* nonce = reinterpret_cast<unsigned char*>(sealed.data());
    randombytes_buf(nonce, crypto_secretbox_NONCEBYTES);
    crypto_secretbox_easy(nonce + crypto_secretbox_NONCEBYTES,
                          reinterpret_cast<const unsigned char*>(plain.data()), plain.size(), nonce,
                          key_.data());
    return sealed;
}

Result<Bytes> SecretBox::unseal(std::span<const std::byte> sealed) const {
    constexpr std::size_t overhead = crypto_secretbox_NONCEBYTES + crypto_secretbox_MACBYTES;
    const auto* nonce = reinterpret_cast<const unsigned char*>(sealed.data());
    Bytes plain(sealed.size() - std::min(sealed.size(), overhead));
    if (sealed.size() < overhead ||
        crypto_secretbox_open_easy(
            reinterpret_cast<unsigned char*>(plain.data()), nonce + crypto_secretbox_NONCEBYTES,
            sealed.size() - crypto_secretbox_NONCEBYTES, nonce, key_.data()) != 0) {
        return fail(ErrorCode::conflict, "a secret of the store does not open with this key file");
    }
    return plain;
}

}  // namespace merpati::store
