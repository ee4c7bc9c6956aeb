#include "forwarding/peer.hpp"

#include <charconv>
#include <cstdint>
#include <string>

namespace merpati::forwarding {

std::optional<boost::asio::ip::tcp::endpoint> endpoint_of(std::string_view address) {
    const auto colon = address.rfind(':');
    if (colon == std::string_view::npos) {
        return std::nullopt;
    }
    auto host = address.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) {
        host = host.substr(1, host.size() - 2);
    }
    const auto digits = address.substr(colon + 1);
    std::uint16_t port = 0;
    const auto [stop, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    boost::system::error_code error;
    const auto literal = boost::asio::ip::make_address(std::string{host}, error);
    if (error || wrong != std::errc{} || stop != digits.data() + digits.size()) {
        return std::nullopt;
    }
    return boost::asio::ip::tcp::endpoint{literal, port};
}

}  // namespace merpati::forwarding
