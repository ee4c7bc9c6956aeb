// merpati campaign watch
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "cli/arguments.hpp"
#include "cli/campaign/campaign_id.hpp"
#include "cli/campaign/campaign_view.hpp"
#include "cli/campaign/watch_view.hpp"
#include "cli/commands.hpp"

namespace merpati::cli {
namespace {

using namespace std::chrono_literals;

/// The server counts at most twice a second.
constexpr auto look_again_every = 500ms;
constexpr auto look_timeout = 30s;
constexpr auto silence_max = 10min;  // For a restart, with a store that takes long to open.

/// Whether the server may answer later.
bool is_away(ErrorCode code) {
    return code == ErrorCode::unreachable || code == ErrorCode::protocol ||
           code == ErrorCode::timeout || is_passing(code) || code == ErrorCode::shutting_down;
}

/// Follows one campaign until it ends, or is paused. The campaign does not depend on it.
class CampaignWatch {
public:
    CampaignWatch(Session& session, const std::string& id)
        : session_(session),
          view_(session.console(),
                session.json() ? WatchView::Form::json : WatchView::Form::people),
          path_(campaign_path(id)) {}

    int run() {
        for (auto answer = begin();;
             answer = session_.ask_server(http::Method::get, path_, look_timeout)) {
            if (const auto code = answer ? look_at(answer->as_object()) : wait(answer.error())) {
                return *code;
            }
            std::this_thread::sleep_for(look_again_every);
        }
    }

private:
    /// Only the first look may open the store: a server could not start while it is open here.
    Result<boost::json::value> begin() {
        auto answer = session_.ask_server(http::Method::get, path_, look_timeout);
        return answer || answer.error().code != ErrorCode::unreachable
                   ? std::move(answer)
                   : session_.ask(http::Method::get, path_);
    }

    /// The exit code, if there is nothing to wait for.
    std::optional<int> look_at(const boost::json::object& campaign) {
        silent_since_.reset();
        const std::string state{campaign.at("state").as_string()};
        const std::string id{campaign.at("id").as_string()};
        if (state == "draft") {
            return give_up(
                fmt::format("{0} is a draft: `merpati campaign start {0}` starts it", id));
        }
        view_.show(campaign, session_.clock());
        if (!session_.console().out) {
            return exit_failed;  // Nobody reads it any more.
        }
        if (state == "running" || state == "scheduled") {
            return session_.works_on_store()
                       ? std::optional{give_up(fmt::format("the server is stopped, so {} does not "
                                                           "move: `merpati serve` starts it",
                                                           id))}
                       : std::nullopt;
        }
        return end(campaign, state, id);
    }

    int end(const boost::json::object& campaign, const std::string& state, const std::string& id) {
        view_.end();
        if (!session_.json()) {
            (void)session_.show(boost::json::value(campaign_view(campaign)), outcome_sheet);
        }
        if (state == "finished") {
            if (!session_.json()) {
                session_.console().out << fmt::format(
                    "\nWhat became of each recipient: merpati campaign report {}\n", id);
            }
            return exit_done;
        }
        if (state == "cancelled") {
            return give_up(fmt::format("{} was cancelled", id));
        }
        const auto* reason = campaign.at("reason").if_string();
        const auto why = reason != nullptr ? explain_reason(*reason) : std::string_view{};
        return give_up(
            fmt::format("{0} is paused{1}{2}: `merpati campaign resume {0}` continues it", id,
                        why.empty() ? "" : ", because ", why));
    }

    /// The exit code, if the server is not waited for.
    std::optional<int> wait(const Error& error) {
        const auto now = session_.clock().steady_now();
        if (!is_away(error.code) || session_.works_on_store() ||
            now - silent_since_.value_or(now) > silence_max) {
            view_.end();
            return session_.fail(error);
        }
        if (!silent_since_) {
            silent_since_ = now;
        }
        view_.show_silence();
        return std::nullopt;
    }

    int give_up(std::string sentence) {
        view_.end();
        return session_.fail(ErrorCode::refused, std::move(sentence));
    }

    Session& session_;
    WatchView view_;
    const std::string path_;
    std::optional<SteadyTime> silent_since_;
};

}  // namespace

void add_campaign_watch(Program& program, CLI::App& group) {
    auto id = std::make_shared<std::string>();
    auto& command = program.add_command(
        group,
        {.name = "watch",
         .summary = "Show the progress of a campaign until it ends",
         .details =
             "Exit code 0: it has finished. 1: it is paused or cancelled. Ctrl-C leaves, and\n"
             "the campaign goes on. A restart of the server is waited for. With --json each\n"
             "change is a line.",
         .example = "merpati campaign start cmp_1 && merpati campaign watch cmp_1"},
        [id](Session& session) { return CampaignWatch{session, *id}.run(); });
    add_parameter(command, campaign_id, *id);
}

}  // namespace merpati::cli
