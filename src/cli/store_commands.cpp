// merpati store …
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/progress_line.hpp"
#include "cli/request_command.hpp"
#include "config/address.hpp"
#include "daemon/options.hpp"
#include "store/store_copy.hpp"

namespace merpati::cli {
namespace {

struct Wish {
    std::string from;
    std::string to;
};

constexpr Column count_columns[]{"table", "from", "to"};

/// Shows how far a copy is, and how long it will still take.
class CopyView {
public:
    explicit CopyView(Session& session) : session_(session), line_(session.console()) {}

    void show(const store::CopyProgress& progress) {
        if (session_.json() || !line_.is_shown()) {
            return;
        }
        const auto now = session_.clock().steady_now();
        if (progress.total == 0) {
            line_.draw(std::nullopt, "counts the rows", now);
        } else if (progress.table.empty()) {
            line_.draw_now(1.0, "counts the rows of both sides");
        } else {
            line_.draw(static_cast<double>(progress.rows) / static_cast<double>(progress.total),
                       fmt::format("{}: {} of {} rows{}", progress.table, progress.rows,
                                   progress.total, remaining(progress, now)),
                       now);
        }
    }

    void end() { line_.end(); }

private:
    /// Empty before there is something to judge by.
    std::string remaining(const store::CopyProgress& progress, SteadyTime now) {
        if (!begun_at_) {
            begun_at_ = now;
            rows_before_ = progress.rows;
        }
        const std::chrono::duration<double> took = now - *begun_at_;
        const auto copied = static_cast<double>(progress.rows - rows_before_);
        if (took < std::chrono::seconds{1} || copied < 1) {
            return {};
        }
        const auto left = took * static_cast<double>(progress.total - progress.rows) / copied;
        return fmt::format(", about {}", about(std::chrono::ceil<std::chrono::seconds>(left)));
    }

    Session& session_;
    ProgressLine line_;
    std::optional<SteadyTime> begun_at_;
    std::uint64_t rows_before_ = 0;
};

store::CopyOptions copy_options(const config::Settings& settings, const Wish& wish) {
    const auto own = daemon::store_options(settings);
    store::CopyOptions options{.from = wish.from,
                               .to = wish.to,
                               .key_file = own.key_file,
                               .lease = settings.cluster.lease};
    if (own.url == wish.from || own.url == wish.to) {
        options.lock_file = own.lock_file;
    }
    return options;
}

std::string absolute_text(const std::filesystem::path& path) {
    std::error_code error;
    const auto absolute = std::filesystem::absolute(path, error);
    return error ? path.string() : absolute.string();
}

/// `is_whole`: with the tables that have no rows.
boost::json::array counts_of(const store::CopyReport& report, bool is_whole) {
    boost::json::array rows;
    for (const auto& [table, source, target] : report.tables) {
        if (is_whole || source > 0 || target > 0) {
            rows.push_back({{"table", table}, {"from", source}, {"to", target}});
        }
    }
    return rows;
}

int show(Session& session, const Wish& wish, const store::CopyReport& report) {
    const auto key_file = absolute_text(report.key_file);
    if (session.json()) {
        session.print({{"from", config::mask_password(wish.from)},
                       {"to", config::mask_password(wish.to)},
                       {"complete", report.is_equal()},
                       {"rows", report.rows()},
                       {"key_file", key_file},
                       {"tables", counts_of(report, true)}});
    } else {
        session.console().out << render_table(counts_of(report, false), count_columns,
                                              "Both sides are empty.");
    }
    if (!report.is_equal()) {
        return session.fail(ErrorCode::conflict,
                            "the counts differ, so the target stays closed: remove it, "
                            "and copy again");
    }
    if (!session.json()) {
        session.console().out << fmt::format(
            "{} rows are copied, and each table has as many on both sides.\n"
            "Set store.url to the new store, and store.key_file to {}: no other key opens its "
            "secrets.\n",
            report.rows(), key_file);
    }
    return exit_done;
}

int run(Session& session, const Wish& wish) {
    const auto loaded = session.settings();
    if (!loaded) {
        return session.fail(loaded.error());
    }
    CopyView view{session};
    auto options = copy_options((*loaded)->settings, wish);
    options.on_progress = [&view](const store::CopyProgress& progress) { view.show(progress); };
    const auto report = store::copy_store(options, session.random());
    view.end();
    return report ? show(session, wish, *report) : session.fail(report.error());
}

}  // namespace

void add_store_commands(Program& program) {
    auto& group =
        program.add_group(program.root(), {.name = "store",
                                           .summary = "The store: an SQLite file or a database",
                                           .example = "merpati store copy sqlite:merpati.db "
                                                      "postgresql://merpati@db-1/merpati",
                                           .section = section::operation});
    const auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group,
        {.name = "copy",
         .summary = "Copy a store into an empty one: from a file to a database, or back",
         .details =
             "Ids, states, keys, callbacks, secrets and history stay. Stop the servers first:\n"
             "neither store may be in use. Run it again after an interruption, and it goes on\n"
             "where it was. It ends with the rows of each table on both sides; before that\n"
             "nothing else opens the new store. The secrets stay sealed with the same key file\n"
             "(docs/scaling.md).",
         .example = "merpati store copy sqlite:/var/lib/merpati/merpati.db \\\n"
                    "  \"postgresql://merpati@db-1.example.com/merpati?passfile=pgpass\""},
        [wish](Session& session) { return run(session, *wish); });
    add_parameter(command, {.name = "FROM", .help = "The URL of the store that is copied"},
                  wish->from);
    add_parameter(command,
                  {.name = "TO", .help = "The URL of the new store; made if it is missing"},
                  wish->to);
}

}  // namespace merpati::cli
