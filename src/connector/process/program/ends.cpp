#include "connector/process/program/ends.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace merpati::connector::process {
namespace {

/// `made` is the result of the call that filled `pair`.
Result<Ends> ends_of(int made, const std::array<int, 2>& pair, const char* what) {
    if (made != 0) {
        return fail(ErrorCode::io_failed,
                    std::string{what} + ": " + std::generic_category().message(errno));
    }
    ::fcntl(pair[0], F_SETFL, O_NONBLOCK);
    return Ends{.ours = FileDescriptor{pair[0]}, .its = FileDescriptor{pair[1]}};
}

}  // namespace

Result<WorkerEnds> worker_ends() {
    std::array<int, 2> pair{};
    auto socket = ends_of(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), pair,
                          "a socket for it cannot be made");
    if (!socket) {
        return pass(socket);
    }
    auto output = ends_of(::pipe2(pair.data(), O_CLOEXEC), pair, "a pipe for it cannot be made");
    if (!output) {
        return pass(output);
    }
    return WorkerEnds{.socket = std::move(*socket), .output = std::move(*output)};
}

}  // namespace merpati::connector::process
