#include "cli/request_command.hpp"

#include <map>
#include <memory>
#include <utility>

#include <CLI/App.hpp>

namespace merpati::cli {
namespace {

/// Arguments and options as typed, by the parameter's name.
using Typed = std::map<std::string_view, std::string>;

struct Call {
    std::string target;
    boost::json::object body;
};

Call call_of(const RequestCommand& command, const Typed& typed) {
    Call call{.target = std::string{command.path}, .body = {}};
    for (const auto& parameter : command.parameters) {
        const auto& text = typed.at(parameter.name);
        if (text.empty()) {
            continue;
        }
        if (parameter.field.empty()) {
            call.target.replace(call.target.find("{}"), 2, percent_encode(text));
        } else if (command.method == http::Method::get) {
            call.target += call.target.contains('?') ? '&' : '?';
            call.target += std::string{parameter.field} + '=' + percent_encode(text);
        } else {
            call.body[std::string{parameter.field}] = parameter.value_of(text);
        }
    }
    return call;
}

int run(Session& session, const RequestCommand& command, const Typed& typed) {
    const auto [target, body] = call_of(command, typed);
    if (!command.when_empty.empty()) {
        return session.show_list(session.ask_all(target), command.columns, command.when_empty);
    }
    const auto answer = session.ask(command.method, target, body);
    return command.when_lost.empty()
               ? session.show(answer, command.columns, command.sentence)
               : session.show_once(answer, command.columns, command.sentence, command.when_lost);
}

}  // namespace

void add_request_command(Program& program, CLI::App& group, RequestCommand command) {
    const auto text = command.text;
    const auto row = std::make_shared<const RequestCommand>(std::move(command));
    const auto typed = std::make_shared<Typed>();
    auto& added = program.add_command(
        group, text, [row, typed](Session& session) { return run(session, *row, *typed); });
    for (const auto& parameter : row->parameters) {
        auto& value = (*typed)[parameter.name] = parameter.standard;
        if (parameter.is_flag) {
            added.add_flag(std::string{parameter.name}, value, std::string{parameter.help});
            continue;
        }
        auto* option =
            added.add_option(std::string{parameter.name}, value, std::string{parameter.help})
                ->option_text(std::string{parameter.shape})
                ->check(parameter.check);
        option->required(!parameter.name.starts_with('-') && !parameter.optional);
    }
}

}  // namespace merpati::cli
