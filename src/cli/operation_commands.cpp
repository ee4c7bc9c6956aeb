// merpati backup, migrate, config show and sample, version
#include <filesystem>
#include <ostream>
#include <system_error>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/request_command.hpp"
#include "cli/version.hpp"
#include "config/reference.hpp"

namespace merpati::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto backup_timeout = 2h;  // A large store on a slow disk.

/// The server may run in another folder.
Result<boost::json::value> as_absolute_path(const std::vector<std::string>& texts) {
    std::error_code error;
    const auto absolute = std::filesystem::absolute(texts.front(), error);
    if (error) {
        return fail(ErrorCode::io_failed,
                    "the folder in which this command runs is gone: give FILE as an absolute path, "
                    "from another folder");
    }
    return boost::json::value(absolute.string());
}

int migrate(Session& session) {
    static constexpr Column sheet[]{"version", "store"};
    const auto loaded = session.settings();
    if (!loaded) {
        return session.fail(loaded.error());
    }
    const auto status = session.migrate();
    if (!status) {
        return session.fail(status.error());
    }
    const boost::json::value answer{{"store", "up to date"}, {"version", status->at("version")}};
    return session.show(answer, sheet, "The store has the schema of this version.");
}

int show_config(Session& session) {
    const auto loaded = session.settings();
    if (!loaded) {
        return session.fail(loaded.error());
    }
    if (!session.json()) {
        session.console().out << config::show_text(**loaded);
        return exit_done;
    }
    boost::json::object all;
    for (const auto& setting : config::show(**loaded)) {
        all[std::string{setting.key}] = {{"value", setting.value}, {"origin", setting.origin}};
    }
    return session.print(all);
}

/// With --json the text is one string: {"file": "…"}.
int show_sample(Session& session) {
    if (session.json()) {
        return session.print({{"file", config::sample_file()}});
    }
    session.console().out << config::sample_file();
    return exit_done;
}

}  // namespace

void add_backup(Program& program) {
    static constexpr Column sheet[]{"file", "bytes"};
    add_request_command(
        program, program.root(),
        {.text = {.name = "backup",
                  .summary = "Write a consistent copy of the store to a new file",
                  .details =
                      "Works while the server runs. Keep the key file (store.key_file) with the "
                      "copy:\na store cannot be opened without its key. A store in PostgreSQL is "
                      "backed up by\nthe database's own programs, such as pg_dump.",
                  .example = "merpati backup /var/backups/merpati-monday.db",
                  .section = section::operation},
         .method = http::Method::post,
         .path = "/admin/backup",
         .parameters = {{.name = "FILE",
                         .help = "Where to; it must not exist",
                         .field = "file",
                         .value_of_all = as_absolute_path}},
         .columns = sheet,
         .timeout = backup_timeout});
}

void add_migrate(Program& program) {
    program.add_command(
        program.root(),
        {.name = "migrate",
         .summary = "Bring the store's schema up to this version",
         .details = "The server does this when it starts; run this to do it beforehand. In "
                    "PostgreSQL it\nalso creates a missing store.",
         .example = "merpati migrate",
         .section = section::operation},
        migrate);
}

void add_config_commands(Program& program) {
    auto& group = program.add_group(
        program.root(), {.name = "config",
                         .summary = "Settings, and where each one comes from",
                         .details = "Each setting is a key of the TOML file, an environment "
                                    "variable\n(MERPATI_HTTP__LISTEN is http.listen) and "
                                    "--set KEY=VALUE; flags beat the\nenvironment, which beats "
                                    "the file.",
                         .example = "merpati --config merpati.toml config show",
                         .section = section::operation});
    program.add_command(group,
                        {.name = "show",
                         .summary = "Print every setting with its value and its origin",
                         .details = "Secrets are shown as ***.",
                         .example = "merpati --set http.listen=0.0.0.0:8080 config show"},
                        show_config);
    program.add_command(group,
                        {.name = "sample",
                         .summary = "Print a settings file with every setting at its default",
                         .details = "Each setting is commented out, below its description.",
                         .example = "merpati config sample > merpati.toml"},
                        show_sample);
}

void add_version(Program& program) {
    static constexpr Column sheet[]{{"version", "merpati"}};
    program.add_command(program.root(),
                        {.name = "version",
                         .summary = "Print the version of this program",
                         .example = "merpati version",
                         .section = section::operation},
                        [](Session& session) {
                            return session.show(
                                boost::json::value{{"version", std::string{version}}}, sheet);
                        });
}

}  // namespace merpati::cli
