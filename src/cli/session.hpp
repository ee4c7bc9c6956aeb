// One run of one command: its settings, its way to the store, its output.
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

/// What was said before the command's own arguments.
struct GlobalOptions {
    std::optional<std::filesystem::path> config_file;
    std::vector<std::string> sets;
    bool json = false;
};

/// Operation: a command asks and then shows, or fails; each of these prints and answers the exit
/// code. Settings are read when first needed, so `version` works beside a broken file.
class Session {
public:
    Session(Console& console, const GlobalOptions& options);

    /// Errors: those of config::load.
    [[nodiscard]] Result<const config::Loaded*> settings();

    [[nodiscard]] Result<boost::json::value> ask(
        http::Method method, const std::string& target, const boost::json::object& body = {},
        std::chrono::milliseconds timeout = std::chrono::seconds{30});
    /// Lists that have one page.
    [[nodiscard]] Result<boost::json::array> ask_all(const std::string& target);
    /// Lists that have many: the newest `most`.
    [[nodiscard]] Result<boost::json::array> ask_newest(const std::string& target,
                                                        std::size_t most);

    /// Prints a record: as JSON, or the columns' fields one a line, after `sentence`.
    int show(const Result<boost::json::value>& answer, std::span<const Column> columns,
             std::string_view sentence = {});
    /// The same for a record with a secret that is shown only now. Where it could not be written,
    /// `when_lost` says how to go on; "{}" in it stands for the record's id.
    int show_once(const Result<boost::json::value>& answer, std::span<const Column> columns,
                  std::string_view sentence, std::string_view when_lost);
    /// Prints a list: as a JSON array, or as a table.
    int show_list(const Result<boost::json::array>& answer, std::span<const Column> columns,
                  std::string_view when_empty);
    /// Gives `take` a streamed answer as it comes, in pieces of any size.
    [[nodiscard]] Result<void> stream(http::Method method, const std::string& target,
                                      const http::BodyTaker& take);
    /// Asks for a streamed answer, and prints its lines as they come: JSON, or text.
    int print_lines(const std::string& target);
    int print_text_lines(const std::string& target);
    /// Prints JSON on one line.
    int print(const boost::json::value& json);
    /// Prints each line of the error. The exit code is that of usage where the settings were wrong:
    /// nothing has been tried then.
    int fail(const Error& error);

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
