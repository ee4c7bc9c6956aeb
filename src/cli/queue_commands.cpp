// merpati device queue …
#include <istream>
#include <memory>
#include <ostream>
#include <string>

#include <CLI/App.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/device_number.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

constexpr Column sheet[]{
    "number",
    "waiting",
    {"waiting_more", "and more"},
    "oldest",
    {"oldest_accepted_at", "accepted"},
    "next_attempt_at",
};

constexpr Column cleared_sheet[]{"number", "cancelled", {"waiting", "still waiting"}};

struct Wish {
    std::string number;
    bool yes = false;
};

/// Shows how many messages wait, and returns whether the person then typed the number again.
Result<bool> is_confirmed(Session& session, const Wish& wish, const std::string& path) {
    if (wish.yes) {
        return true;
    }
    const auto queue = session.ask(http::Method::get, path);
    if (!queue) {
        return pass(queue);
    }
    const auto& console = session.console();
    console.err << fmt::format(
        "{}{} messages wait for {}. Type its number again to cancel all of them: ",
        queue->at("waiting_more").as_bool() ? "More than " : "",
        queue->at("waiting").to_number<std::uint64_t>(), wish.number);
    std::string typed;
    return console.in != nullptr && std::getline(*console.in, typed) && typed == wish.number;
}

/// A long queue takes several calls. All of them cancel only messages that waited at the first
/// call.
int clear(Session& session, const Wish& wish) {
    const auto path = device_path(wish.number) + "/queue";
    const auto confirmed = is_confirmed(session, wish, path);
    if (!confirmed) {
        return session.fail(confirmed.error());
    }
    if (!*confirmed) {
        session.console().err << "\nNothing was cancelled. Without a person to ask: --yes\n";
        return exit_usage;
    }
    std::uint64_t cancelled = 0;
    auto target = path;
    for (;;) {
        auto answer = session.ask(http::Method::del, target);
        if (!answer) {
            auto error = answer.error();
            if (cancelled > 0) {
                error.detail += fmt::format("; {} messages were cancelled before", cancelled);
            }
            return session.fail(error);
        }
        auto& record = answer->get_object();
        cancelled += record.at("cancelled").to_number<std::uint64_t>();
        if (record.at("complete").as_bool()) {
            record["cancelled"] = cancelled;
            return session.show(answer, cleared_sheet);
        }
        const std::string until{record.at("accepted_until").as_string()};
        target = path + "?accepted_until=" + percent_encode(until);
    }
}

}  // namespace

void add_device_queue(Program& program, CLI::App& device) {
    auto& group = program.add_group(device, {.name = "queue",
                                             .summary = "Messages that wait for a device",
                                             .example = "merpati device queue show 6281234567890"});
    add_request_command(
        program, group,
        {.text = {.name = "show",
                  .summary = "Show how many messages wait for a device, and since when",
                  .example = "merpati device queue show 6281234567890"},
         .path = "/devices/{}/queue",
         .parameters = {device_number},
         .columns = sheet});
    const auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group,
        {.name = "clear",
         .summary = "Cancel all messages that wait for a device",
         .details = "Each gets its credit back, and its callback says `failed`, as after\n"
                    "`merpati message cancel`. It cancels neither messages in flight\nnor those "
                    "accepted meanwhile. If it is stopped in the middle, the rest waits.",
         .example = "merpati device queue clear 6281234567890\n"
                    "merpati device queue clear 6281234567890 --yes"},
        [wish](Session& session) { return clear(session, *wish); });
    add_parameter(command, device_number, wish->number);
    command.add_flag("--yes", wish->yes, "Do not ask for the number to be typed again");
}

}  // namespace merpati::cli
