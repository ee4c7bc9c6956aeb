#include "forwarding/node_secret.hpp"

#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "base/encoding.hpp"

namespace merpati::forwarding {
namespace {

constexpr std::string_view purpose = "merpati: requests between nodes";

}  // namespace

Result<NodeSecret> NodeSecret::open(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    std::string text(bytes_max + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!in.is_open() || in.bad()) {
        return fail(ErrorCode::io_failed,
                    fmt::format("the file of the nodes' secret {} cannot be read: check its owner "
                                "and the permissions of its folders, or name another one with "
                                "cluster.key_file",
                                file.string()));
    }
    text.resize(static_cast<std::size_t>(in.gcount()));
    const bool too_long = text.size() > bytes_max;
    while (text.ends_with('\n') || text.ends_with('\r')) {
        text.pop_back();
    }
    if (too_long || text.size() < bytes_min) {
        return fail(ErrorCode::conflict,
                    fmt::format("the nodes' secret {} must have {} to {} bytes", file.string(),
                                bytes_min, bytes_max));
    }
    return of(text);
}

NodeSecret NodeSecret::of(std::string_view text) {
    return NodeSecret{hmac_sha256(as_bytes(text), purpose)};
}

/// None of the three has a line end: they are parts of a request's head.
std::string NodeSecret::prove(std::string_view method, std::string_view target,
                              std::string_view caller) const {
    return to_hex(hmac_sha256(key_, fmt::format("{}\n{}\n{}", method, target, caller)));
}

bool NodeSecret::holds(std::string_view proof, std::string_view method, std::string_view target,
                       std::string_view caller) const {
    return equal_constant_time(as_bytes(proof), as_bytes(prove(method, target, caller)));
}

}  // namespace merpati::forwarding
