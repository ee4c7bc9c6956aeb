#include "outbound/request.hpp"

namespace merpati::outbound {

std::string request_text(const Request& request) {
    const auto& url = request.url;
    const bool standard = url.port == (url.scheme == "https" ? 443 : 80);
    const bool v6 = url.host.find(':') != std::string::npos;
    std::string bytes;
    bytes.reserve(256 + request.headers.size() + request.body.size());
    bytes += request.method;
    bytes += ' ';
    bytes += url.target;
    bytes += " HTTP/1.1\r\nHost: ";
    bytes += v6 ? "[" + url.host + "]" : url.host;
    if (!standard) {
        bytes += ':';
        bytes += std::to_string(url.port);
    }
    bytes += "\r\nUser-Agent: Merpati\r\nAccept: */*\r\n";
    bytes += request.headers;
    const auto file_bytes = request.file ? request.file->bytes + request.file->after.size() : 0;
    if (!request.body.empty() || file_bytes > 0 || request.method == "POST") {
        bytes += "Content-Length: ";
        bytes += std::to_string(request.body.size() + file_bytes);
        bytes += "\r\n";
    }
    bytes += "\r\n";
    bytes += request.body;
    return bytes;
}

}  // namespace merpati::outbound
