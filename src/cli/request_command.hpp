// Commands that make one call of the catalogue each, described as rows: of a record, of a list, of
// an export, or of an upload.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "cli/arguments.hpp"
#include "cli/program.hpp"
#include "cli/table.hpp"
#include "http/request.hpp"

namespace merpati::cli {

/// One argument or option, its check, and the part of the request that it fills.
struct Parameter {
    std::string_view name;  // "ID", an argument; "--overlap", an option.
    std::string help;
    std::string_view shape = " ";           // Stands for the value in the help.
    std::vector<std::string_view> words{};  // The only values; in place of `shape` and `check`.
    ArgumentCheck check = not_empty();
    bool takes_none = false;  // Takes the word "none" too, whose value is null.
    /// Of the body or the query; empty: replaces "{}" in `path`. "cloud.token": a field of an
    /// object.
    std::string_view field{};
    boost::json::value (*value_of)(const std::string& text) = as_text;
    /// In place of `value_of`: one value of all texts, or an error.
    Result<boost::json::value> (*value_of_all)(const std::vector<std::string>& texts) = nullptr;
    std::string_view standard{};  // The default; empty: the field is left out.
    bool optional = false;        // For arguments; see `required` for options.
    bool is_flag = false;         // An option without a value.
    bool repeats = false;         // An option that may be given several times: the field is a list.
    bool required = false;        // Of an option.
    std::string_view needs{};     // An option that must be given too.
    std::vector<std::string_view> excludes{};  // Options that must not be given too.
    /// It names a file, and the value is the file's text, at most so long; 0: it is the value.
    std::size_t file_bytes_max = 0;
    /// It names the file that is the request's body; given one, the others are of the query.
    bool is_body = false;
};

/// "--account" of a list or an export of all accounts.
[[nodiscard]] Parameter account_filter();
/// "--account" that must be given.
[[nodiscard]] Parameter required_account(std::string help = "Only of this account: acc_1, or 1");
/// "ACCOUNT", of the body or the query.
[[nodiscard]] Parameter account_argument(std::string help = "The account: acc_1, or 1");
[[nodiscard]] Parameter state_filter(std::vector<std::string_view> states);

/// `first`, and then `more`.
[[nodiscard]] std::vector<Parameter> joined(std::vector<Parameter> first,
                                            std::vector<Parameter> more);

struct RequestCommand {
    CommandText text;
    http::Method method = http::Method::get;
    std::string_view path;  // "/accounts/{}/topup"
    std::vector<Parameter> parameters{};
    std::span<const Column> columns{};  // Must live as long as the program.
    std::string_view sentence{};        // Printed before the record.
    std::string_view when_lost{};       // For a record with a secret; see Session::show_once.
    std::string_view when_empty{};      // For a list; empty: the answer is a record.
    bool is_long = false;               // A list that has a --limit.
    /// For an export, which is streamed: what --format takes, first the default.
    std::vector<std::string_view> formats{};
    /// Adds to the body what no argument gives.
    void (*complete)(Session& session, boost::json::object& body) = nullptr;
    RecordView* view = nullptr;  // Null: people read the answer's fields as they are.
    /// Prints a record that is more than its columns. `id` is what "{}" in `path` stands for.
    int (*show)(Session& session, boost::json::value& answer, const std::string& id) = nullptr;
    std::chrono::milliseconds timeout = std::chrono::seconds{30};  // Not of an upload.
};

/// All views must live as long as the program. The options --limit and --format are the last ones.
void add_request_command(Program& program, CLI::App& group, RequestCommand command);
void add_request_commands(Program& program, CLI::App& group, std::vector<RequestCommand> commands);

/// Adds an argument or option with one value to a command that is no row. Its field is not used;
/// options that it needs or excludes are there already.
void add_parameter(CLI::App& command, const Parameter& parameter, std::string& text);

// What a command is made of, for commands that are rows only in part.

/// Arguments and options as typed, by the parameter's name: several texts only if it repeats.
using Typed = std::map<std::string_view, std::vector<std::string>>;

/// Adds a command's arguments and options; the parser keeps references to `typed`.
void add_parameters(CLI::App& command, const std::vector<Parameter>& parameters, Typed& typed);

struct Call {
    std::string target;
    std::string id;    // What "{}" in the path stands for.
    std::string file;  // The body's; empty: `body` is the body.
    boost::json::object body;
};

/// Errors: those of read_text_file and of `value_of_all`.
[[nodiscard]] Result<Call> call_of(const RequestCommand& command, const Typed& typed);

}  // namespace merpati::cli
