#include "forwarding/peer.hpp"

#include <cstdint>
#include <string>

#include "base/number.hpp"

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
    const auto port = parse_whole<std::uint16_t>(address.substr(colon + 1));
    boost::system::error_code error;
    const auto literal = boost::asio::ip::make_address(std::string{host}, error);
    if (error || !port) {
        return std::nullopt;
    }
    return boost::asio::ip::tcp::endpoint{literal, *port};
}

}  // namespace merpati::forwarding
