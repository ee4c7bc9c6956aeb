// The secret by which nodes know each other's requests.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/digest.hpp"
#include "base/error.hpp"

namespace merpati::forwarding {

/// Operation: a request that is passed on carries a proof, an HMAC over its method, its target and
/// the text of its caller. So whoever sees one such request cannot claim another caller with it.
///
/// Limits: it proves nothing of headers and body, nor when the request was made. The network
/// between the nodes must be one that no stranger reads.
///
/// Threads: any.
class NodeSecret {
public:
    /// Reads the file, of which all nodes have a copy. Line ends at its end do not matter. Errors:
    /// io_failed (it cannot be read), conflict (fewer than `bytes_min`, or more than `bytes_max`);
    /// the detail names the file.
    [[nodiscard]] static Result<NodeSecret> open(const std::filesystem::path& file);
    [[nodiscard]] static NodeSecret of(std::string_view text);

    [[nodiscard]] std::string prove(std::string_view method, std::string_view target,
                                    std::string_view caller) const;
    [[nodiscard]] bool holds(std::string_view proof, std::string_view method,
                             std::string_view target, std::string_view caller) const;

    static constexpr std::size_t bytes_min = 16;
    static constexpr std::size_t bytes_max = 4096;

private:
    explicit NodeSecret(const Sha256& key) : key_(key) {}

    Sha256 key_;  // Derived, so that the store's key is used for nothing else.
};

}  // namespace merpati::forwarding
