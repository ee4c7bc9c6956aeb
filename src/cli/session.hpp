// One run of one command: its settings, its access to the store, its output.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/random.hpp"
#include "cli/console.hpp"
#include "cli/gateway.hpp"
#include "cli/table.hpp"
#include "config/load.hpp"

namespace merpati::cli {

/// Options that every command accepts, and --json.
struct GlobalOptions {
    std::optional<std::filesystem::path> config_file;
    std::vector<std::string> sets;
    bool json = false;
};

/// Operation: a command calls `ask` or `stream`, and then prints the answer or the error. Functions
/// that print return the exit code. Settings are read when first needed, so `version` works even
/// with an invalid settings file.
class Session {
public:
    Session(Console& console, const GlobalOptions& options);

    /// Errors: those of config::load.
    [[nodiscard]] Result<const config::Loaded*> settings();

    [[nodiscard]] Result<boost::json::value> ask(
        http::Method method, const std::string& target, const boost::json::object& body = {},
        std::chrono::milliseconds timeout = std::chrono::seconds{30});
    /// Only of a running server, without waiting for one (Gateway::ask_server).
    [[nodiscard]] Result<boost::json::value> ask_server(http::Method method,
                                                        const std::string& target,
                                                        std::chrono::milliseconds timeout);
    /// Brings the store's schema up to this version (Gateway::migrate).
    [[nodiscard]] Result<boost::json::value> migrate();
    /// Whether a call has opened a stopped server's store.
    [[nodiscard]] bool works_on_store() const noexcept {
        return gateway_ && gateway_->works_on_store();
    }
    /// POSTs a body of any size (Gateway::upload).
    [[nodiscard]] Result<boost::json::value> upload(const std::string& target,
                                                    std::string_view type,
                                                    const http::BodyGiver& give);
    /// All items of a list; for short lists.
    [[nodiscard]] Result<boost::json::array> ask_all(const std::string& target);
    /// The newest `most` items of a long list.
    [[nodiscard]] Result<boost::json::array> ask_newest(const std::string& target,
                                                        std::size_t most);

    /// Prints a record: as JSON, or `sentence` and then one field a line.
    int show(const Result<boost::json::value>& answer, std::span<const Column> columns,
             std::string_view sentence = {});
    /// Like `show`, for a record with a secret that is never shown again. If it cannot be written,
    /// prints `when_lost`, which says how to go on; "{0}" in it stands for the record's id.
    int show_once(const Result<boost::json::value>& answer, std::span<const Column> columns,
                  std::string_view sentence, std::string_view when_lost);
    /// Prints a list: as a JSON array, or as a table.
    int show_list(const Result<boost::json::array>& answer, std::span<const Column> columns,
                  std::string_view when_empty);
    /// Passes a streamed answer to `take` as it arrives, in pieces of any size.
    [[nodiscard]] Result<void> stream(http::Method method, const std::string& target,
                                      const http::BodyTaker& take);
    /// Asks for a streamed answer, and prints its lines as they arrive: lines of JSON, or of text.
    int print_lines(const std::string& target);
    int print_text_lines(const std::string& target);
    /// Prints JSON on one line.
    int print(const boost::json::value& json);
    /// Prints each line of the error. Returns exit_usage if the settings were invalid, because then
    /// nothing has been tried.
    int fail(const Error& error);
    /// The same for an error of the command itself.
    int fail(ErrorCode code, std::string detail);

    [[nodiscard]] bool json() const noexcept { return options_.json; }
    [[nodiscard]] Console& console() noexcept { return console_; }
    [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
    [[nodiscard]] Random& random() noexcept { return random_; }

private:
    using LineText = std::string(std::string_view line);
    int print_streamed(const std::string& target, LineText* text_of);
    [[nodiscard]] Result<Gateway*> gateway();

    Console& console_;
    const GlobalOptions& options_;
    SystemClock clock_;
    SystemRandom random_;
    std::optional<config::Loaded> loaded_;
    bool settings_refused_ = false;
    std::optional<Gateway> gateway_;
};

}  // namespace merpati::cli
