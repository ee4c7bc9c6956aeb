// merpati message media
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "base/file_descriptor.hpp"
#include "cli/commands.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

struct Wish {
    std::string id;
    std::string file;
};

std::unexpected<Error> cannot_write(const std::string& file) {
    return fail(ErrorCode::io_failed, fmt::format("{} cannot be written: {}", file,
                                                  std::generic_category().message(errno)));
}

Result<void> write_all(const FileDescriptor& file, const std::string& name,
                       std::string_view bytes) {
    while (!bytes.empty()) {
        const auto written = ::write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return cannot_write(name);
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

int download(Session& session, const Wish& wish) {
    static constexpr Column sheet[]{"file", "bytes"};
    const FileDescriptor file{
        ::open(wish.file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (!file) {
        return session.fail(cannot_write(wish.file).error());
    }
    std::size_t bytes = 0;
    const auto streamed = session.stream(http::Method::get,
                                         fmt::format("/received/{}/media", percent_encode(wish.id)),
                                         [&](std::string_view piece) {
                                             bytes += piece.size();
                                             return write_all(file, wish.file, piece);
                                         });
    if (!streamed) {
        ::unlink(wish.file.c_str());
        return session.fail(streamed.error());
    }
    return session.show(boost::json::value{{"file", wish.file}, {"bytes", bytes}}, sheet);
}

}  // namespace

void add_message_media(Program& program, CLI::App& group) {
    auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group,
        {.name = "media",
         .summary = "Download the media of a message that a device received",
         .details = "Fetches the file from the platform each time. Treat the file as hostile.",
         .example = "merpati message media 019c3f3e-7d00-7abc-8def-0123456789ab foto.jpg"},
        [wish](Session& session) { return download(session, *wish); });
    add_parameter(command, {.name = "MEDIA_ID", .help = "media.id of the webhook message.received"},
                  wish->id);
    add_parameter(command, {.name = "FILE", .help = "Where to; it must not exist"}, wish->file);
}

}  // namespace merpati::cli
