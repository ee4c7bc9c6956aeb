#include "cli/session.hpp"

#include <ostream>
#include <ranges>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/printable.hpp"
#include "daemon/connectors.hpp"

namespace merpati::cli {

Session::Session(Console& console, const GlobalOptions& options)
    : console_(console), options_(options) {}

Result<const config::Loaded*> Session::settings() {
    if (!loaded_) {
        auto loaded = config::load({.file = options_.config_file,
                                    .environment = console_.environment,
                                    .sets = options_.sets,
                                    .connectors = daemon::connector_names()});
        if (!loaded) {
            settings_refused_ = true;
            return pass(loaded);
        }
        loaded_ = std::move(*loaded);
    }
    return &*loaded_;
}

Result<boost::json::value> Session::ask(http::Method method, const std::string& target,
                                        const boost::json::object& body,
                                        std::chrono::milliseconds timeout) {
    auto found = gateway();
    return found ? (*found)->ask(method, target, body, timeout) : pass(found);
}

Result<boost::json::value> Session::ask_server(http::Method method, const std::string& target,
                                               std::chrono::milliseconds timeout) {
    auto found = gateway();
    return found ? (*found)->ask_server(method, target, timeout) : pass(found);
}

Result<boost::json::value> Session::migrate() {
    auto found = gateway();
    return found ? (*found)->migrate() : pass(found);
}

Result<boost::json::value> Session::upload(const std::string& target, std::string_view type,
                                           const http::BodyGiver& give) {
    auto found = gateway();
    return found ? (*found)->upload(target, type, give) : pass(found);
}

Result<boost::json::array> Session::ask_all(const std::string& target) {
    auto found = gateway();
    return found ? (*found)->ask_all(target) : pass(found);
}

Result<boost::json::array> Session::ask_newest(const std::string& target, std::size_t most) {
    auto found = gateway();
    return found ? (*found)->ask_newest(target, most) : pass(found);
}

int Session::show(const Result<boost::json::value>& answer, std::span<const Column> columns,
                  std::string_view sentence) {
    if (!answer) {
        return fail(answer.error());
    }
    if (options_.json) {
        return print(*answer);
    }
    if (!sentence.empty()) {
        console_.out << sentence << '\n';
    }
    if (answer->is_object()) {
        console_.out << render_record(answer->get_object(), columns);
    }
    return exit_done;
}

int Session::show_once(const Result<boost::json::value>& answer, std::span<const Column> columns,
                       std::string_view sentence, std::string_view when_lost) {
    const int code = show(answer, columns, sentence);
    if (!answer || console_.out.flush()) {
        return code;
    }
    const auto id = answer->is_object() ? text_of(answer->get_object(), "id") : std::string{};
    console_.err << "merpati: " << fmt::format(fmt::runtime(when_lost), id.empty() ? "ID" : id)
                 << '\n';
    return exit_failed;
}

int Session::show_list(const Result<boost::json::array>& answer, std::span<const Column> columns,
                       std::string_view when_empty) {
    if (!answer) {
        return fail(answer.error());
    }
    if (options_.json) {
        return print(*answer);
    }
    console_.out << render_table(*answer, columns, when_empty);
    return exit_done;
}

Result<void> Session::stream(http::Method method, const std::string& target,
                             const http::BodyTaker& take) {
    auto found = gateway();
    return found ? (*found)->stream(method, target, take) : pass(found);
}

int Session::print_lines(const std::string& target) {
    return print_streamed(target, [](std::string_view line) { return printable_json(line); });
}

int Session::print_text_lines(const std::string& target) {
    return print_streamed(target, [](std::string_view line) {
        const bool returns = line.ends_with('\r');
        return printable(line.substr(0, line.size() - (returns ? 1 : 0))) + (returns ? "\r" : "");
    });
}

int Session::print_streamed(const std::string& target, LineText* text_of) {
    std::string begun;  // An incomplete line.
    const auto streamed =
        stream(http::Method::get, target, [&](std::string_view piece) -> Result<void> {
            begun += piece;
            std::string_view rest = begun;
            for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
                console_.out << text_of(rest.substr(0, end)) << '\n';
                rest.remove_prefix(end + 1);
            }
            begun.erase(0, begun.size() - rest.size());
            return console_.out
                       ? Result<void>{}
                       : merpati::fail(ErrorCode::io_failed, "nobody reads the export any more");
        });
    return streamed ? exit_done : fail(streamed.error());
}

int Session::print(const boost::json::value& json) {
    console_.out << printable_json(boost::json::serialize(json)) << '\n';
    return exit_done;
}

int Session::fail(const Error& error) {
    for (const auto& line : std::views::split(error.detail, '\n')) {
        console_.err << "merpati: " << printable(std::string_view{line}) << '\n';
    }
    return settings_refused_ ? exit_usage : exit_failed;
}

int Session::fail(ErrorCode code, std::string detail) {
    return fail(merpati::fail(code, std::move(detail)).error());
}

Result<Gateway*> Session::gateway() {
    if (!gateway_) {
        auto loaded = settings();
        if (!loaded) {
            return pass(loaded);
        }
        gateway_.emplace((*loaded)->settings, clock_, random_);
    }
    return &*gateway_;
}

}  // namespace merpati::cli
