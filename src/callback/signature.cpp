#include "callback/signature.hpp"

#include "base/digest.hpp"

namespace merpati::callback {
namespace {

void append_signatures(std::string& lines, std::span<const Bytes> secrets, std::string_view id,
                       std::string_view seconds, std::string_view body) {
    std::string content;
    content.reserve(id.size() + seconds.size() + body.size() + 2);
    content.append(id).append(1, '.').append(seconds).append(1, '.').append(body);
    for (const auto& secret : secrets) {
        lines += &secret == secrets.data() ? "v1," : " v1,";
        lines += to_base64(hmac_sha256(secret, content));
    }
}

}  // namespace

std::string signature_headers(std::span<const Bytes> secrets, std::string_view id,
                              Timestamp attempted_at, std::string_view body) {
    const auto seconds = std::to_string(
        std::chrono::floor<std::chrono::seconds>(attempted_at).time_since_epoch().count());
    std::string lines;
    lines.reserve(256);  // Enough for two secrets.
    lines.append("webhook-id: ").append(id);
    lines.append("\r\nwebhook-timestamp: ").append(seconds);
    lines.append("\r\nwebhook-signature: ");
    append_signatures(lines, secrets, id, seconds, body);
    lines += "\r\n";
    return lines;
}

}  // namespace merpati::callback
