#include "connector/process/program/launched.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "connector/process/codec/packet.hpp"
#include "connector/process/program/ends.hpp"

namespace merpati::connector::process {
namespace {

std::unexpected<Error> connect_failure(const std::string& path, int error) {
    const auto why = std::generic_category().message(error);
    switch (error) {
        case ENOENT:
        case ECONNREFUSED:
            return fail(
                ErrorCode::unreachable,
                fmt::format("nobody listens at {}: is merpati-worker.socket started?", path));
        case EACCES:
        case EPERM:
            return fail(ErrorCode::forbidden,
                        fmt::format("this user may not connect to {}: {}", path, why));
        case EAGAIN:
            return fail(ErrorCode::busy, fmt::format("too many wait at {}", path));
        default:
            return fail(ErrorCode::io_failed,
                        fmt::format("{} cannot be connected to: {}", path, why));
    }
}

/// Whoever created the socket decides who answers. It must be root, for whom systemd listens, or
/// our own user. In a user name space all other users appear as one that is neither.
Result<void> judge_listener(const std::string& path, int connection) {
    ucred listener{};
    socklen_t size = sizeof(listener);
    if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &listener, &size) != 0 ||
        (listener.uid != 0 && listener.uid != ::geteuid())) {
        return fail(ErrorCode::forbidden,
                    fmt::format("{} is another user's: only root's or our own is trusted", path));
    }
    return {};
}

Result<FileDescriptor> connect_to(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) {
        return fail(ErrorCode::invalid_argument, path + " is too long for a socket");
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    FileDescriptor connection{::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!connection || !ask_for_sender(connection.get()) ||
        ::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
            0) {
        return connect_failure(path, errno);
    }
    if (auto judged = judge_listener(path, connection.get()); !judged) {
        return pass(judged);
    }
    return connection;
}

}  // namespace

Result<Launched> Launched::start(const Clock& clock, const LauncherPlace& place,
                                 const LaunchOrder& order) {
    auto connection = connect_to(place.path);
    if (!connection) {
        return pass(connection);
    }
    Launched launched{clock, place, std::move(*connection)};
    if (order.kind == LaunchOrder::Kind::examine) {
        auto sent = send_packet(launched.connection_.get(), write_order(order));
        return sent ? Result<Launched>{std::move(launched)} : pass(sent);
    }
    auto ends = worker_ends();
    if (!ends) {
        return pass(ends);
    }
    const std::array given{ends->socket.its.get(), ends->output.its.get()};
    if (auto sent = send_packet(launched.connection_.get(), write_order(order), given); !sent) {
        return pass(sent);
    }
    launched.socket_ = std::move(ends->socket.ours);
    launched.output_ = std::move(ends->output.ours);
    return launched;
}

void Launched::kill() noexcept {
    if (!end_by_) {
        end_by_ = clock_->steady_now() + end_within;
        ::shutdown(connection_.get(), SHUT_WR);
    }
}

std::string Launched::reap() {
    read();
    if (!broken_.empty()) {
        return broken_;
    }
    return end_by_ && clock_->steady_now() >= *end_by_ ? "its launcher does not end" : "";
}

std::string Launched::objection() {
    read();
    if (place_.any_user) {
        return {};
    }
    if (!user_) {
        return "its launcher did not say who it is";
    }
    if (*user_ == 0 || *user_ == ::geteuid()) {
        return fmt::format("its launcher runs as {}: a worker there must have a user of its own",
                           *user_ == 0 ? "root" : "the server's own user");
    }
    return {};
}

int Launched::take_end() noexcept {
    return ::fcntl(connection_.get(), F_DUPFD_CLOEXEC, 0);
}

void Launched::read() {
    while (broken_.empty()) {
        auto packet = receive_packet(connection_.get());
        if (!packet) {
            broken_ = "its launcher: " + packet.error().detail;
        } else if (!*packet) {
            return;
        } else if ((*packet)->text.empty()) {
            broken_ = !last_.text.empty() ? last_.text
                      : user_             ? "its launcher was ended"
                                          : "its launcher ended without a word: the journal of "
                                            "merpati-worker@ says why";
        } else if (auto report = read_report((*packet)->text); !report) {
            broken_ = "its launcher: " + report.error().detail;
        } else {
            take(*report, (*packet)->sender);
        }
    }
}

void Launched::take(const LaunchReport& report, std::optional<uid_t> sender) {
    if (report.kind == LaunchReport::Kind::begins) {
        user_ = sender;
    } else if (report.kind == LaunchReport::Kind::confined) {
        confinement_ = report.confinement;
        return;
    }
    last_ = report;
}

}  // namespace merpati::connector::process
