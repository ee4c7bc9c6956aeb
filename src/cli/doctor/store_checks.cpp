// Checks of the server, the store and its files.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <system_error>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/value_to.hpp>
#include <fmt/format.h>

#include "base/file_descriptor.hpp"
#include "cli/doctor/finding.hpp"
#include "config/local_files.hpp"
#include "http/local_client.hpp"
#include "model/store_url.hpp"
#include "store/store.hpp"

namespace merpati::cli::doctor {
namespace {

using namespace std::chrono_literals;
namespace files = std::filesystem;

constexpr std::uintmax_t disk_wrong_below = 256ULL << 20;
constexpr std::uintmax_t disk_note_below = 2ULL << 30;
constexpr auto quick_time_max = 5s;
constexpr auto deep_time_max = 24h;
constexpr std::size_t sync_rounds_max = 200;
constexpr auto sync_time_max = 500ms;
constexpr std::uintmax_t log_note_from = 256ULL << 20;  // The server logs a warning there too.
constexpr std::uint64_t counted_max = 100'000;          // Waiting messages.
constexpr double syncs_note_below = 50;                 // A spinning disk makes about 100.

bool is_sqlite(const config::Settings& settings) {
    return model::sqlite_file(settings.store.url).has_value();
}

files::path store_file(const config::Settings& settings) {
    return model::sqlite_file(settings.store.url).value_or("");
}

files::path store_folder(const config::Settings& settings) {
    const auto folder = store_file(settings).parent_path();
    return folder.empty() ? files::path{"."} : folder;
}

std::string mebibytes(std::uintmax_t bytes) {
    return fmt::format("{} MiB", bytes >> 20);
}

/// Asks the server at the store's socket for its status. Adds no finding if nothing listens there.
Server ask_server(const config::Settings& settings, Findings& findings) {
    const auto socket = config::local_socket_path(settings.store);
    const auto reply = http::request(socket, http::Method::get, "/v1/admin/status", "", 5s);
    if (reply) {
        boost::system::error_code error;
        const auto status = boost::json::parse(reply->body, error);
        const auto* version =
            !error && status.is_object() ? status.get_object().if_contains("version") : nullptr;
        if (reply->status == 200 && version != nullptr && version->is_string()) {
            findings.push_back({.subject = "server",
                                .found = fmt::format("runs and answers (version {})",
                                                     version->get_string().c_str())});
            return {.running = true, .version = version->get_string().c_str()};
        }
    } else if (reply.error().code == ErrorCode::unreachable) {
        return {};
    }
    findings.push_back(
        {.subject = "server",
         .verdict = Verdict::wrong,
         .found = fmt::format("whoever listens at {} does not answer as a server: {}", socket,
                              reply ? std::to_string(reply->status) : reply.error().detail),
         .remedy = "run this command as the server's user; if it is, restart the server"});
    return {.running = true};
}

constexpr std::string_view restore_it =
    "restore the last backup (docs/operations.md says how); keep the damaged file for study";

std::string_view remedy_for(ErrorCode code) {
    switch (code) {
        case ErrorCode::busy:
            return "a server that is starting or stopping, or another command, has it: try again; "
                   "`fuser` names the process";
        case ErrorCode::conflict:
            return "give it the key file it was made with, or run `merpati migrate`";
        case ErrorCode::refused:
            return "remove the other names, or copy the file with `merpati backup` instead";
        case ErrorCode::damaged:
            return restore_it;
        case ErrorCode::unavailable:
            return "start the database, or correct store.url";
        case ErrorCode::not_found:
            return "if there was none, `merpati migrate` or the server makes it";
        case ErrorCode::fenced:
        case ErrorCode::elsewhere:
        case ErrorCode::invalid_argument:
        case ErrorCode::forbidden:
        case ErrorCode::precondition_failed:
        case ErrorCode::too_many_requests:
        case ErrorCode::timeout:
        case ErrorCode::unreachable:
        case ErrorCode::protocol:
        case ErrorCode::store_failed:
        case ErrorCode::io_failed:
        case ErrorCode::shutting_down:
            break;
    }
    return "check store.url, the disk, and that this user may write there";
}

/// The array named `list` in an answer of /readyz; empty if there is none.
boost::json::array parts_of(const std::string& body, std::string_view list) {
    boost::system::error_code error;
    const auto answer = boost::json::parse(body, error);
    const auto* found =
        !error && answer.is_object() ? answer.get_object().if_contains(list) : nullptr;
    return found != nullptr && found->is_array() ? found->get_array() : boost::json::array{};
}

/// Adds what keeps a running server, or a part of it, from working, in the server's words.
void ask_readiness(const std::string& socket, Findings& findings) {
    const auto reply = http::request(socket, http::Method::get, "/readyz", "", 5s);
    if (!reply) {
        return;
    }
    for (const auto& reason : parts_of(reply->body, "degraded")) {
        findings.push_back(
            {.subject = "server",
             .verdict = Verdict::wrong,
             .found = boost::json::value_to<std::string>(reason.at("part")) + ": " +
                      boost::json::value_to<std::string>(reason.at("reason")),
             .remedy = "the server tries again by itself; its log says what is wrong"});
    }
    for (const auto& reason : parts_of(reply->body, "reasons")) {
        const auto part = boost::json::value_to<std::string>(reason.at("part"));
        const auto why = boost::json::value_to<std::string>(reason.at("reason"));
        const bool damaged = why.contains("is damaged");
        findings.push_back({.subject = part == "store" ? "store" : "server",
                            .verdict = Verdict::wrong,
                            .found = part == "store" ? why : fmt::format("{} {}", part, why),
                            .remedy = damaged ? std::string{restore_it}
                                      : why.contains("disk")
                                          ? "free some room: it goes on by itself"
                                          : "look at the server's log"});
    }
}

/// The log of commits on the disk. A server moves it into the store at 32 MiB, and SQLite cuts the
/// file to 64 MiB then, unless something reads the store for long.
void check_log(const config::Settings& settings, Findings& findings) {
    if (!is_sqlite(settings)) {
        return;
    }
    std::error_code missing;
    const auto size = files::file_size(store_file(settings).string() + "-wal", missing);
    const auto bytes = missing ? 0 : size;
    const bool large = bytes >= log_note_from;
    findings.push_back(
        {.subject = "store",
         .verdict = large ? Verdict::note : Verdict::good,
         .found = fmt::format("its log of commits has {}", mebibytes(bytes)),
         .remedy = large ? "end what reads the store for long, such as a backup or a shell; if the "
                           "server is stopped, its next start moves the log into the store"
                         : ""});
}

/// Reads the store's pages. A server may have the store open.
void check_integrity(const config::Settings& settings, store::Depth depth, const Clock& clock,
                     Findings& findings) {
    const bool deep = depth == store::Depth::deep;
    const auto found = store::check_integrity(settings.store.url, depth, clock,
                                              deep ? deep_time_max : quick_time_max);
    if (!found) {
        findings.push_back({.subject = "store",
                            .verdict = Verdict::wrong,
                            .found = "cannot be read: " + found.error().detail,
                            .remedy = std::string{found.error().code == ErrorCode::unavailable
                                                      ? remedy_for(ErrorCode::unavailable)
                                                      : restore_it}});
        return;
    }
    for (const auto& damage : found->damages) {
        findings.push_back({.subject = "store",
                            .verdict = Verdict::wrong,
                            .found = "is damaged: " + damage,
                            .remedy = std::string{restore_it}});
    }
    for (const auto& fault : found->ledger_faults) {
        findings.push_back(
            {.subject = "credit",
             .verdict = Verdict::wrong,
             .found = fmt::format("of account {}: {}", fault.account.text(), fault.what),
             .remedy = "keep the store's file and report this: it must not happen; "
                       "`merpati account set ID --credits N` sets the balance"});
    }
    for (const auto& fault : found->campaign_faults) {
        findings.push_back({.subject = "campaigns",
                            .verdict = Verdict::wrong,
                            .found = fmt::format("{}: {}", fault.campaign.text(), fault.what),
                            .remedy = "keep the store's file and report this: it must not happen"});
    }
    if (!found->damages.empty()) {
        return;
    }
    if (found->complete && found->ledger_faults.empty()) {
        findings.push_back(
            {.subject = "credit", .found = "ledger, balance and messages of every account agree"});
    }
    if (found->complete && found->campaign_faults.empty()) {
        findings.push_back({.subject = "campaigns",
                            .found = "the counts of every campaign are those of its rows"});
    }
    if (found->complete && is_sqlite(settings)) {
        findings.push_back({.subject = "store",
                            .found = deep ? "is whole, with its indexes"
                                          : "is whole, as far as a quick look tells"});
    } else if (!found->complete) {
        findings.push_back({.subject = "store",
                            .verdict = Verdict::note,
                            .found = "is too large to be looked at in a few seconds",
                            .remedy = "`merpati doctor --deep` takes the time"});
    }
}

void open_store(const config::Settings& settings, store::Depth depth, const Clock& clock,
                Findings& findings) {
    const auto say_damage = [&findings](std::string_view place) {
        findings.push_back({.subject = "store",
                            .verdict = Verdict::wrong,
                            .found = fmt::format("is damaged: {} could not be read", place),
                            .remedy = std::string{restore_it}});
    };
    auto opened = store::open_store({.url = settings.store.url,
                                     .key_file = settings.store.key_file.value_or(""),
                                     .create = false,
                                     .migrate = false,
                                     .on_damage = say_damage});
    if (!opened) {
        findings.push_back({.subject = "store",
                            .verdict = Verdict::wrong,
                            .found = opened.error().detail,
                            .remedy = std::string{remedy_for(opened.error().code)}});
        return;
    }
    check_integrity(settings, depth, clock, findings);
    auto reader = (*opened)->open_reader();
    const auto waiting =
        reader ? (*reader)->waiting_messages(counted_max + 1) : Result<std::uint64_t>{pass(reader)};
    if (!waiting) {
        findings.push_back({.subject = "store",
                            .verdict = Verdict::wrong,
                            .found = "cannot be read: " + waiting.error().detail,
                            .remedy = std::string{restore_it}});
        return;
    }
    findings.push_back({.subject = "store",
                        .found = fmt::format("opens, with the schema of this version and its key; "
                                             "{}{} messages wait",
                                             *waiting > counted_max ? "more than " : "",
                                             std::min(*waiting, counted_max))});
    (void)(*reader)->clock_offset();  // Says its damage.
}

/// Writes and syncs small blocks to a file of its own, as the store does on each commit.
Result<double> measure_syncs(const files::path& folder, const Clock& clock) {
    auto name = (folder / ".merpati-doctor-XXXXXX").string();
    const FileDescriptor file{::mkostemp(name.data(), O_CLOEXEC)};
    if (!file) {
        return fail(ErrorCode::io_failed, std::generic_category().message(errno));
    }
    ::unlink(name.c_str());
    std::array<char, 4096> block{};
    const auto start = clock.steady_now();
    std::size_t rounds = 0;
    bool written = true;
    while (written && rounds < sync_rounds_max && clock.steady_now() - start < sync_time_max) {
        written = ::pwrite(file.get(), block.data(), block.size(),
                           static_cast<off_t>(rounds * block.size())) ==
                      static_cast<ssize_t>(block.size()) &&
                  ::fdatasync(file.get()) == 0;
        ++rounds;
    }
    if (!written) {
        return fail(ErrorCode::io_failed, std::generic_category().message(errno));
    }
    const std::chrono::duration<double> took = clock.steady_now() - start;
    return static_cast<double>(rounds) / std::max(took.count(), 1e-6);
}

}  // namespace

Server check_store(const config::Settings& settings, store::Depth depth, const Clock& clock,
                   Findings& findings) {
    auto server = ask_server(settings, findings);
    if (server.running) {
        ask_readiness(config::local_socket_path(settings.store), findings);
        check_log(settings, findings);
        check_integrity(settings, depth, clock, findings);
        return server;
    }
    findings.push_back({.subject = "server", .found = "is not running"});
    std::error_code error;
    if (is_sqlite(settings) && !files::exists(store_file(settings), error)) {
        const auto folder = store_folder(settings);
        if (::access(folder.c_str(), W_OK | X_OK) == 0) {
            findings.push_back(
                {.subject = "store",
                 .verdict = Verdict::note,
                 .found = fmt::format("{} is not there yet", store_file(settings).string()),
                 .remedy = "the server, or the first command, makes it; if there "
                           "was one, check store.url"});
        } else {
            findings.push_back({.subject = "store",
                                .verdict = Verdict::wrong,
                                .found = fmt::format("cannot be made in {}: {}", folder.string(),
                                                     std::generic_category().message(errno)),
                                .remedy = "create the folder and give it to the server's user"});
        }
        return server;
    }
    check_log(settings, findings);
    open_store(settings, depth, clock, findings);
    return server;
}

void check_file_modes(const config::Settings& settings, Findings& findings) {
    std::vector<files::path> open;
    for (const auto& file : {store_file(settings), settings.store.key_file.value_or("")}) {
        struct stat status{};
        if (::stat(file.c_str(), &status) == 0 && (status.st_mode & 077) != 0) {
            open.push_back(file);
        }
    }
    if (open.empty()) {
        findings.push_back({.subject = "files", .found = "others cannot read the store's files"});
    }
    for (const auto& file : open) {
        findings.push_back({.subject = "files",
                            .verdict = Verdict::wrong,
                            .found = fmt::format("others may open {}", file.string()),
                            .remedy = fmt::format("chmod 600 {}", file.string())});
    }
    if (const auto& folder = settings.store.folder;
        folder && ::access(folder->c_str(), W_OK | X_OK) != 0) {
        findings.push_back(
            {.subject = "files",
             .verdict = Verdict::wrong,
             .found = fmt::format("the server's own cannot be made in {}: {}", folder->string(),
                                  std::generic_category().message(errno)),
             .remedy = "name a folder of the server's user with store.folder"});
    }
}

void check_disk(const config::Settings& settings, const Clock& clock, Findings& findings) {
    if (!is_sqlite(settings)) {
        return;
    }
    const auto folder = store_folder(settings);
    struct statvfs space{};
    if (::statvfs(folder.c_str(), &space) != 0) {
        return;  // `check_store` has reported the missing folder.
    }
    const auto left = static_cast<std::uintmax_t>(space.f_bavail) * space.f_frsize;
    const bool little = left < disk_note_below;
    findings.push_back({.subject = "disk",
                        .verdict = left < disk_wrong_below ? Verdict::wrong
                                   : little                ? Verdict::note
                                                           : Verdict::good,
                        .found = fmt::format("{} free for the store", mebibytes(left)),
                        .remedy = little ? "free some, or shorten retention.finished" : ""});
    const auto syncs = measure_syncs(folder, clock);
    if (!syncs) {
        findings.push_back({.subject = "disk",
                            .verdict = Verdict::wrong,
                            .found = "cannot be written: " + syncs.error().detail,
                            .remedy = "give the folder to the server's user, and free some space"});
        return;
    }
    const bool slow = *syncs < syncs_note_below;
    findings.push_back(
        {.subject = "disk",
         .verdict = slow ? Verdict::note : Verdict::good,
         .found = fmt::format("makes {:.0f} commits a second durable, many messages each", *syncs),
         .remedy = slow ? "each answer waits for one: put the store on a faster disk" : ""});
}

}  // namespace merpati::cli::doctor
