// Sends and receives packets with descriptors, between the gateway and a launcher.
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
    std::optional<uid_t> sender;  // From the kernel, if `ask_for_sender` was called.
};

// `socket` must be of type SOCK_SEQPACKET.

/// Does not wait. Errors: io_failed, also if the socket's buffer is full.
[[nodiscard]] Result<void> send_packet(int socket, std::string_view text,
                                       std::span<const int> descriptors = {});

/// Does not wait: empty if there is no packet. A packet without text: the other side has closed.
/// Errors: protocol (more than a packet may hold), io_failed.
[[nodiscard]] Result<std::optional<Packet>> receive_packet(int socket);

/// Makes the kernel name the sender of each packet that is received from now on. False: it cannot.
[[nodiscard]] bool ask_for_sender(int socket) noexcept;

}  // namespace merpati::connector::process
