#include "media/attempt.hpp"

#include <memory>
#include <optional>

#include "media/details.hpp"
#include "media/facts.hpp"

namespace merpati::media {
namespace {

constexpr std::uint16_t not_modified = 304;

constexpr Trouble disk_trouble{.passing = true, .details = details::no_room};
constexpr Trouble size_trouble{.passing = false, .details = details::too_large};

Trouble trouble_of(const Error& error) {
    const bool forbidden = error.code == ErrorCode::refused;
    return {.passing = !forbidden,
            .details = forbidden ? details::inaccessible : details::no_answer};
}

/// Of an answer that brings no file.
Trouble trouble_of(std::uint16_t status) {
    constexpr std::uint16_t request_timeout = 408;
    constexpr std::uint16_t too_early = 425;
    constexpr std::uint16_t too_many_requests = 429;
    const bool passing = status >= 500 || status == request_timeout || status == too_early ||
                         status == too_many_requests;
    return {.passing = passing, .details = details::inaccessible};
}

class Attempt : public std::enable_shared_from_this<Attempt> {
public:
    Attempt(const AttemptTools& tools, AttemptDone done) : tools_(tools), done_(std::move(done)) {}

    void start(outbound::Url url, const std::string& conditions,
               std::chrono::milliseconds first_byte) {
        outbound::Request request;
        request.method = "GET";
        request.url = std::move(url);
        request.headers = "Accept-Encoding: identity\r\n" + conditions;
        request.timeout = tools_.options.transfer;
        request.first_byte_timeout = first_byte;
        request.rate_min = tools_.options.rate_min;
        request.body_bytes_max = tools_.options.bytes_max + 1;
        request.on_head = [self = shared_from_this()](const outbound::Response& head) {
            return self->begin(head);
        };
        request.on_body = [self = shared_from_this()](std::span<const std::byte> bytes) {
            return self->take(bytes);
        };
        asked_with_conditions_ = !conditions.empty();
        tools_.follower.send(std::move(request),
                             [self = shared_from_this()](Result<Followed> answer) {
                                 self->finish(std::move(answer));
                             });
    }

private:
    /// Whether the body is wanted.
    bool begin(const outbound::Response& head) {
        if (head.status != 200) {
            return head.status == not_modified;
        }
        const auto facts = facts_of(head);
        declared_ = facts.declared;
        if (facts.bytes.value_or(0) > tools_.options.bytes_max) {
            trouble_ = size_trouble;
            return false;
        }
        if (is_refused_by_head(facts, tools_.options.bytes_max)) {
            return false;
        }
        auto file = tools_.shelf.incoming();
        if (!file) {
            trouble_ = disk_trouble;
            return false;
        }
        file_.emplace(std::move(*file));
        return true;
    }

    bool take(std::span<const std::byte> bytes) {
        if (!file_) {
            return true;
        }
        if (!file_->put(bytes)) {
            trouble_ = disk_trouble;
        } else if (file_->bytes() > tools_.options.bytes_max) {
            trouble_ = size_trouble;
        }
        return !trouble_;
    }

    void finish(Result<Followed> answer) {
        auto result = judged(answer);
        file_.reset();
        done_(std::move(result));
    }

    std::expected<Arrival, Trouble> judged(const Result<Followed>& answer) {
        if (trouble_) {
            return std::unexpected(*trouble_);
        }
        if (!answer) {
            return std::unexpected(trouble_of(answer.error()));
        }
        const auto& head = answer->response;
        const bool unchanged = head.status == not_modified && asked_with_conditions_;
        if (head.status != 200 && !unchanged) {
            return std::unexpected(trouble_of(head.status));
        }
        Arrival arrival{
            .unchanged = unchanged,
            .declared = declared_,
            .freshness = freshness_of(head, tools_.clock.now(), tools_.options.fresh_for)};
        if (file_) {
            const auto beginning = file_->head(Sniffer::head_max);
            if (!beginning) {
                return std::unexpected(disk_trouble);
            }
            arrival.content = tools_.sniffer.sniff(*beginning);
            auto kept = tools_.shelf.keep(std::move(*file_));
            if (!kept) {
                return std::unexpected(disk_trouble);
            }
            arrival.file = std::move(*kept);
        }
        return arrival;
    }

    const AttemptTools tools_;
    const AttemptDone done_;
    bool asked_with_conditions_ = false;
    Declared declared_;
    std::optional<IncomingFile> file_;
    std::optional<Trouble> trouble_;
};

}  // namespace

void attempt_fetch(const AttemptTools& tools, outbound::Url url, const std::string& conditions,
                   std::chrono::milliseconds first_byte, AttemptDone done) {
    std::make_shared<Attempt>(tools, std::move(done))
        ->start(std::move(url), conditions, first_byte);
}

}  // namespace merpati::media
