#include "cli/gateway.hpp"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/ascii.hpp"
#include "cli/hints.hpp"
#include "config/local_files.hpp"
#include "model/store_url.hpp"

namespace merpati::cli {
namespace {

using api::manage::Outcome;
using namespace std::chrono_literals;

constexpr std::string_view api_root = "/v1";
constexpr auto patience = 5s;        // For a server that is starting or stopping.
constexpr auto retry_every = 100ms;  // Between two attempts during that time.
constexpr std::string_view status_target = "/v1/admin/status";
constexpr std::size_t page_max = 1'000;
constexpr auto stream_patience = 150s;  // For the next piece; the first may come from a platform.
constexpr auto status_timeout = 30s;

/// Words the failure of an exchange for the person.
Error explain(Error error, const std::string& socket_path) {
    if (error.code == ErrorCode::refused) {
        error.detail = fmt::format(
            "the server at {} belongs to another user: run this command as "
            "that user",
            socket_path);
    } else if (error.code == ErrorCode::timeout) {
        error.detail =
            "the server did not answer in time; whether it was done is not known: look "
            "before you repeat it";
    } else if (error.code == ErrorCode::protocol) {
        error.detail =
            "the server ended before it had answered; whether it was done is not known: "
            "look before you repeat it";
    }
    return error;
}

/// Path and query.
std::pair<std::string_view, std::string_view> split_target(std::string_view target) {
    const auto path = target.substr(0, target.find('?'));
    return {path, target.substr(std::min(path.size() + 1, target.size()))};
}

class GivenUpload final : public api::manage::Upload {
public:
    explicit GivenUpload(const http::BodyGiver& give) : give_(give) {}

    Result<std::optional<std::string>> next() override {
        auto piece = give_();
        if (!piece) {
            return pass(piece);
        }
        return piece->empty() ? std::nullopt : std::optional{*std::move(piece)};
    }

private:
    const http::BodyGiver& give_;
};

/// The inverse of to_string(ErrorCode), for codes that the catalogue sends.
ErrorCode parse_code(std::string_view word) {
    for (const auto code : {ErrorCode::invalid_argument, ErrorCode::not_found, ErrorCode::conflict,
                            ErrorCode::refused, ErrorCode::forbidden,
                            ErrorCode::precondition_failed, ErrorCode::busy, ErrorCode::unavailable,
                            ErrorCode::fenced, ErrorCode::elsewhere, ErrorCode::too_many_requests,
                            ErrorCode::timeout, ErrorCode::unreachable, ErrorCode::store_failed,
                            ErrorCode::damaged, ErrorCode::io_failed, ErrorCode::shutting_down}) {
        if (to_string(code) == word) {
            return code;
        }
    }
    return ErrorCode::protocol;
}

/// A campaign's problems after the first one, which the detail names: a line for each.
std::string other_problems(const boost::json::object& refusal) {
    const auto* found = refusal.if_contains("problems");
    const auto* problems = found != nullptr ? found->if_array() : nullptr;
    std::string lines;
    for (std::size_t place = 1; problems != nullptr && place < problems->size(); ++place) {
        const auto& detail = problems->at(place).at("detail").as_string();
        lines.append("\n").append(detail.data(), detail.size());
    }
    return lines;
}

Result<boost::json::value> decode(const Outcome& outcome) {
    boost::system::error_code error;
    auto parsed = boost::json::parse(outcome.body, error);
    if (error || !parsed.is_object()) {
        return fail(ErrorCode::protocol, "the server's answer is not JSON: is it another version?");
    }
    if (outcome.status < 400) {
        return parsed;
    }
    const auto& problem = parsed.get_object();
    if (!problem.contains("detail")) {
        return fail(ErrorCode::protocol, fmt::format("the server answered {}", outcome.status));
    }
    return fail(parse_code(text_of(problem, "code")),
                with_hint(text_of(problem, "detail")) + other_problems(problem));
}

}  // namespace

Gateway::Gateway(const config::Settings& settings, const Clock& clock, Random& random)
    : settings_(settings),
      clock_(clock),
      random_(random),
      socket_path_(config::local_socket_path(settings.store)) {}

Result<boost::json::value> Gateway::ask(http::Method method, const std::string& target,
                                        const boost::json::object& body,
                                        std::chrono::milliseconds timeout) {
    const auto text = body.empty() ? std::string{} : boost::json::serialize(body);
    auto outcome = exchange(method, std::string{api_root} + target, text, timeout);
    if (!outcome) {
        return pass(outcome);
    }
    return decode(*outcome);
}

Result<boost::json::value> Gateway::ask_server(http::Method method, const std::string& target,
                                               std::chrono::milliseconds timeout) const {
    auto answered =
        http::request(socket_path_, method, std::string{api_root} + target, {}, timeout);
    if (!answered) {
        return std::unexpected(explain(std::move(answered.error()), socket_path_));
    }
    return decode({.status = answered->status, .body = std::move(answered->body)});
}

Result<boost::json::value> Gateway::migrate() {
    // Opening a store migrates it; a running server migrated its store when it started.
    const auto outcome = reach(
        model::is_postgresql(settings_.store.url),
        [&] {
            return http::request(socket_path_, http::Method::get, std::string{status_target}, {},
                                 status_timeout);
        },
        [&] { return ask_store(http::Method::get, std::string{status_target}, {}, {}); });
    return outcome ? decode(*outcome) : pass(outcome);
}

Result<void> Gateway::stream(http::Method method, const std::string& target,
                             const http::BodyTaker& take) {
    const auto outcome =
        exchange(method, std::string{api_root} + target, {}, stream_patience, take);
    if (!outcome) {
        return pass(outcome);
    }
    if (outcome->status < 400) {
        return {};
    }
    const auto refused = decode(*outcome);
    return refused ? Result<void>{} : pass(refused);
}

Result<boost::json::array> Gateway::ask_all(const std::string& target) {
    boost::json::array all;
    std::string next;
    do {
        const char joint = target.contains('?') ? '&' : '?';
        const auto cursor = next.empty() ? next : fmt::format("{}cursor={}", joint, next);
        auto page = ask_page(target + cursor, next);
        if (!page) {
            return page;
        }
        std::ranges::move(*page, std::back_inserter(all));
    } while (!next.empty());
    return all;
}

Result<boost::json::array> Gateway::ask_newest(const std::string& target, std::size_t most) {
    boost::json::array all;
    std::string next;
    const char joint = target.contains('?') ? '&' : '?';
    do {
        const auto cursor = next.empty() ? next : "&cursor=" + next;
        const auto limit = std::min(most - all.size(), page_max);
        auto page = ask_page(fmt::format("{}{}limit={}{}", target, joint, limit, cursor), next);
        if (!page) {
            return page;
        }
        std::ranges::move(*page, std::back_inserter(all));
    } while (!next.empty() && all.size() < most);
    return all;
}

/// Sets `next` to the cursor of the next page, or to an empty string on the last page.
Result<boost::json::array> Gateway::ask_page(const std::string& target, std::string& next) {
    auto answer = ask(http::Method::get, target);
    if (!answer) {
        return pass(answer);
    }
    auto* items = answer->as_object().if_contains("items");
    if (items == nullptr || !items->is_array()) {
        return fail(ErrorCode::protocol, "the server's answer is not a list");
    }
    next = text_of(answer->as_object(), "next");
    return std::move(items->get_array());
}

Result<boost::json::value> Gateway::upload(const std::string& target, std::string_view type,
                                           const http::BodyGiver& give,
                                           std::chrono::milliseconds timeout) {
    const auto whole = std::string{api_root} + target;
    std::optional<Error> broken;  // Kept, because it must not look like an error of the server.
    const http::BodyGiver watched = [&]() -> Result<std::string> {
        auto piece = give();
        if (!piece) {
            broken = std::move(piece.error());
            return fail(ErrorCode::io_failed, "the body could not be read");
        }
        return piece;
    };
    const auto outcome = reach(
        false,
        [&] {
            return http::upload(socket_path_, http::Method::post, whole, type, watched, timeout);
        },
        [&]() -> Result<Outcome> {
            if (auto kept_out = store_->keep_others_out(); !kept_out) {
                return pass(kept_out);
            }
            GivenUpload body{watched};
            const auto [path, query] = split_target(whole);
            return store_->upload(http::Method::post, path, query, type, body);
        });
    if (broken) {
        return std::unexpected(*std::move(broken));
    }
    return outcome ? decode(*outcome) : pass(outcome);
}

Result<Outcome> Gateway::exchange(http::Method method, const std::string& target,
                                  const std::string& body, std::chrono::milliseconds timeout,
                                  const http::BodyTaker& take) {
    // The first account creates the store. Any other call on a missing store was probably meant for
    // a store elsewhere.
    const bool begins =
        method == http::Method::post && target == std::string{api_root} + "/admin/accounts";
    return reach(
        begins, [&] { return http::request(socket_path_, method, target, body, timeout, take); },
        [&] { return ask_store(method, target, body, take); });
}

Result<Outcome> Gateway::reach(bool begins,
                               const std::function<Result<http::ClientReply>()>& ask_server,
                               const std::function<Result<Outcome>()>& ask_store) {
    const auto give_up = clock_.steady_now() + patience;
    while (store_ == nullptr) {
        auto answered = ask_server();
        if (answered) {
            return Outcome{.status = answered->status, .body = std::move(answered->body)};
        }
        if (answered.error().code != ErrorCode::unreachable) {
            return std::unexpected(explain(std::move(answered.error()), socket_path_));
        }
        auto opened = open_store(begins);
        if (opened) {
            break;
        }
        if (opened.error().code != ErrorCode::busy || clock_.steady_now() >= give_up) {
            return pass(opened);
        }
        std::this_thread::sleep_for(retry_every);
    }
    return ask_store();
}

Result<void> Gateway::open_store(bool begins) {
    auto opened = StoppedStore::open(settings_, clock_, random_, begins);
    if (opened) {
        store_ = std::move(*opened);
        return {};
    }
    if (opened.error().code == ErrorCode::not_found) {
        if (model::is_postgresql(settings_.store.url)) {
            return fail(
                ErrorCode::not_found,
                opened.error().detail + "; `merpati migrate` or `merpati serve` begins one there");
        }
        return fail(ErrorCode::not_found,
                    fmt::format("there is no store at {}; `merpati account create NAME` or "
                                "`merpati serve` begins one. If there was one, give its "
                                "settings: --config FILE, or --set store.url=sqlite:PATH",
                                settings_.store.url));
    }
    if (opened.error().code == ErrorCode::busy) {
        return fail(ErrorCode::busy,
                    fmt::format("{}; nobody answers at {}: another merpati is starting or "
                                "stopping, try again, or waits for the node that works",
                                opened.error().detail, socket_path_));
    }
    return pass(opened);
}

Result<Outcome> Gateway::ask_store(http::Method method, const std::string& target,
                                   const std::string& body, const http::BodyTaker& take) const {
    if (method != http::Method::get) {
        if (auto kept_out = store_->keep_others_out(); !kept_out) {
            return pass(kept_out);
        }
    }
    const auto [path, query] = split_target(target);
    auto outcome = store_->handle(method, path, query, body);
    for (bool more = outcome.lines != nullptr; more;) {
        const auto piece = outcome.lines->next();
        if (!piece) {
            return pass(piece);
        }
        if (auto taken = take(piece->text); !taken) {
            return pass(taken);
        }
        more = !piece->is_last;
    }
    return outcome;
}

std::string text_of(const boost::json::object& record, std::string_view field) {
    const auto* found = record.if_contains({field.data(), field.size()});
    return found != nullptr && found->is_string() ? std::string{found->get_string()}
                                                  : std::string{};
}

std::string percent_encode(std::string_view text) {
    std::string encoded;
    for (const char c : text) {
        if (is_digit(c) || is_letter(c) || c == '-' || c == '_' || c == '.' || c == '~') {
            encoded += c;
        } else {
            encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return encoded;
}

}  // namespace merpati::cli
