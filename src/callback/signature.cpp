#include "callback/signature.hpp"

#include "base/digest.hpp"

namespace merpati::callback {
namespace {

std::string unix_seconds(Timestamp time) {
    return std::to_string(
        std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count());
}

}  // namespace

std::string sign(std::span<const Bytes> secrets, std::string_view id, Timestamp attempted_at,
                 std::string_view body) {
    std::string content{id};
    content += '.';
    content += unix_seconds(attempted_at);
    content += '.';
    content += body;
    std::string signatures;
    for (const auto& secret : secrets) {
        signatures += signatures.empty() ? "v1," : " v1,";
        signatures += to_base64(hmac_sha256(secret, content));
    }
    return signatures;
}

std::string signature_headers(std::span<const Bytes> secrets, std::string_view id,
                              Timestamp attempted_at, std::string_view body) {
    std::string lines;
    lines.reserve(192);
    lines += "webhook-id: ";
    lines += id;
    lines += "\r\nwebhook-timestamp: ";
    lines += unix_seconds(attempted_at);
    lines += "\r\nwebhook-signature: ";
    lines += sign(secrets, id, attempted_at, body);
    lines += "\r\n";
    return lines;
}

std::string secret_text(const Bytes& secret) {
    return "whsec_" + to_base64(secret);
}

}  // namespace merpati::callback
