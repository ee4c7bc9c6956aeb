// merpati device import, merpati device export
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <sys/stat.h>
#include <system_error>

#include <CLI/App.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/converter.hpp"
#include "cli/device_number.hpp"
#include "cli/request_command.hpp"

namespace merpati::cli {
namespace {

namespace files = std::filesystem;

constexpr std::chrono::seconds import_within{120};
constexpr std::string_view linked = "linked";  // The connector whose worker the converter serves.

struct Wish {
    std::string number;
    std::string folder;
};

Result<void> check_connector(Session& session, const Wish& wish) {
    const auto device = session.ask(http::Method::get, device_path(wish.number));
    if (!device) {
        return pass(device);
    }
    return text_of(device->get_object(), "connector") == linked
               ? Result<void>{}
               : fail(ErrorCode::refused,
                      fmt::format("{} is no linked device: only devices of the connector {} move",
                                  wish.number, linked));
}

std::string count_words(const Converter::Moved& moved) {
    return fmt::format(
        "{} {}{}", moved.keys, moved.keys == 1 ? "key" : "keys",
        moved.left_out == 0
            ? std::string{}
            : fmt::format("; {} left out: unreadable, or nothing of Baileys", moved.left_out));
}

int show(Session& session, const Wish& wish, const Converter::Moved& moved,
         const std::string& sentences) {
    if (session.json()) {
        return session.print({{"number", wish.number},
                              {"folder", wish.folder},
                              {"keys", moved.keys},
                              {"left_out", moved.left_out}});
    }
    session.console().out << sentences;
    return exit_done;
}

int import_device(Session& session, const Wish& wish) {
    const auto settings = session.settings();
    if (!settings) {
        return session.fail(settings.error());
    }
    if (auto checked = check_connector(session, wish); !checked) {
        return session.fail(checked.error());
    }
    auto taken = Converter::read((*settings)->settings, wish.number, files::absolute(wish.folder));
    if (!taken) {
        return session.fail(taken.error());
    }
    const auto imported = session.ask(http::Method::post, device_path(wish.number) + "/import",
                                      {{"secrets", std::move(taken->secrets)}}, import_within);
    if (!imported) {
        return session.fail(imported.error());
    }
    return show(session, wish, taken->moved,
                fmt::format("{} is imported: {}.\nStop the other program for good, then: merpati "
                            "device connect {}\n",
                            wish.number, count_words(taken->moved), wish.number));
}

/// Creates the folder, or uses an existing empty one. Errors: conflict, io_failed.
Result<files::path> make_folder(const std::string& name) {
    auto folder = files::absolute(name);
    std::error_code error;
    if (::mkdir(folder.c_str(), 0700) == 0) {
        return folder;
    }
    const int reason = errno;
    if (reason == EEXIST && files::is_directory(folder, error) && files::is_empty(folder, error)) {
        files::permissions(folder, files::perms::owner_all, error);
        return error ? fail(ErrorCode::io_failed, "the folder is another user's")
                     : Result<files::path>{std::move(folder)};
    }
    return reason == EEXIST
               ? fail(ErrorCode::conflict, name + " is there already: name a new folder")
               : fail(ErrorCode::io_failed, fmt::format("the folder {} cannot be made: {}", name,
                                                        std::generic_category().message(reason)));
}

Result<Converter::Moved> write_folder(Session& session, const config::Settings& settings,
                                      const Wish& wish, const files::path& folder) {
    auto writer = Converter::writer(settings, wish.number, folder);
    if (!writer) {
        return pass(writer);
    }
    const auto streamed =
        session.stream(http::Method::post, device_path(wish.number) + "/export",
                       [&writer](std::string_view piece) { return writer->write(piece); });
    return streamed ? writer->finish() : pass(streamed);
}

int export_device(Session& session, const Wish& wish) {
    const auto settings = session.settings();
    if (!settings) {
        return session.fail(settings.error());
    }
    if (auto checked = check_connector(session, wish); !checked) {
        return session.fail(checked.error());
    }
    const auto folder = make_folder(wish.folder);
    if (!folder) {
        return session.fail(folder.error());
    }
    const auto moved = write_folder(session, (*settings)->settings, wish, *folder);
    if (!moved) {
        std::error_code error;
        auto why = moved.error();
        if (!files::remove(*folder, error)) {  // It removes only an empty folder.
            why.detail += fmt::format("; {} has some of the device's keys: remove it", wish.folder);
        }
        return session.fail(why);
    }
    return show(
        session, wish, *moved,
        fmt::format("{} is exported to {}: {}. Whoever reads the folder can act as this device.\n"
                    "It stays disconnected here: two programs with one link destroy it. Once the "
                    "other one\nhas stopped for good: merpati device connect {} --force\n",
                    wish.number, wish.folder, count_words(*moved), wish.number));
}

void add(Program& program, CLI::App& group, const CommandText& text, std::string folder_help,
         int (*action)(Session&, const Wish&)) {
    auto wish = std::make_shared<Wish>();
    auto& command = program.add_command(
        group, text, [wish, action](Session& session) { return action(session, *wish); });
    add_parameter(command, device_number, wish->number);
    add_parameter(
        command,
        {.name = "--baileys", .help = std::move(folder_help), .shape = "FOLDER", .required = true},
        wish->folder);
}

}  // namespace

void add_device_moves(Program& program, CLI::App& group) {
    add(program, group,
        {.name = "import",
         .summary = "Take over a number that another gateway has linked",
         .details = "Reads the folder in which a gateway built on Baileys keeps a linked device\n"
                    "(its multi-file auth state), so that no new QR code is needed. Stop that\n"
                    "gateway first: two programs with one link destroy it. The device must be\n"
                    "disconnected here; the import replaces its stored link.",
         .example = "merpati device add acc_1 6281234567890 --connector linked\n"
                    "merpati device import 6281234567890 --baileys auth_info\n"
                    "merpati device connect 6281234567890"},
        "The folder with creds.json", import_device);
    add(program, group,
        {.name = "export",
         .summary = "Hand a linked number over to another gateway",
         .details = "Writes a folder that gateways built on Baileys read (a multi-file auth\n"
                    "state). The device must be disconnected, and stays so until it is connected\n"
                    "with --force, paired, or imported again.",
         .example = "merpati device disconnect 6281234567890\n"
                    "merpati device export 6281234567890 --baileys auth_info"},
        "A new or empty folder", export_device);
}

}  // namespace merpati::cli
