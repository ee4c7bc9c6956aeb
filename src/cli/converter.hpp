// The program that reads and writes the folders of other gateways (workers/linked, convert.js).
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
#include "connector/process/child.hpp"

namespace merpati::cli {

/// Operation: a process of the person who called, confined to the folder. Secrets come and go
/// through its socket, a JSON object a line; what it prints is why it failed.
///
/// Threads: one, which must live as long.
///
/// Limits: 120 s for each answer; lines of 1 MiB; 64 MiB in all.
///
/// Errors: not_found (Node.js or the program), refused (the folder; in its words), protocol,
/// timeout.
class Converter {
public:
    struct Moved {
        std::int64_t keys = 0;
        std::int64_t left_out = 0;  // Files or keys that could not be used.
    };
    struct Taken {
        boost::json::object secrets;
        Moved moved;
    };

    /// What a folder holds of the number.
    [[nodiscard]] static Result<Taken> read(const config::Settings& settings,
                                            const std::string& number,
                                            const std::filesystem::path& folder);

    /// One that is ready to write into the folder, which is empty.
    [[nodiscard]] static Result<Converter> writer(const config::Settings& settings,
                                                  const std::string& number,
                                                  const std::filesystem::path& folder);
    /// Lines with secrets, in pieces of any size.
    [[nodiscard]] Result<void> write(std::string_view lines);
    /// All was written: returns when the folder is whole.
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
