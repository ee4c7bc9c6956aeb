#include "campaign/audience/list_spool.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <unistd.h>

#include <fmt/format.h>

namespace merpati::campaign {
namespace {

constexpr std::size_t piece_bytes = 65'536;
constexpr int names_max = 1'000;

/// A file whose path is gone as soon as it is made.
Result<media::TemporaryFile> nameless_file() {
    const char* wished = std::getenv("TMPDIR");
    const std::filesystem::path folder = wished != nullptr ? wished : "/var/tmp";
    for (int number = 0;; ++number) {
        auto file = media::TemporaryFile::create(
            folder / fmt::format("merpati-list-{}-{}", ::getpid(), number), media::owner_only);
        if (file) {
            file->remove();
            return file;
        }
        if (number == names_max) {
            return file;
        }
    }
}

}  // namespace

Result<void> ListSpool::add(std::string_view piece) {
    bytes_ += piece.size();
    if (bytes_ > bytes_max) {
        return fail(ErrorCode::invalid_argument,
                    fmt::format("the list has more than {} bytes: split it", bytes_max));
    }
    memory_ += piece;
    return memory_.size() > memory_max ? write_memory() : Result<void>{};
}

Result<void> ListSpool::write_memory() {
    if (!file_) {
        auto made = nameless_file();
        if (!made) {
            return pass(made);
        }
        file_.emplace(std::move(*made));
    }
    auto written = file_->write(std::as_bytes(std::span{memory_}));
    memory_.clear();
    return written;
}

Result<void> ListSpool::read_all(const std::function<Result<void>(std::string_view)>& take) const {
    std::string piece(file_ ? piece_bytes : 0, '\0');
    for (std::uint64_t offset = 0; file_;) {
        const auto read = file_->read(offset, std::as_writable_bytes(std::span{piece}));
        if (!read) {
            return pass(read);
        }
        if (*read == 0) {
            break;
        }
        if (auto taken = take(std::string_view{piece}.substr(0, *read)); !taken) {
            return taken;
        }
        offset += *read;
    }
    return take(memory_);
}

}  // namespace merpati::campaign
