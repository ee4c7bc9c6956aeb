#include "connector/process/codec/packet.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <system_error>

#include "base/assert.hpp"

namespace merpati::connector::process {
namespace {

constexpr std::size_t rights_bytes = sizeof(int) * Packet::descriptors_max;

std::unexpected<Error> io_failure(std::string_view what) {
    return fail(ErrorCode::io_failed,
                std::string{what} + ": " + std::generic_category().message(errno));
}

void take_control(const cmsghdr& header, Packet& packet) {
    if (header.cmsg_level != SOL_SOCKET) {
        return;
    }
    const auto* const data = CMSG_DATA(&header);
    if (header.cmsg_type == SCM_RIGHTS) {
        const auto count = (header.cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t index = 0; index < count; ++index) {
            int descriptor = -1;
            std::memcpy(&descriptor, data + index * sizeof(int), sizeof(int));
            FileDescriptor held{descriptor};
            if (index < packet.descriptors.size()) {
                packet.descriptors.at(index) = std::move(held);
            }
        }
    } else if (header.cmsg_type == SCM_CREDENTIALS) {
        ucred sender{};
        std::memcpy(&sender, data, sizeof(sender));
        packet.sender = sender.uid;
    }
}

}  // namespace

Result<void> send_packet(int socket, std::string_view text, std::span<const int> descriptors) {
    invariant(descriptors.size() <= Packet::descriptors_max, "a packet has room for them");
    std::string bytes{text};
    iovec piece{.iov_base = bytes.data(), .iov_len = bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(rights_bytes)> control{};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        message.msg_control = control.data();
        message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
        auto* const header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
    }
    ssize_t sent = 0;
    do {
        sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    return sent < 0 ? Result<void>{io_failure("it cannot be written to")} : Result<void>{};
}

Result<std::optional<Packet>> receive_packet(int socket) {
    std::array<char, Packet::bytes_max> bytes{};
    iovec piece{.iov_base = bytes.data(), .iov_len = bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(rights_bytes) + CMSG_SPACE(sizeof(ucred))>
        control{};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t count = 0;
    do {
        count = ::recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    } while (count < 0 && errno == EINTR);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return std::nullopt;
    }
    Packet packet;
    if (count < 0 && errno != ECONNRESET) {
        return io_failure("it cannot be read from");
    }
    if (count <= 0) {
        return packet;
    }
    for (auto* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
        take_control(*header, packet);
    }
    if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
        return fail(ErrorCode::protocol, "it sent more than a packet may hold");
    }
    packet.text.assign(bytes.data(), static_cast<std::size_t>(count));
    return packet;
}

bool ask_for_sender(int socket) noexcept {
    const int on = 1;
    return ::setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0;
}

}  // namespace merpati::connector::process
