#include "connector/platform_webhook.hpp"

#include "base/ascii.hpp"

namespace merpati::connector {

std::optional<Sha256> PlatformWebhook::parse_signature(std::string_view header) {
    constexpr std::string_view prefix = "sha256=";
    Sha256 signature{};
    if (!header.starts_with(prefix) || header.size() != prefix.size() + 2 * signature.size()) {
        return std::nullopt;
    }
    header.remove_prefix(prefix.size());
    for (std::size_t at = 0; at < signature.size(); ++at) {
        const auto high = hex_value(header[2 * at]);
        const auto low = hex_value(header[2 * at + 1]);
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        signature[at] = static_cast<std::byte>(high * 16 + low);
    }
    return signature;
}

}  // namespace merpati::connector
