// Runs the program that reads and writes the device folders of other gateways (convert.js of
// workers/linked).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "config/settings.hpp"
#include "connector/process/program/child.hpp"

namespace merpati::cli {

/// Operation: the program runs as the calling user, and its sandbox opens the device's folder. Both
/// sides exchange secrets over a socket, one JSON object a line. The first line that the program
/// prints is the reason of its failure.
///
/// Threads: one. The process ends with the thread that started it.
///
/// Limits: 120 s for each wait; what is received: about 1 MiB a line, 64 MiB in all.
///
/// Errors: not_found (Node.js or the program), io_failed (the process could not be started),
/// refused (by the program, in its words; it ended early; the folder is too large), protocol,
/// timeout.
class Converter {
public:
    struct Moved {
        std::int64_t keys = 0;
        std::int64_t left_out = 0;  // Files or keys that the program could not use.
    };
    struct Taken {
        boost::json::object secrets;
        Moved moved;
    };

    /// Reads the secrets of the device `number` from the folder.
    [[nodiscard]] static Result<Taken> read(const config::Settings& settings,
                                            const std::string& number,
                                            const std::filesystem::path& folder);

    /// Starts a converter that is ready to write into `folder`, which must be empty.
    [[nodiscard]] static Result<Converter> writer(const config::Settings& settings,
                                                  const std::string& number,
                                                  const std::filesystem::path& folder);
    /// Takes lines with secrets, in pieces of any size.
    [[nodiscard]] Result<void> write(std::string_view lines);
    /// Call after the last `write`. Returns when the folder is complete.
    [[nodiscard]] Result<Moved> finish();

private:
    [[nodiscard]] static Result<Converter> start(const config::Settings& settings,
                                                 std::vector<std::string> arguments,
                                                 connector::process::Sandbox folder);
    explicit Converter(connector::process::Child child);

    [[nodiscard]] Result<boost::json::object> next_line();
    [[nodiscard]] Result<void> receive();
    [[nodiscard]] Result<void> wait_for(short events);
    void take_output();
    [[nodiscard]] std::unexpected<Error> failure();

    connector::process::Child child_;
    FileDescriptor socket_;
    FileDescriptor output_;
    std::string unread_;
    std::string said_;
    std::size_t received_ = 0;
};

}  // namespace merpati::cli
