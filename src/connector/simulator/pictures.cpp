#include "connector/simulator/pictures.hpp"

#include <array>
#include <fstream>

namespace merpati::connector::simulator {
namespace {

constexpr std::string_view picture_reference = "picture";
constexpr std::string_view lost_reference = "lost picture";

/// A PNG of one transparent pixel.
constexpr std::array<unsigned char, 68> picture{
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x04, 0x00, 0x00,
    0x00, 0xb5, 0x1c, 0x0c, 0x02, 0x00, 0x00, 0x00, 0x0b, 0x49, 0x44, 0x41, 0x54, 0x78,
    0xda, 0x63, 0x60, 0x60, 0x00, 0x00, 0x00, 0x03, 0x00, 0x01, 0x2b, 0x09, 0x4d, 0x84,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

}  // namespace

std::optional<InboundMessage::Media> media_of(Reply reply) {
    if (reply != Reply::picture && reply != Reply::lost_picture) {
        return std::nullopt;
    }
    return InboundMessage::Media{
        .mime = "image/png",
        .bytes = picture.size(),
        .name = "balasan.png",
        .reference = std::string{reply == Reply::picture ? picture_reference : lost_reference}};
}

Result<std::uint64_t> write_picture(const MediaRequest& request) {
    if (request.reference != picture_reference) {
        return fail(ErrorCode::not_found, "the platform has it no more");
    }
    if (picture.size() > request.bytes_max) {
        return fail(ErrorCode::refused, "the file is larger than it may be");
    }
    std::ofstream file{request.path, std::ios::binary};
    file.write(reinterpret_cast<const char*>(picture.data()), picture.size());
    file.close();
    return file ? Result<std::uint64_t>{picture.size()}
                : fail(ErrorCode::unreachable, "the file cannot be written");
}

}  // namespace merpati::connector::simulator
