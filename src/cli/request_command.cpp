#include "cli/request_command.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <CLI/App.hpp>

#include "cli/text_file.hpp"

namespace merpati::cli {
namespace {

/// Arguments and options as typed, by the parameter's name: several texts only if it repeats.
using Typed = std::map<std::string_view, std::vector<std::string>>;

struct Call {
    std::string target;
    boost::json::object body;
};

Result<boost::json::value> field_of(const Parameter& parameter,
                                    const std::vector<std::string>& texts) {
    if (parameter.file_bytes_max > 0) {
        const auto text = read_text_file(texts.front(), parameter.file_bytes_max);
        return text ? Result<boost::json::value>{parameter.value_of(*text)} : pass(text);
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

bool has_query(http::Method method) {
    return method == http::Method::get || method == http::Method::del;
}

Result<Call> call_of(const RequestCommand& command, const Typed& typed) {
    Call call{.target = std::string{command.path}, .body = {}};
    for (const auto& parameter : command.parameters) {
        const auto& texts = typed.at(parameter.name);
        if (texts.empty() || texts.front().empty()) {
            continue;
        }
        if (parameter.field.empty()) {
            call.target.replace(call.target.find("{}"), 2, percent_encode(texts.front()));
        } else if (has_query(command.method)) {
            for (const auto& text : texts) {
                call.target += call.target.contains('?') ? '&' : '?';
                call.target += std::string{parameter.field} + '=' + percent_encode(text);
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

int run(Session& session, const RequestCommand& command, const Typed& typed) {
    const auto call = call_of(command, typed);
    if (!call) {
        return session.fail(call.error());
    }
    const auto& [target, body] = *call;
    if (!command.when_empty.empty()) {
        return session.show_list(session.ask_all(target), command.columns, command.when_empty);
    }
    auto answer = session.ask(command.method, target, body, command.timeout);
    if (answer && command.view != nullptr && !session.json()) {
        *answer = command.view(answer->as_object());
    }
    return command.when_lost.empty()
               ? session.show(answer, command.columns, command.sentence)
               : session.show_once(answer, command.columns, command.sentence, command.when_lost);
}

void add_parameter(CLI::App& command, const Parameter& parameter, std::vector<std::string>& texts) {
    const std::string name{parameter.name};
    const std::string help{parameter.help};
    if (parameter.repeats) {
        command.add_option(name, texts, help)
            ->option_text(std::string{parameter.shape})
            ->check(parameter.check)
            ->allow_extra_args(false)
            ->required(parameter.required);
        return;
    }
    auto& text = texts.emplace_back(parameter.standard);
    if (parameter.is_flag) {
        command.add_flag(name, text, help);
        return;
    }
    const bool is_argument = !parameter.name.starts_with('-');
    command.add_option(name, text, help)
        ->option_text(std::string{parameter.shape})
        ->check(parameter.check)
        ->required(is_argument ? !parameter.optional : parameter.required);
}

}  // namespace

void add_request_command(Program& program, CLI::App& group, RequestCommand command) {
    const auto text = command.text;
    const auto row = std::make_shared<const RequestCommand>(std::move(command));
    const auto typed = std::make_shared<Typed>();
    auto& added = program.add_command(
        group, text, [row, typed](Session& session) { return run(session, *row, *typed); });
    for (const auto& parameter : row->parameters) {
        add_parameter(added, parameter, (*typed)[parameter.name]);
    }
}

}  // namespace merpati::cli
