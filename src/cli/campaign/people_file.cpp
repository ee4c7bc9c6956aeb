#include "cli/campaign/people_file.hpp"

#include <array>
#include <memory>
#include <vector>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "base/ascii.hpp"
#include "cli/arguments.hpp"
#include "cli/body_file.hpp"
#include "cli/progress_line.hpp"

namespace merpati::cli {
namespace {

struct ListParameter {
    std::string_view option;
    std::string_view field;
    std::string_view shape;
    std::string_view help;
};

constexpr std::array list_parameters{
    ListParameter{.option = "--number-column",
                  .field = "number_column",
                  .shape = "NAME|N",
                  .help = "The column with the numbers, by name or position (detected)"},
    ListParameter{.option = "--country",
                  .field = "country",
                  .shape = "62",
                  .help = "The country of numbers that begin with 0 (the account's)"},
    ListParameter{.option = "--delimiter",
                  .field = "delimiter",
                  .shape = "CHARACTER",
                  .help = "Between cells: , ; | or tab (detected)"},
};

void add_parameter_to(std::string& target, std::string_view field, std::string_view text) {
    target += target.contains('?') ? '&' : '?';
    target += fmt::format("{}={}", field, percent_encode(text));
}

/// Reads a file for an upload, and shows how far it is.
class ShownReading {
public:
    ShownReading(Session& session, BodyFile file)
        : session_(session), file_(std::move(file)), line_(session.console()) {}

    Result<std::string> next() {
        auto piece = file_.next();
        if (!piece || session_.json()) {
            return piece;
        }
        if (piece->empty()) {
            line_.draw_now(file_.size() ? std::optional{1.0} : std::nullopt,
                           bytes_text(file_.given()) + " are sent; the server finishes them");
        } else {
            show();
        }
        return piece;
    }

    void end() { line_.end(); }

private:
    void show() {
        const auto given = bytes_text(file_.given());
        const auto size = file_.size();
        if (!size || *size == 0) {
            line_.draw(std::nullopt, given, session_.clock().steady_now());
            return;
        }
        line_.draw(static_cast<double>(file_.given()) / static_cast<double>(*size),
                   fmt::format("{} of {}", given, bytes_text(*size)),
                   session_.clock().steady_now());
    }

    Session& session_;
    BodyFile file_;
    ProgressLine line_;
};

}  // namespace

CLI::Option* PeopleFile::add_to(CLI::App& command, Need need) {
    auto* file = command.add_option("FILE", path_, "A list as CSV, or as JSON; -: standard input")
                     ->option_text(" ")
                     ->check(not_empty())
                     ->required(need == Need::required);
    for (const auto& parameter : list_parameters) {
        command
            .add_option(std::string{parameter.option}, parameters_[parameter.field],
                        std::string{parameter.help})
            ->option_text(std::string{parameter.shape})
            ->check(not_empty());
    }
    auto* header = command.add_flag("--header", has_header_, "The first row has names (detected)");
    command.add_flag("--no-header", has_no_header_, "The first row is a person")->excludes(header);
    return file;
}

Result<boost::json::value> PeopleFile::upload(Session& session, std::string target) const {
    auto file = BodyFile::open(path_);
    if (!file) {
        return pass(file);
    }
    for (const auto& [field, text] : parameters_) {
        if (!text.empty()) {
            add_parameter_to(target, field, text);
        }
    }
    if (has_header_ || has_no_header_) {
        add_parameter_to(target, "header", has_header_ ? "true" : "false");
    }
    ShownReading reading{session, *std::move(file)};
    auto answer = session.upload(target, type_of_list(path_), [&] { return reading.next(); });
    reading.end();
    return answer;
}

void add_import_command(Program& program, CLI::App& group, ImportCommand list) {
    struct Wish {
        std::string account;
        std::vector<std::string> tags;
        PeopleFile file;
    };
    auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group, list.text,
        [wish, path = std::string{list.path}, columns = list.columns](Session& session) {
            auto target = path + "?account=" + percent_encode(wish->account);
            for (const auto& tag : wish->tags) {
                target += "&tag=" + percent_encode(tag);
            }
            return session.show(wish->file.upload(session, target), columns);
        });
    (void)wish->file.add_to(command);
    command.add_option("--account", wish->account, std::string{list.account_help})
        ->option_text("ID")
        ->required()
        ->check(not_empty());
    if (!list.tag_help.empty()) {
        command.add_option("--tag", wish->tags, std::string{list.tag_help})
            ->option_text("TAG")
            ->check(not_empty())
            ->allow_extra_args(false);
    }
}

std::string_view type_of_list(std::string_view path) {
    const auto name = lower_case(path);
    return name.ends_with(".json")  ? "application/json"
           : name.ends_with(".csv") ? "text/csv"
                                    : "application/octet-stream";
}

}  // namespace merpati::cli
