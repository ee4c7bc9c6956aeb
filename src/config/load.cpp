#include "config/load.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unistd.h>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "config/file.hpp"
#include "config/local_files.hpp"
#include "config/suggest.hpp"
#include "config/table.hpp"
#include "model/store_url.hpp"

namespace merpati::config {
namespace {

constexpr std::size_t mistakes_max = 20;
constexpr std::size_t quoted_max = 80;

/// A wrong value, printable and shortened for an error text.
std::string quote(std::string_view value) {
    return fmt::format("'{}{}'", printable(value.substr(0, quoted_max)),
                       value.size() > quoted_max ? "…" : "");
}

std::string did_you_mean(std::string_view given, std::span<const std::string_view> words) {
    const auto nearest = suggest(given, words);
    return nearest ? fmt::format("; did you mean {}?", *nearest) : "";
}

/// How to write a list, which differs between a file and other sources; a common mistake.
std::string how_to_write(const Row& row, Origin::Kind kind) {
    if (row.form != Form::list) {
        return {};
    }
    return fmt::format("; write it as {}", kind == Origin::Kind::file ? row.in_toml(row.example)
                                                                      : std::string{row.example});
}

std::string host_name() {
    std::array<char, 256> name{};
    // A name that is cut off has no final zero.
    return ::gethostname(name.data(), name.size() - 1) == 0 && name.front() != 0 ? name.data()
                                                                                 : "localhost";
}

class Loader {
public:
    void read(const Sources& sources);
    [[nodiscard]] Result<Loaded> finish();

private:
    void read_file_entries(const std::filesystem::path& file);
    void read_environment(const std::map<std::string, std::string>& environment);
    void read_set(std::string_view set);

    [[nodiscard]] const Row* row_of(std::string_view key);
    void assign(const Row& row, std::string_view value, Origin origin);
    void refuse_value(const Row& row, std::string_view value, const Origin& origin);
    void check_together(const Sources& sources);
    void check_store();
    void check_cluster_address();
    void find_folders(const Sources& sources);
    void fill_in_defaults();
    void make_absolute(std::string_view key, std::optional<std::filesystem::path>& path) const;
    [[nodiscard]] std::filesystem::path absolute(std::string_view key,
                                                 const std::filesystem::path& path) const;
    void mistake(std::string sentence);
    [[nodiscard]] std::string place_of(std::string_view key) const;

    Loaded loaded_;
    std::map<std::string, Row, std::less<>> worker_rows_;
    std::optional<Error> unreadable_;
    std::vector<std::string> mistakes_;
    std::size_t more_ = 0;
    std::filesystem::path working_directory_;
    std::filesystem::path file_folder_;  // The working directory if there is no regular file.
};

void Loader::read(const Sources& sources) {
    if (sources.file) {
        read_file_entries(*sources.file);
    }
    read_environment(sources.environment);
    for (const auto& set : sources.sets) {
        read_set(set);
    }
    if (mistakes_.empty()) {
        check_together(sources);
        find_folders(sources);
        fill_in_defaults();
    }
}

Result<Loaded> Loader::finish() {
    if (unreadable_) {
        return std::unexpected(std::move(*unreadable_));
    }
    if (mistakes_.empty()) {
        return std::move(loaded_);
    }
    if (more_ > 0) {
        mistakes_.push_back(fmt::format("and {} more", more_));
    }
    return fail(ErrorCode::invalid_argument, fmt::format("{}", fmt::join(mistakes_, "\n")));
}

void Loader::read_file_entries(const std::filesystem::path& file) {
    auto entries = read_file(file);
    if (!entries) {
        unreadable_ = std::move(entries.error());
        return;
    }
    std::vector<std::string_view> keys;
    for (const auto& row : rows()) {
        keys.push_back(row.key);
    }
    for (const auto& entry : *entries) {
        const auto place = fmt::format("{}:{}", file.string(), entry.line);
        const auto* row = row_of(entry.key);
        if (row == nullptr) {
            mistake(fmt::format("{}: {}: no such setting{}", place, quote(entry.key),
                                did_you_mean(entry.key, keys)));
            continue;
        }
        using Form = FileEntry::Form;
        const bool shaped = entry.form == Form::text ||
                            (entry.form == Form::bare && !row->text_only) ||
                            (entry.form == Form::list && row->form == config::Form::list);
        if (shaped) {
            assign(*row, entry.value, {.kind = Origin::Kind::file, .text = place});
        } else {
            refuse_value(*row, {}, {.kind = Origin::Kind::file, .text = place});
        }
    }
}

void Loader::read_environment(const std::map<std::string, std::string>& environment) {
    std::vector<std::string> variables;
    for (const auto& row : rows()) {
        variables.push_back(row.variable());
    }
    const std::vector<std::string_view> words{variables.begin(), variables.end()};
    constexpr std::string_view prefix = "MERPATI_";
    for (const auto& [name, value] : environment) {
        const std::string_view rest =
            std::string_view{name}.substr(name.starts_with(prefix) ? prefix.size() : name.size());
        if (!rest.contains("__")) {
            continue;
        }
        const auto found = std::ranges::find(variables, name);
        const auto worker = worker_key(name);
        if (const auto* row = worker ? row_of(*worker) : nullptr; row != nullptr) {
            assign(*row, value, {.kind = Origin::Kind::environment, .text = name});
            continue;
        }
        if (found == variables.end()) {
            mistake(fmt::format("{}: no such setting{}", quote(name), did_you_mean(name, words)));
            continue;
        }
        const auto index = static_cast<std::size_t>(found - variables.begin());
        assign(rows()[index], value, {.kind = Origin::Kind::environment, .text = name});
    }
}

void Loader::read_set(std::string_view set) {
    const auto equals = set.find('=');
    if (equals == std::string_view::npos) {
        mistake(fmt::format("--set {}: write it as KEY=VALUE, for example --set log.level=debug",
                            quote(set)));
        return;
    }
    const auto key = set.substr(0, equals);
    const auto* row = row_of(key);
    if (row == nullptr) {
        std::vector<std::string_view> keys;
        for (const auto& each : rows()) {
            keys.push_back(each.key);
        }
        mistake(fmt::format("--set {}: no such setting{}", quote(key), did_you_mean(key, keys)));
        return;
    }
    assign(*row, set.substr(equals + 1), {.kind = Origin::Kind::flag, .text = "--set"});
}

const Row* Loader::row_of(std::string_view key) {
    if (const auto* row = find_row(key); row != nullptr) {
        return row;
    }
    auto made = worker_row(key);
    return made ? &worker_rows_.try_emplace(std::string{key}, std::move(*made)).first->second
                : nullptr;
}

void Loader::assign(const Row& row, std::string_view value, Origin origin) {
    if (!row.assign(loaded_.settings, value)) {
        refuse_value(row, value, origin);
        return;
    }
    loaded_.origins.insert_or_assign(std::string{row.key}, std::move(origin));
}

void Loader::refuse_value(const Row& row, std::string_view value, const Origin& origin) {
    const auto shown =
        value.empty() ? std::string{} : fmt::format(", not {}", quote(row.show(value)));
    mistake(fmt::format("{}: {} must be {}{}{}{}{}", origin.text, row.key, row.type,
                        row.bounds.empty() ? "" : ", ", row.bounds, shown,
                        how_to_write(row, origin.kind)));
}

void Loader::check_together(const Sources& sources) {
    const auto& http = loaded_.settings.http;
    if (http.tls.certificate.has_value() != http.tls.key.has_value()) {
        const bool has_key = http.tls.key.has_value();
        mistake(fmt::format("{}: {} needs {} beside it",
                            place_of(has_key ? "http.tls.key" : "http.tls.certificate"),
                            has_key ? "http.tls.key" : "http.tls.certificate",
                            has_key ? "http.tls.certificate" : "http.tls.key"));
    }
    check_store();
    const auto& scheduler = loaded_.settings.scheduler;
    if (scheduler.retry_first > scheduler.retry_max) {
        mistake(fmt::format("{}: scheduler.retry_first must not be longer than scheduler.retry_max",
                            place_of("scheduler.retry_first")));
    }
    const auto& callback = loaded_.settings.callback;
    if (callback.per_origin_max > callback.total_max) {
        mistake(fmt::format("{}: callback.per_origin_max must not be above callback.total_max",
                            place_of("callback.per_origin_max")));
    }
    const auto& media = loaded_.settings.media;
    if (media.max_bytes > media.kept_bytes_max) {
        mistake(fmt::format("{}: media.max_bytes must not be above media.kept_bytes_max",
                            place_of("media.max_bytes")));
    }
    auto names = sources.connectors;
    for (const auto& [name, worker] : loaded_.settings.workers.by_name) {
        const auto key = fmt::format("workers.{}.{}", name, worker.socket ? "socket" : "command");
        const bool has_command = !worker.command.empty();
        if (has_command == worker.socket.has_value()) {
            mistake(fmt::format("{}: workers.{} needs a command or a socket, not both",
                                place_of(key), name));
        }
        if (std::ranges::find(sources.connectors, name) != sources.connectors.end()) {
            mistake(fmt::format("{}: {}: there is a connector of this name already", place_of(key),
                                key));
        }
        if (!names.empty()) {
            names.emplace_back(name);
        }
    }
    const auto& connector = loaded_.settings.devices.default_connector;
    if (!names.empty() && std::ranges::find(names, connector) == names.end()) {
        constexpr std::string_view key = "devices.default_connector";
        mistake(fmt::format("{}: {} is {}, a connector that this version does not have; it has {}",
                            place_of(key), key, quote(connector), fmt::join(names, ", ")));
    }
    const auto& offered = loaded_.settings.devices.offered_connectors;
    constexpr std::string_view offered_key = "devices.offered_connectors";
    for (const auto& name : offered) {
        if (!names.empty() && std::ranges::find(names, name) == names.end()) {
            mistake(fmt::format(
                "{}: {} names {}, a connector that this version does not have; it "
                "has {}",
                place_of(offered_key), offered_key, quote(name), fmt::join(names, ", ")));
        }
    }
    if (!offered.empty() && std::ranges::find(offered, connector) == offered.end()) {
        mistake(fmt::format("{}: {} must name devices.default_connector, {}, too",
                            place_of(offered_key), offered_key, quote(connector)));
    }
}

void Loader::check_store() {
    const auto& store = loaded_.settings.store;
    const bool in_database = model::is_postgresql(store.url);
    if (in_database && !store.key_file) {
        mistake(
            fmt::format("{}: store.url names a database, so store.key_file must be set too: the "
                        "file of the key that encrypts secrets in it, of which every server that "
                        "uses the database has a copy",
                        place_of("store.url")));
    }
    if (!in_database && store.folder) {
        mistake(
            fmt::format("{}: store.folder is for PostgreSQL alone; with SQLite these files are "
                        "beside the store",
                        place_of("store.folder")));
    }
    const auto& cluster = loaded_.settings.cluster;
    const auto refuse_cluster = [&](std::string_view key) {
        mistake(fmt::format("{}: {} is for PostgreSQL alone: servers cannot share an SQLite file",
                            place_of(key), key));
    };
    if (!in_database && cluster.node) {
        refuse_cluster("cluster.node");
    }
    if (!in_database && cluster.listen) {
        refuse_cluster("cluster.listen");
    }
    if (!in_database && cluster.lease != ClusterSettings{}.lease) {
        refuse_cluster("cluster.lease");
    }
    check_cluster_address();
}

void Loader::check_cluster_address() {
    const auto& cluster = loaded_.settings.cluster;
    for (const auto& [key, is_set] :
         {std::pair{"cluster.address", cluster.address.has_value()},
          std::pair{"cluster.key_file", cluster.key_file.has_value()}}) {
        if (is_set && !cluster.listen) {
            mistake(
                fmt::format("{}: {} has no meaning without cluster.listen", place_of(key), key));
        }
    }
    const auto is_everywhere = [](std::string_view address) {
        return address.starts_with("0.0.0.0:") || address.starts_with("[::]:");
    };
    const auto& told = cluster.address ? cluster.address : cluster.listen;
    if (told && is_everywhere(*told)) {
        const auto* const key = cluster.address ? "cluster.address" : "cluster.listen";
        mistake(
            fmt::format("{}: no other server can reach this one at {}: name one of its "
                        "addresses with cluster.address",
                        place_of(key), *told));
    }
}

/// Sets where relative paths start. The folder of a pipe (`--config <(…)`) has no meaning for an
/// operator.
void Loader::find_folders(const Sources& sources) {
    std::error_code error;
    working_directory_ = sources.working_directory;
    if (working_directory_.empty()) {
        working_directory_ = std::filesystem::current_path(error);
    }
    file_folder_ = working_directory_;
    if (sources.file && std::filesystem::is_regular_file(*sources.file, error)) {
        file_folder_ = (working_directory_ / *sources.file).lexically_normal().parent_path();
    }
}

void Loader::fill_in_defaults() {
    auto& settings = loaded_.settings;
    auto& store = settings.store;
    if (const auto named = model::sqlite_file(store.url)) {
        const auto file = absolute("store.url", *named).string();
        store.url = std::string{model::sqlite_scheme} + file;
        if (!store.key_file) {
            store.key_file = file + ".key";
        }
    } else {
        store.folder = store.folder ? absolute("store.folder", *store.folder) : file_folder_;
        settings.cluster.node = settings.cluster.node.value_or(host_name());
    }
    if (!settings.media.folder) {
        settings.media.folder = local_files(store) + "-media";
    }
    make_absolute("store.key_file", store.key_file);
    make_absolute("cluster.key_file", settings.cluster.key_file);
    make_absolute("media.folder", settings.media.folder);
    make_absolute("http.tls.certificate", settings.http.tls.certificate);
    make_absolute("http.tls.key", settings.http.tls.key);
    make_absolute("outbound.ca_file", settings.outbound.ca_file);
    make_absolute("linked.socket", settings.linked.socket);
    make_absolute("cloud.app_secret_file", settings.cloud.app_secret_file);
    make_absolute("simulator.log", settings.simulator.log);
    for (auto& [name, worker] : settings.workers.by_name) {
        worker.folder = absolute(fmt::format("workers.{}.command", name), ".");
        make_absolute(fmt::format("workers.{}.socket", name), worker.socket);
    }
}

void Loader::make_absolute(std::string_view key, std::optional<std::filesystem::path>& path) const {
    if (path) {
        path = absolute(key, *path);
    }
}

std::filesystem::path Loader::absolute(std::string_view key,
                                       const std::filesystem::path& path) const {
    const auto kind = loaded_.origin(key).kind;
    const bool of_file = kind == Origin::Kind::file || kind == Origin::Kind::fallback;
    return ((of_file ? file_folder_ : working_directory_) / path).lexically_normal();
}

void Loader::mistake(std::string sentence) {
    if (mistakes_.size() < mistakes_max) {
        mistakes_.push_back(std::move(sentence));
    } else {
        ++more_;
    }
}

std::string Loader::place_of(std::string_view key) const {
    return loaded_.origin(key).text;
}

}  // namespace

Origin Loaded::origin(std::string_view key) const {
    const auto found = origins.find(key);
    return found == origins.end() ? Origin{} : found->second;
}

Result<Loaded> load(const Sources& sources) {
    Loader loader;
    loader.read(sources);
    return loader.finish();
}

}  // namespace merpati::config
