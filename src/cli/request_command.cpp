#include "cli/request_command.hpp"

#include <algorithm>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/ranges.h>

#include "cli/file_upload.hpp"
#include "cli/text_file.hpp"

namespace merpati::cli {
namespace {

constexpr std::int64_t list_max = 10'000'000;

constexpr std::string_view format_option = "--format";
constexpr std::string_view json_lines = "ndjson";
constexpr std::string_view none = "none";

const Parameter limit{.name = "--limit",
                      .help = "How many at most (50)",
                      .shape = "N",
                      .check = whole_number(1, list_max),
                      .standard = "50"};

Result<boost::json::value> field_of(const Parameter& parameter,
                                    const std::vector<std::string>& texts) {
    if (parameter.takes_none && texts.front() == none) {
        return boost::json::value(nullptr);
    }
    if (parameter.file_bytes_max > 0) {
        const auto text = read_text_file(texts.front(), parameter.file_bytes_max);
        return text ? Result<boost::json::value>{parameter.value_of(*text)} : pass(text);
    }
    if (parameter.value_of_all != nullptr) {
        return parameter.value_of_all(texts);
    }
    if (!parameter.repeats) {
        return parameter.value_of(texts.front());
    }
    boost::json::array list;
    for (const auto& text : texts) {
        list.push_back(parameter.value_of(text));
    }
    return list;
}

/// Sets a field of the body, or of an object in it.
void set(boost::json::object& body, std::string_view field, boost::json::value value) {
    const auto dot = field.find('.');
    if (dot == std::string_view::npos) {
        body[std::string{field}] = std::move(value);
        return;
    }
    auto& inside = body[std::string{field.substr(0, dot)}];
    if (!inside.is_object()) {
        inside.emplace_object();
    }
    set(inside.get_object(), field.substr(dot + 1), std::move(value));
}

/// The file that is the body; empty: none is given.
std::string file_of(const RequestCommand& command, const Typed& typed) {
    const auto found = std::ranges::find_if(command.parameters, &Parameter::is_body);
    return found != command.parameters.end() ? typed.at(found->name).front() : std::string{};
}

bool has_query(http::Method method) {
    return method == http::Method::get || method == http::Method::del;
}

std::string query_text(const boost::json::value& value) {
    return value.is_string() ? std::string{value.get_string()} : boost::json::serialize(value);
}

int list(Session& session, const RequestCommand& command, const std::string& target,
         const Typed& typed) {
    auto found = command.is_long ? session.ask_newest(target, static_cast<std::size_t>(number_of(
                                                                  typed.at(limit.name).front())))
                                 : session.ask_all(target);
    if (found && command.view != nullptr && !session.json()) {
        for (auto& record : *found) {
            record = command.view(record.as_object());
        }
    }
    return session.show_list(found, command.columns, command.when_empty);
}

int run(Session& session, const RequestCommand& command, const Typed& typed) {
    auto call = call_of(command, typed);
    if (!call) {
        return session.fail(call.error());
    }
    auto& [target, id, file, body] = *call;
    if (command.complete != nullptr) {
        command.complete(session, body);
    }
    if (!command.formats.empty()) {
        return typed.at(format_option).front() == json_lines ? session.print_lines(target)
                                                             : session.print_text_lines(target);
    }
    if (!command.when_empty.empty()) {
        return list(session, command, target, typed);
    }
    auto answer = file.empty() ? session.ask(command.method, target, body, command.timeout)
                               : upload_file(session, target, file);
    if (answer && command.show != nullptr) {
        if (!command.sentence.empty() && !session.json()) {
            session.console().out << command.sentence << '\n';
        }
        return command.show(session, *answer, id);
    }
    if (answer && command.view != nullptr && !session.json()) {
        *answer = command.view(answer->as_object());
    }
    return command.when_lost.empty()
               ? session.show(answer, command.columns, command.sentence)
               : session.show_once(answer, command.columns, command.sentence, command.when_lost);
}

ArgumentCheck or_none(ArgumentCheck check) {
    return [check = std::move(check)](const std::string& text) {
        return text == none ? std::string{} : check(text);
    };
}

/// Of an option that says all by being given: `--admin=false` would mean the same as `--admin`.
ArgumentCheck no_value() {
    return [](const std::string& text) -> std::string {
        return text == "true" ? "" : "it takes no value: give it alone, or leave it out";
    };
}

/// Its value, and whether it must be given.
void describe(CLI::Option& option, const Parameter& parameter) {
    const bool is_argument = !parameter.name.starts_with('-');
    option.required(is_argument ? !parameter.optional : parameter.required);
    if (parameter.takes_none) {
        option.option_text(fmt::format("{}|{}", parameter.shape, none))
            ->check(or_none(parameter.check));
    } else if (parameter.words.empty()) {
        option.option_text(std::string{parameter.shape})->check(parameter.check);
    } else {
        option.option_text(fmt::format("{}", fmt::join(parameter.words, "|")))
            ->check(one_of(parameter.words));
    }
}

void add_option(CLI::App& command, const Parameter& parameter, std::string& text) {
    const std::string name{parameter.name};
    text = parameter.standard;
    if (parameter.is_flag) {
        command.add_flag(name, text, parameter.help)->check(no_value());
    } else {
        describe(*command.add_option(name, text, parameter.help), parameter);
    }
}

void add_repeated(CLI::App& command, const Parameter& parameter, std::vector<std::string>& texts) {
    auto* option = command.add_option(std::string{parameter.name}, texts, parameter.help);
    describe(*option->allow_extra_args(false), parameter);
}

void relate(CLI::App& command, const Parameter& parameter) {
    auto* option = command.get_option(std::string{parameter.name});
    if (!parameter.needs.empty()) {
        option->needs(command.get_option(std::string{parameter.needs}));
    }
    for (const auto other : parameter.excludes) {
        option->excludes(command.get_option(std::string{other}));
    }
}

}  // namespace

Parameter account_filter() {
    return {.name = "--account",
            .help = "Only of this account: acc_1, or 1",
            .shape = "ID",
            .field = "account"};
}

Parameter required_account(std::string help) {
    auto account = account_filter();
    account.help = std::move(help);
    account.required = true;
    return account;
}

Parameter account_argument(std::string help) {
    return {.name = "ACCOUNT", .help = std::move(help), .field = "account"};
}

Parameter state_filter(std::vector<std::string_view> states) {
    return {.name = "--state",
            .help = "Only in this state",
            .words = std::move(states),
            .field = "state"};
}

std::vector<Parameter> joined(std::vector<Parameter> first, std::vector<Parameter> more) {
    first.insert(first.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
    return first;
}

void add_request_command(Program& program, CLI::App& group, RequestCommand command) {
    const auto text = command.text;
    if (!command.formats.empty()) {
        const auto standard = command.formats.front();
        command.parameters.push_back({.name = format_option,
                                      .help = fmt::format("The format ({})", standard),
                                      .words = command.formats,
                                      .field = "format",
                                      .standard = standard});
    }
    const auto row = std::make_shared<const RequestCommand>(std::move(command));
    const auto typed = std::make_shared<Typed>();
    auto& added = program.add_command(
        group, text, [row, typed](Session& session) { return run(session, *row, *typed); });
    add_parameters(added, row->parameters, *typed);
    if (row->is_long) {
        add_parameters(added, {limit}, *typed);
    }
}

void add_request_commands(Program& program, CLI::App& group, std::vector<RequestCommand> commands) {
    for (auto& command : commands) {
        add_request_command(program, group, std::move(command));
    }
}

void add_parameter(CLI::App& command, const Parameter& parameter, std::string& text) {
    add_option(command, parameter, text);
    relate(command, parameter);
}

void add_parameters(CLI::App& command, const std::vector<Parameter>& parameters, Typed& typed) {
    for (const auto& parameter : parameters) {
        auto& texts = typed[parameter.name];
        if (parameter.repeats) {
            add_repeated(command, parameter, texts);
        } else {
            add_option(command, parameter, texts.emplace_back());
        }
    }
    for (const auto& parameter : parameters) {
        relate(command, parameter);
    }
}

Result<Call> call_of(const RequestCommand& command, const Typed& typed) {
    Call call{
        .target = std::string{command.path}, .id = {}, .file = file_of(command, typed), .body = {}};
    const bool in_query = has_query(command.method) || !call.file.empty();
    for (const auto& parameter : command.parameters) {
        const auto& texts = typed.at(parameter.name);
        if (parameter.is_body || texts.empty() || texts.front().empty()) {
            continue;
        }
        if (parameter.field.empty()) {
            call.id = texts.front();
            call.target.replace(call.target.find("{}"), 2, percent_encode(call.id));
        } else if (in_query) {
            for (const auto& text : texts) {
                call.target += call.target.contains('?') ? '&' : '?';
                call.target += std::string{parameter.field} + '=' +
                               percent_encode(query_text(parameter.value_of(text)));
            }
        } else {
            auto value = field_of(parameter, texts);
            if (!value) {
                return pass(value);
            }
            set(call.body, parameter.field, *std::move(value));
        }
    }
    return call;
}

}  // namespace merpati::cli
