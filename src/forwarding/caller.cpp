#include "forwarding/caller.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/number.hpp"

namespace merpati::forwarding {
namespace {

constexpr std::string_view user_word = "user=";

/// PeerAddress keeps the first half of an IPv6 address, and shows it as a network.
constexpr std::string_view half_suffix = "/64";

std::string address_text(const http::PeerAddress& peer) {
    auto text = peer.text();
    if (text.ends_with(half_suffix)) {
        text.resize(text.size() - half_suffix.size());
    }
    return text;
}

/// Cuts the first word off.
std::string_view take_word(std::string_view& text) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

bool take_mark(Caller& caller, std::string_view word) {
    if (word == "tls") {
        caller.is_encrypted = true;
    } else if (word == "loopback") {
        caller.from_loopback = true;
    } else if (word == "socket") {
        caller.from_local_socket = true;
    } else if (word.starts_with(user_word)) {
        word.remove_prefix(user_word.size());
        caller.peer_user = parse_whole<std::uint32_t>(word);
        return caller.peer_user.has_value();
    } else {
        return false;
    }
    return true;
}

}  // namespace

Caller caller_of(const http::Request& request) {
    return {.peer = request.peer,
            .from_loopback = request.from_loopback,
            .from_local_socket = request.from_local_socket,
            .is_encrypted = request.is_encrypted,
            .peer_user = request.peer_user};
}

std::string text_of(const Caller& caller) {
    auto text = address_text(caller.peer);
    for (const auto& [is_set, word] :
         {std::pair{caller.is_encrypted, " tls"}, std::pair{caller.from_loopback, " loopback"},
          std::pair{caller.from_local_socket, " socket"}}) {
        text += is_set ? word : "";
    }
    if (caller.peer_user) {
        text += fmt::format(" {}{}", user_word, *caller.peer_user);
    }
    return text;
}

std::optional<Caller> parse_caller(std::string_view text) {
    Caller caller;
    const auto address = take_word(text);
    if (address != http::PeerAddress{}.text()) {
        const auto peer = http::PeerAddress::parse(address);
        if (!peer) {
            return std::nullopt;
        }
        caller.peer = *peer;
    }
    while (!text.empty()) {
        if (!take_mark(caller, take_word(text))) {
            return std::nullopt;
        }
    }
    return caller;
}

void amend(http::Request& request, const Caller& caller) {
    request.peer = caller.peer;
    request.from_loopback = caller.from_loopback;
    request.from_local_socket = caller.from_local_socket;
    request.is_encrypted = caller.is_encrypted;
    request.peer_user = caller.peer_user;
    request.vouch(http::Party{caller.peer});  // Its limits are those of the address.
}

}  // namespace merpati::forwarding
