#include "media/received_file.hpp"

#include <algorithm>
#include <span>

namespace merpati::media {

Result<std::shared_ptr<ReceivedFile>> ReceivedFile::create(std::filesystem::path path,
                                                           mode_t mode) {
    auto file = TemporaryFile::create(std::move(path), mode);
    if (!file) {
        return pass(file);
    }
    return std::shared_ptr<ReceivedFile>{new ReceivedFile{std::move(*file)}};
}

Result<void> ReceivedFile::accept(std::uint64_t bytes) {
    const auto alone = file_.withdraw();
    const auto size = file_.size();  // If it is ours alone, nobody changes it any more.
    if (!alone || !*alone || !size || *size != bytes) {
        if (auto discarded = discard(); !discarded) {
            return discarded;
        }
        return fail(ErrorCode::conflict, "received media are not as long as was said");
    }
    bytes_ = bytes;
    return {};
}

Result<void> ReceivedFile::discard() {
    const auto alone = file_.withdraw();
    if (auto emptied = file_.empty(); !emptied) {
        return emptied;
    }
    if (!alone) {
        return pass(alone);
    }
    return *alone ? Result<void>{}
                  : fail(ErrorCode::conflict, "somebody keeps a file of received media");
}

Result<std::string> ReceivedFile::read(std::uint64_t offset, std::size_t bytes) const {
    std::string text(std::min<std::uint64_t>(bytes, bytes_ - std::min(offset, bytes_)), '\0');
    auto read = file_.read(offset, std::as_writable_bytes(std::span{text}));
    if (!read) {
        return pass(read);
    }
    text.resize(*read);
    return text;
}

}  // namespace merpati::media
