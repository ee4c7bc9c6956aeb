#include "connector/process/program/launcher.hpp"

#include <array>
#include <poll.h>
#include <tuple>
#include <utility>

#include "connector/process/codec/launch.hpp"
#include "connector/process/codec/packet.hpp"

namespace merpati::connector::process {
namespace {

using ReportKind = LaunchReport::Kind;

Result<void> report(const FileDescriptor& connection, const LaunchReport& report) {
    return send_packet(connection.get(), write_report(report));
}

/// Errors: timeout, protocol, io_failed, unreachable (the gateway has closed its side).
Result<Packet> await_order(const FileDescriptor& connection, Millis within) {
    pollfd waiting{.fd = connection.get(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, static_cast<int>(within.count())) <= 0) {
        return fail(ErrorCode::timeout, "no order came");
    }
    auto packet = receive_packet(connection.get());
    if (!packet) {
        return pass(packet);
    }
    if (!*packet || (*packet)->text.empty()) {
        return fail(ErrorCode::unreachable, "the server ended before it said what to run");
    }
    return std::move(**packet);
}

/// Waits for the worker's end, and returns how it ended. Ends it if it takes too much memory, or if
/// the gateway closes its side.
std::string watch(const FileDescriptor& connection, Child& child, std::uint64_t memory_max,
                  Millis memory_every) {
    const FileDescriptor end{child.take_end()};
    std::string why;
    for (;;) {
        // Once it is killed, wait for its end only.
        std::array<pollfd, 2> waiting{
            {{.fd = end.get(), .events = POLLIN, .revents = 0},
             {.fd = why.empty() ? connection.get() : -1, .events = POLLIN, .revents = 0}}};
        ::poll(waiting.data(), waiting.size(), static_cast<int>(memory_every.count()));
        if (auto ended = child.reap(); !ended.empty()) {
            return why.empty() ? std::move(ended) : std::move(why);
        }
        if (waiting[1].revents != 0) {
            why = "the server ended it";
            child.kill();
        } else if (auto excess = excess_of(child.memory(memory_max), memory_max);
                   why.empty() && !excess.empty()) {
            why = std::move(excess);
            child.kill();
        }
    }
}

Result<void> run(const FileDescriptor& connection, const LauncherOptions& options,
                 const LaunchOrder& order, Packet&& packet) {
    auto program = options.program();
    if (!program) {
        return report(connection, {.kind = ReportKind::not_run, .text = program.error().detail});
    }
    program->memory_max = order.memory_max;
    program->file_bytes_max = order.file_bytes_max;
    auto child =
        Child::start(*program, std::move(packet.descriptors[0]), std::move(packet.descriptors[1]));
    if (!child) {
        return report(connection, {.kind = ReportKind::not_run, .text = child.error().detail});
    }
    // The gateway may have gone: `watch` notices it.
    if (order.wants_confinement) {
        std::ignore =
            report(connection,
                   {.kind = ReportKind::confined, .text = {}, .confinement = child->confinement()});
    }
    auto how = watch(connection, *child, order.memory_max, options.memory_every);
    // The gateway may have gone.
    std::ignore = report(
        connection,
        {.kind = ReportKind::ended, .text = std::move(how), .exit_code = child->exit_code()});
    return {};
}

}  // namespace

Result<void> launch(const FileDescriptor& connection, const LauncherOptions& options) {
    auto packet = await_order(connection, options.order_within);
    if (!packet) {
        return pass(packet);
    }
    const auto order = read_order(packet->text);
    if (!order) {
        std::ignore =
            report(connection, {.kind = ReportKind::not_run, .text = order.error().detail});
        return pass(order);
    }
    if (auto said = report(connection, {.kind = ReportKind::begins}); !said) {
        return said;
    }
    if (order->kind == LaunchOrder::Kind::examine) {
        const auto found = options.examine();
        return report(connection, {.kind = found ? ReportKind::examined : ReportKind::not_run,
                                   .text = found ? *found : found.error().detail});
    }
    if (!packet->descriptors[0] || !packet->descriptors[1]) {
        return fail(ErrorCode::protocol, "the order came without descriptors");
    }
    return run(connection, options, *order, std::move(*packet));
}

}  // namespace merpati::connector::process
