#include "connector/cloud/media_download.hpp"

#include <fstream>
#include <memory>
#include <utility>

#include "connector/cloud/codec/json_reading.hpp"
#include "connector/cloud/codec/webhook_events.hpp"
#include "connector/cloud/number/numbers.hpp"
#include "connector/platform_errors.hpp"

namespace merpati::connector::cloud {
namespace {

constexpr Millis download_within{120'000};
constexpr std::size_t media_url_bytes = 4'096;
constexpr std::uint16_t http_not_found = 404;
constexpr std::int64_t id_invalid = 100;  // Also said of an id that is too old.

/// The file that is being written.
struct Writing {
    MediaRequest request;
    Connector::MediaFetched done;
    std::ofstream file{};
    std::uint64_t bytes = 0;
    bool too_large = false;

    [[nodiscard]] bool add(std::span<const std::byte> piece) {
        bytes += piece.size();
        too_large = request.bytes_max > 0 && bytes > request.bytes_max;
        if (too_large) {
            return false;
        }
        file.write(reinterpret_cast<const char*>(piece.data()),
                   static_cast<std::streamsize>(piece.size()));
        return file.good();
    }

    void end(const Result<void>& downloaded) {
        const bool written = file.flush().good();
        file.close();
        if (too_large) {
            done(fail(ErrorCode::refused, std::string{platform_errors::too_large}));
        } else if (!downloaded) {
            const bool gone = downloaded.error().code == ErrorCode::not_found;
            done(gone ? fail(ErrorCode::not_found, std::string{platform_errors::gone})
                      : fail(ErrorCode::unreachable, std::string{platform_errors::unreachable}));
        } else if (!written) {
            done(fail(ErrorCode::io_failed, "the media cannot be written"));
        } else {
            done(bytes);
        }
    }
};

}  // namespace

void download_media(GraphClient& graph, const Access& access, MediaRequest request,
                    Connector::MediaFetched done) {
    if (!is_media_id(request.reference)) {
        done(fail(ErrorCode::not_found, std::string{platform_errors::gone}));
        return;
    }
    const auto path = request.reference + "?phone_number_id=" + access.id;
    auto writing = std::make_shared<Writing>(std::move(request), std::move(done));
    graph.get(access.id, path, access.token, [&graph, access, writing](const GraphAnswer& answer) {
        if (!answer.is_fine()) {
            const bool gone = answer.error && (answer.error->http_status == http_not_found ||
                                               answer.error->code == id_invalid);
            writing->done(gone ? fail(ErrorCode::not_found, std::string{platform_errors::gone})
                               : failure_of(answer, access.token, ErrorCode::conflict));
            return;
        }
        writing->file.open(writing->request.path, std::ios::binary | std::ios::trunc);
        graph.download(
            access.id, find_text(answer.body, "url", media_url_bytes), access.token,
            download_within,
            [writing](std::span<const std::byte> piece) { return writing->add(piece); },
            [writing](const Result<void>& downloaded) { writing->end(downloaded); });
    });
}

}  // namespace merpati::connector::cloud
