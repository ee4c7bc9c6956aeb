#include "config/reference.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "config/table.hpp"

namespace merpati::config {
namespace {

constexpr std::size_t line_max = 96;
/// The settings of each worker that an operator names.
constexpr std::array<std::string_view, 2> worker_kinds{"command", "socket"};

constexpr std::string_view page_start = R"(# Configuration

<!-- Made from src/config/table.cpp. To renew it after a change there:
     MERPATI_WRITE_REFERENCE=1 build/dev/src/config/config_test -->

Merpati runs without any configuration: every setting has a default. It can be changed in three
places; a flag beats an environment variable, which beats the file.

| where | how `http.listen` is written there |
|---|---|
| file, `merpati --config FILE …` (TOML) | `[http]`, below it `listen = ["127.0.0.1:8080"]` |
| environment variable | `MERPATI_HTTP__LISTEN=127.0.0.1:8080` (a dot becomes two underscores) |
| flag | `--set http.listen=127.0.0.1:8080` |

- Lists are `["a", "b"]` in the file, and `a,b` in a variable or a flag.
- Durations are a whole number and a unit, `"500ms"`, `"15s"`, `"10m"`, `"24h"`, `"30d"`; a number
  alone counts seconds, save where the key says milliseconds (`latency_ms`).
- Sizes are bytes, or a whole number with `KiB`, `MiB` or `GiB`.
- Relative paths, that of the store too, start at the folder of the settings file where they stand
  in it or are defaults, and at the working directory where they come from a variable or a flag.
  With no settings file, or one that is a pipe (`--config <(…)`), all start at the working
  directory. `merpati config show` shows them whole, and so do `merpati doctor` and the log of a
  start.
- An empty text unsets a setting that may be unset.
- A file that cannot be read, a key that does not exist, a value of a wrong kind or out of its
  bounds ends the start, and every other command that reads settings, with exit code 2 and a line
  for each mistake that names its place. `merpati doctor` lists them among what it finds, and exits
  1. Variables that begin with `MERPATI_` but hold no two underscores after it are not settings and
  are ignored.

`merpati config show` prints every setting with its value and where it came from, secrets hidden;
`merpati config sample` prints a file with every setting at its default.

## Who may read /metrics

With `metrics.token` set, a request needs the header `Authorization: Bearer TOKEN`, from wherever it
comes. Without it, only peers on the machine itself (loopback addresses) may read; all others are
answered 401. Behind a reverse proxy on the same machine every peer is a loopback one: set a token
there, or do not forward `/metrics`.
)";

std::string_view section_of(std::string_view key) {
    return key.substr(0, key.find('.'));
}

std::string_view below_section(std::string_view key) {
    return key.substr(key.find('.') + 1);
}

std::string default_of(const Row& row) {
    return row.print(Settings{});
}

/// Breaks a sentence into lines, each after `indent`.
std::string wrap(std::string_view sentence, std::string_view indent) {
    std::string text;
    std::size_t column = line_max;
    while (!sentence.empty()) {
        const auto space = std::min(sentence.find(' '), sentence.size());
        if (column + 1 + space > line_max) {
            text += text.empty() ? "" : "\n";
            text += indent;
            column = indent.size();
        } else {
            text += ' ';
            ++column;
        }
        text += sentence.substr(0, space);
        column += space;
        sentence.remove_prefix(std::min(space + 1, sentence.size()));
    }
    return text + '\n';
}

/// Text inside a cell of a Markdown table.
std::string in_cell(std::string_view text) {
    std::string cell;
    for (const char c : text) {
        cell += c == '|' ? "\\|" : std::string{c};
    }
    return cell;
}

}  // namespace

std::vector<ShownSetting> show(const Loaded& loaded) {
    std::vector<ShownSetting> shown;
    const auto add = [&](const Row& row) {
        shown.push_back({.key = row.key,
                         .value = row.show(row.print(loaded.settings)),
                         .origin = loaded.origin(row.key).text});
    };
    for (const auto& row : rows()) {
        add(row);
        if (row.key == "workers.memory_max") {
            for (const auto& [name, worker] : loaded.settings.workers.by_name) {
                const auto kind = worker_kinds.at(worker.socket ? 1 : 0);
                add(*worker_row(fmt::format("workers.{}.{}", name, kind)));
            }
        }
    }
    return shown;
}

std::string show_text(const Loaded& loaded) {
    std::string text;
    for (const auto& setting : show(loaded)) {
        text += fmt::format("{:<30} = {}  ({})\n", setting.key,
                            setting.value.empty() ? "unset" : setting.value, setting.origin);
    }
    return text;
}

std::string sample_file() {
    std::string text =
        "# Merpati's settings, each at its default. Take away the # of a line to change it.\n"
        "# The reference is docs/configuration.md.\n";
    std::string_view section;
    for (const auto& row : rows()) {
        if (section_of(row.key) != section) {
            section = section_of(row.key);
            text += fmt::format("\n[{}]\n", section);
        }
        const auto value = default_of(row);
        const bool unset = value.empty() && !row.example.empty();
        text += wrap(row.sentence, "# ");
        text += fmt::format("#{} = {}{}\n", below_section(row.key),
                            row.in_toml(unset ? row.example : value),
                            unset ? "  # an example; unset by default" : "");
        if (row.key == "workers.memory_max") {
            text += "\n[workers.echo]\n";
            for (const std::string_view kind : worker_kinds) {
                const auto worker = *worker_row(fmt::format("workers.echo.{}", kind));
                text += wrap(worker.sentence, "# ");
                text += fmt::format("#{} = {}  # an example; unset by default\n", kind,
                                    worker.in_toml(worker.example));
            }
        }
    }
    return text;
}

std::string reference_page() {
    std::string page{page_start};
    std::string_view section;
    for (const auto& row : rows()) {
        if (section_of(row.key) != section) {
            section = section_of(row.key);
            page += fmt::format(
                "\n## {}\n\n| key | default | meaning | value |\n|---|---|---|---|\n", section);
        }
        const auto value = default_of(row);
        page += fmt::format("| `{}` | {} | {} | {}{}{} |\n", row.key,
                            value.empty() ? "unset" : fmt::format("`{}`", row.in_toml(value)),
                            in_cell(row.sentence), in_cell(row.type),
                            row.bounds.empty() ? "" : "; ", in_cell(row.bounds));
        if (row.key == "workers.memory_max") {
            for (const std::string_view kind : worker_kinds) {
                const auto worker = *worker_row(fmt::format("workers.echo.{}", kind));
                page += fmt::format("| `workers.NAME.{}` | unset | {} | {}{}{} |\n", kind,
                                    in_cell(worker.sentence), in_cell(worker.type),
                                    worker.bounds.empty() ? "" : "; ", in_cell(worker.bounds));
            }
        }
    }
    return page;
}

}  // namespace merpati::config
