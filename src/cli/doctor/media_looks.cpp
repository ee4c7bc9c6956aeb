// The folder of media files.
#include <cerrno>
#include <filesystem>
#include <sys/statvfs.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "cli/doctor/finding.hpp"

namespace merpati::cli::doctor {
namespace files = std::filesystem;

void look_at_media_folder(const config::Settings& settings, Findings& findings) {
    const auto folder = settings.media.folder.value_or("");
    std::error_code error;
    const bool exists = files::exists(folder, error);
    const auto parent = folder.parent_path();
    // What the server makes files in: the folder, or where it will make the folder.
    const auto place = exists ? folder : parent.empty() ? files::path{"."} : parent;
    if (::access(place.c_str(), W_OK | X_OK) != 0 || (exists && !files::is_directory(folder))) {
        const auto why = exists && !files::is_directory(folder) ? ENOTDIR : errno;
        findings.push_back({.subject = "media",
                            .verdict = Verdict::wrong,
                            .found = fmt::format("files cannot be kept in {}: {}", folder.string(),
                                                 std::generic_category().message(why)),
                            .remedy = "give that folder to the server's user, or name another "
                                      "with media.folder"});
        return;
    }
    struct statvfs space{};
    if (::statvfs(place.c_str(), &space) != 0) {
        return;
    }
    const auto left = static_cast<std::uint64_t>(space.f_bavail) * space.f_frsize;
    const bool little = left < settings.media.kept_bytes_max;
    findings.push_back(
        {.subject = "media",
         .verdict = little ? Verdict::note : Verdict::good,
         .found = fmt::format("up to {} MiB of files are kept in {}, with {} MiB free",
                              settings.media.kept_bytes_max >> 20, folder.string(), left >> 20),
         .remedy = little ? "free some, or lower media.kept_bytes_max" : ""});
}

}  // namespace merpati::cli::doctor
