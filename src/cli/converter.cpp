#include "cli/converter.hpp"

#include <array>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <boost/json/parse.hpp>

#include "daemon/worker_programs.hpp"

namespace merpati::cli {
namespace {

using connector::process::Child;
using connector::process::Sandbox;

constexpr int answer_within = 120'000;  // Milliseconds.
constexpr std::size_t chunk_bytes = 65'536;
constexpr std::size_t line_bytes_max = 1'048'576;
constexpr std::size_t all_bytes_max = 64UL * 1024 * 1024;
constexpr std::size_t said_max = 4'096;
constexpr std::uint64_t memory_max = 1ULL << 30;
constexpr std::string_view prefix = "linked: ";  // Of the lines that the program prints.

Converter::Moved moved_of(const boost::json::object& done) {
    const auto count = [&done](std::string_view name) {
        const auto* found = done.if_contains({name.data(), name.size()});
        return found != nullptr && found->is_int64() ? found->get_int64() : 0;
    };
    return {.keys = count("keys"), .left_out = count("left_out")};
}

const boost::json::object* done_of(const boost::json::object& line) {
    const auto* done = line.if_contains("done");
    return done != nullptr ? done->if_object() : nullptr;
}

std::unexpected<Error> not_its_words() {
    return fail(ErrorCode::protocol,
                "the converter said what it cannot say: is it another version?");
}

}  // namespace

Result<Converter::Taken> Converter::read(const config::Settings& settings,
                                         const std::string& number,
                                         const std::filesystem::path& folder) {
    auto started = start(settings, {"import", number, folder.string()}, {.readable = {folder}});
    if (!started) {
        return pass(started);
    }
    Taken taken;
    for (;;) {
        auto line = started->next_line();
        if (!line) {
            return pass(line);
        }
        if (const auto* done = done_of(*line)) {
            taken.moved = moved_of(*done);
            return taken;
        }
        auto* name = line->if_contains("name");
        auto* value = line->if_contains("value");
        if (name == nullptr || !name->is_string() || value == nullptr || !value->is_string()) {
            return not_its_words();
        }
        taken.secrets[name->get_string()] = std::move(*value);
    }
}

Result<Converter> Converter::writer(const config::Settings& settings, const std::string& number,
                                    const std::filesystem::path& folder) {
    auto started = start(settings, {"export", number, folder.string()}, {.owned = {folder}});
    if (!started) {
        return started;
    }
    const auto ready = started->next_line();
    if (!ready) {
        return pass(ready);
    }
    return ready->contains("ready") ? std::move(started) : not_its_words();
}

Result<void> Converter::write(std::string_view lines) {
    while (!lines.empty()) {
        const auto sent = ::send(socket_.get(), lines.data(), lines.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            lines.remove_prefix(static_cast<std::size_t>(sent));
        } else if (errno == EAGAIN || errno == EINTR) {
            if (auto ready = wait_for(POLLOUT); !ready) {
                return ready;
            }
        } else {
            return failure();
        }
    }
    return {};
}

Result<Converter::Moved> Converter::finish() {
    if (auto written = write("{\"done\":true}\n"); !written) {
        return pass(written);
    }
    const auto line = next_line();
    if (!line) {
        return pass(line);
    }
    const auto* done = done_of(*line);
    return done != nullptr ? Result<Moved>{moved_of(*done)} : not_its_words();
}

Result<Converter> Converter::start(const config::Settings& settings,
                                   std::vector<std::string> arguments, Sandbox folder) {
    auto command = daemon::linked_converter(settings.linked);
    if (!command) {
        return pass(command);
    }
    auto sandbox = daemon::converter_sandbox(*command, settings, std::move(folder));
    command->insert(command->end(), std::make_move_iterator(arguments.begin()),
                    std::make_move_iterator(arguments.end()));
    auto child = Child::start({.command = std::move(*command),
                               .path = daemon::search_path(),
                               .sandbox = std::move(sandbox),
                               .memory_max = memory_max});
    if (!child) {
        return pass(child);
    }
    return Converter{std::move(*child)};
}

Converter::Converter(Child child)
    : child_(std::move(child)), socket_(child_.take_socket()), output_(child_.take_output()) {}

Result<boost::json::object> Converter::next_line() {
    std::size_t end = 0;
    while ((end = unread_.find('\n')) == std::string::npos) {
        if (auto received = receive(); !received) {
            return pass(received);
        }
    }
    boost::system::error_code error;
    auto line = boost::json::parse(std::string_view{unread_}.substr(0, end), error);
    unread_.erase(0, end + 1);
    if (error || !line.is_object()) {
        return not_its_words();
    }
    return std::move(line.get_object());
}

Result<void> Converter::receive() {
    std::array<char, chunk_bytes> chunk{};
    const auto count = ::recv(socket_.get(), chunk.data(), chunk.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
        return wait_for(POLLIN);
    }
    if (count <= 0) {
        return failure();
    }
    received_ += static_cast<std::size_t>(count);
    unread_.append(chunk.data(), static_cast<std::size_t>(count));
    if (unread_.size() > line_bytes_max + chunk_bytes || received_ > all_bytes_max) {
        return fail(ErrorCode::refused, "the folder holds more than the gateway keeps");
    }
    return {};
}

/// Reads the program's output too, so that a full pipe never blocks the program.
Result<void> Converter::wait_for(short events) {
    std::array<pollfd, 2> waiting{{{.fd = socket_.get(), .events = events, .revents = 0},
                                   {.fd = output_.get(), .events = POLLIN, .revents = 0}}};
    const int ready = ::poll(waiting.data(), output_.get() < 0 ? 1 : 2, answer_within);
    if (ready == 0) {
        return fail(ErrorCode::timeout, "the converter does not answer");
    }
    if (waiting[1].revents != 0) {
        take_output();
    }
    return {};
}

void Converter::take_output() {
    std::array<char, said_max> piece{};
    const auto count = ::read(output_.get(), piece.data(), piece.size());
    if (count > 0) {
        said_.append(piece.data(),
                     std::min(static_cast<std::size_t>(count), said_max - said_.size()));
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
        output_ = {};
    }
}

/// For a closed or broken socket: reads the rest of the output, which says why the program ended.
std::unexpected<Error> Converter::failure() {
    while (output_.get() >= 0) {
        pollfd waiting{.fd = output_.get(), .events = POLLIN, .revents = 0};
        if (::poll(&waiting, 1, answer_within) <= 0) {
            break;
        }
        take_output();
    }
    std::string_view why = said_;
    why = why.substr(0, why.find('\n'));
    if (why.starts_with(prefix)) {
        why.remove_prefix(prefix.size());
    }
    return fail(ErrorCode::refused,
                why.empty() ? "the converter ended without a reason" : std::string{why});
}

}  // namespace merpati::cli
