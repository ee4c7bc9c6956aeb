#include "http/local_address.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace merpati::http {

Result<LocalAddress> LocalAddress::of(const std::string& path) {
    if (path.empty() || path.find('\0') != std::string::npos) {
        return fail(ErrorCode::invalid_argument, "the path of a socket is empty or has a NUL");
    }
    LocalAddress result;
    result.address_.sun_family = AF_UNIX;
    std::string spelled = path;
    if (spelled.size() >= sizeof result.address_.sun_path) {
        const std::size_t slash = path.rfind('/');
        const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
        result.directory_ =
            FileDescriptor{::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
        if (!result.directory_) {
            return fail(ErrorCode::io_failed,
                        fmt::format("cannot open the directory {}: {}", directory,
                                    std::generic_category().message(errno)));
        }
        spelled = fmt::format("/proc/self/fd/{}/{}", result.directory_.get(),
                              std::string_view{path}.substr(slash + 1));
    }
    if (spelled.size() >= sizeof result.address_.sun_path) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("the file name of the socket {} is too long", path));
    }
    std::memcpy(result.address_.sun_path, spelled.c_str(), spelled.size() + 1);
    return result;
}

}  // namespace merpati::http
