#include "media/download.hpp"

#include <memory>
#include <optional>

#include "media/freshness.hpp"
#include "media/probe.hpp"
#include "model/texts.hpp"

namespace merpati::media {
namespace {

constexpr Trouble disk_trouble{.kind = Trouble::Kind::disk};
constexpr Trouble budget_trouble{.kind = Trouble::Kind::no_budget};
constexpr Trouble size_trouble{.kind = Trouble::Kind::lasting,
                               .details = model::details::file_too_large};

Trouble trouble_of(const Error& error) {
    const bool forbidden = error.code == ErrorCode::refused;
    return {.kind = forbidden ? Trouble::Kind::lasting : Trouble::Kind::passing,
            .details = forbidden ? model::details::file_inaccessible : model::details::host_silent};
}

/// The trouble of an answer without a file.
Trouble trouble_of(std::uint16_t status) {
    constexpr std::uint16_t request_timeout = 408;
    constexpr std::uint16_t too_early = 425;
    constexpr std::uint16_t too_many_requests = 429;
    const bool passing = status >= 500 || status == request_timeout || status == too_early ||
                         status == too_many_requests;
    return {.kind = passing ? Trouble::Kind::passing : Trouble::Kind::lasting,
            .details = model::details::file_inaccessible};
}

class Attempt : public std::enable_shared_from_this<Attempt> {
public:
    Attempt(const RequestTools& tools, CacheStorage& storage, const CacheOptions& options,
            DownloadRequest& request, DownloadDone done)
        : tools_(tools),
          storage_(storage),
          options_(options),
          reserve_(std::move(request.reserve)),
          on_answer_(std::move(request.on_answer)),
          done_(std::move(done)),
          began_(tools.clock.steady_now()) {}

    void start(DownloadRequest wanted) {
        outbound::Request request;
        request.method = "GET";
        request.url = std::move(wanted.url);
        request.headers = "Accept-Encoding: identity\r\n";
        request.timeout = options_.transfer;
        request.first_byte_timeout = wanted.first_byte;
        request.rate_min = options_.rate_min;
        request.body_bytes_max = options_.bytes_max + 1;
        request.on_head = [self = shared_from_this()](const outbound::Response& head) {
            return self->begin(head);
        };
        request.on_body = [self = shared_from_this()](std::span<const std::byte> bytes) {
            return self->take(bytes);
        };
        tools_.redirects.send(std::move(request),
                              [self = shared_from_this()](Result<Followed> answer) {
                                  self->finish(std::move(answer));
                              });
    }

private:
    /// Takes the head of the final answer. Returns whether the body is wanted.
    bool begin(const outbound::Response& head) {
        answered_in_ = std::chrono::ceil<Millis>(tools_.clock.steady_now() - began_);
        if (head.status != 200) {
            return false;
        }
        const auto found = result_of(head);
        declared_ = found.declared;
        if (found.bytes.value_or(0) > options_.bytes_max) {
            trouble_ = size_trouble;
            return false;
        }
        if (is_refused_by_head(found, options_.bytes_max)) {
            return false;
        }
        reserved_ = found.bytes.value_or(options_.bytes_max);
        if (!reserve_(reserved_)) {
            trouble_ = budget_trouble;
            return false;
        }
        auto file = storage_.incoming();
        if (!file) {
            trouble_ = disk_trouble;
            return false;
        }
        file_.emplace(std::move(*file));
        on_answer_(*answered_in_);
        return true;
    }

    bool take(std::span<const std::byte> bytes) {
        if (!file_) {
            return true;
        }
        if (bytes.size() > reserved_ - file_->bytes()) {
            trouble_ = size_trouble;
        } else if (!file_->put(bytes)) {
            trouble_ = disk_trouble;
        }
        return !trouble_;
    }

    void finish(Result<Followed> answer) {
        if (!trouble_ && !answer) {
            answered_in_ = std::nullopt;
        }
        DownloadResult result{.outcome = outcome_of(answer), .answered_in = answered_in_};
        file_.reset();
        done_(std::move(result));
    }

    std::expected<Download, Trouble> outcome_of(const Result<Followed>& answer) {
        if (trouble_) {
            return std::unexpected(*trouble_);
        }
        if (!answer) {
            return std::unexpected(trouble_of(answer.error()));
        }
        const auto& head = answer->response;
        if (head.status != 200) {
            return std::unexpected(trouble_of(head.status));
        }
        Download made{.declared = declared_,
                      .content = {},
                      .file = nullptr,
                      .lifetime = freshness_of(head, tools_.clock.now(), options_.fresh_for)};
        if (file_) {
            const auto beginning = file_->head(Sniffer::head_max);
            if (!beginning) {
                return std::unexpected(disk_trouble);
            }
            made.content = tools_.sniffer.sniff(*beginning);
            auto kept = storage_.keep(std::move(*file_));
            if (!kept) {
                return std::unexpected(disk_trouble);
            }
            made.file = std::move(*kept);
        }
        return made;
    }

    const RequestTools tools_;
    CacheStorage& storage_;
    const CacheOptions& options_;
    const std::function<bool(std::uint64_t)> reserve_;
    const std::function<void(Millis)> on_answer_;
    const DownloadDone done_;
    const SteadyTime began_;
    std::optional<Millis> answered_in_;
    std::uint64_t reserved_ = 0;
    DeclaredType declared_;
    std::optional<IncomingFile> file_;
    std::optional<Trouble> trouble_;
};

}  // namespace

void download(const RequestTools& tools, CacheStorage& storage, const CacheOptions& options,
              DownloadRequest request, DownloadDone done) {
    auto attempt = std::make_shared<Attempt>(tools, storage, options, request, std::move(done));
    attempt->start(std::move(request));
}

}  // namespace merpati::media
