// The media of messages that devices received.
#include <algorithm>
#include <utility>

#include "api/manage/devices/platform_control.hpp"
#include "api/manage/engine/download_head.hpp"
#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "http/body_source.hpp"

namespace merpati::api::manage::received {
namespace {

/// A file in pieces. The answer is cut off if the file has become shorter than it was.
class FilePieces final : public Lines {
public:
    FilePieces(media::ReceivedFilePtr file, std::string_view type)
        : file_(std::move(file)), type_(type) {}

    Result<Piece> next() override {
        const auto count = static_cast<std::size_t>(
            std::min<std::uint64_t>(file_->bytes() - offset_, http::BodyWriter::piece_max));
        auto text = file_->read(offset_, count);
        if (!text) {
            return pass(text);
        }
        if (text->size() != count) {
            return fail(ErrorCode::io_failed, "received media have become shorter");
        }
        offset_ += count;
        return Piece{.text = std::move(*text), .is_last = offset_ == file_->bytes()};
    }

    [[nodiscard]] std::string_view content_type() const noexcept override { return type_; }

private:
    const media::ReceivedFilePtr file_;
    const std::string_view type_;
    std::uint64_t offset_ = 0;
};

LateAnswer answer_with(media::ReceivedFilePtr file, const store::ReceivedMedia& media) {
    const auto type = download_type(media.mime);
    return {.lines = std::make_unique<FilePieces>(std::move(file), type),
            .headers = download_headers(media.name, type)};
}

}  // namespace

Result<Begin> media(const Context& context, Call& call) {
    auto found = find_named_media(context, call);
    if (!found) {
        return pass(found);
    }
    if (call.principal.sees_masked(found->device->account)) {
        return fail(ErrorCode::forbidden, "viewers do not see what messages contain");
    }
    return [&platform = context.platform, found = *std::move(found)](Answered answered) {
        platform.fetch_media(
            *found.device, found.media,
            [media = found.media,
             answered = std::move(answered)](Result<media::ReceivedFilePtr> file) mutable {
                answered(file ? Result<LateAnswer>{answer_with(std::move(*file), media)}
                              : pass(file));
            });
    };
}

}  // namespace merpati::api::manage::received
