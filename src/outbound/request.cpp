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
    if (!request.body.empty() || request.method == "POST") {
        bytes += "Content-Length: ";
        bytes += std::to_string(request.body.size());
        bytes += "\r\n";
    }
    bytes += "\r\n";
    bytes += request.body;
    return bytes;
}

}  // namespace merpati::outbound
