// Uploads a list of people from a file: of recipients, contacts or suppressions.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "cli/program.hpp"
#include "cli/session.hpp"
#include "cli/table.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace merpati::cli {

/// Operation: add FILE and the options of a list to the command; once it is parsed, `upload` reads
/// the file and posts it, with a progress line on a terminal.
///
/// Limits: the file may have any size, and is read in pieces.
class PeopleFile {
public:
    enum class Need : std::uint8_t { required, optional };
    /// Returns the argument FILE.
    CLI::Option* add_to(CLI::App& command, Need need = Need::required);

    [[nodiscard]] bool is_given() const noexcept { return !path_.empty(); }

    /// `target` may have a query. Errors: those of BodyFile and of the operation.
    [[nodiscard]] Result<boost::json::value> upload(Session& session, std::string target) const;

private:
    std::string path_;
    std::map<std::string_view, std::string> parameters_;  // Of the operation, as typed.
    bool has_header_ = false;
    bool has_no_header_ = false;
};

/// A command that uploads a list of an account's people.
struct ImportCommand {
    CommandText text;
    std::string_view path;  // "/contacts/import"
    std::string_view account_help;
    std::string_view tag_help{};      // Of --tag; empty: there is none.
    std::span<const Column> columns;  // Must live as long as the program.
};

/// Adds the command with FILE, its options, --account, and --tag.
void add_import_command(Program& program, CLI::App& group, ImportCommand list);

/// The media type that the file's name tells: CSV or JSON; a list of unknown form otherwise.
[[nodiscard]] std::string_view type_of_list(std::string_view path);

}  // namespace merpati::cli
