// Packets between the gateway and a launcher, with descriptors.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/types.h>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"

namespace merpati::connector::process {

struct Packet {
    static constexpr std::size_t bytes_max = 4'096;
    static constexpr std::size_t descriptors_max = 2;

    std::string text;
    std::array<FileDescriptor, descriptors_max> descriptors;
    std::optional<uid_t> sender;  // As the kernel says, where the socket was asked for it.
};

// `socket` keeps the bounds of packets (SOCK_SEQPACKET).

/// Errors: io_failed.
[[nodiscard]] Result<void> send_packet(int socket, std::string_view text,
                                       std::span<const int> descriptors = {});

/// Does not wait: empty where none is there. A packet without text: the other side has ended.
/// Errors: protocol (too much in one), io_failed.
[[nodiscard]] Result<std::optional<Packet>> receive_packet(int socket);

/// What `receive_packet` says of the sender from now on. False: the system does not tell.
[[nodiscard]] bool ask_for_sender(int socket) noexcept;

}  // namespace merpati::connector::process
