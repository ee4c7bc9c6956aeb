#include "media/attempt.hpp"

#include <memory>
#include <optional>

#include "media/details.hpp"
#include "media/facts.hpp"

namespace merpati::media {
namespace {

constexpr std::uint16_t not_modified = 304;

constexpr Trouble disk_trouble{.kind = Trouble::Kind::disk};
constexpr Trouble budget_trouble{.kind = Trouble::Kind::no_budget};
constexpr Trouble size_trouble{.kind = Trouble::Kind::lasting, .details = details::too_large};

Trouble trouble_of(const Error& error) {
    const bool forbidden = error.code == ErrorCode::refused;
    return {.kind = forbidden ? Trouble::Kind::lasting : Trouble::Kind::passing,
            .details = forbidden ? details::inaccessible : details::no_answer};
}

/// Of an answer that brings no file.
Trouble trouble_of(std::uint16_t status) {
    constexpr std::uint16_t request_timeout = 408;
    constexpr std::uint16_t too_early = 425;
    constexpr std::uint16_t too_many_requests = 429;
    const bool passing = status >= 500 || status == request_timeout || status == too_early ||
                         status == too_many_requests;
    return {.kind = passing ? Trouble::Kind::passing : Trouble::Kind::lasting,
            .details = details::inaccessible};
}

class Attempt : public std::enable_shared_from_this<Attempt> {
public:
    Attempt(const AttemptTools& tools, AttemptRequest& request, AttemptDone done)
        : tools_(tools),
          reserve_(std::move(request.reserve)),
          on_answer_(std::move(request.on_answer)),
          done_(std::move(done)),
          began_(tools.clock.steady_now()) {}

    void start(AttemptRequest wanted) {
        outbound::Request request;
        request.method = "GET";
        request.url = std::move(wanted.url);
        request.account = wanted.account.value;
        request.headers = "Accept-Encoding: identity\r\n" + wanted.conditions;
        request.timeout = tools_.options.transfer;
        request.first_byte_timeout = wanted.first_byte;
        request.rate_min = tools_.options.rate_min;
        request.body_bytes_max = tools_.options.bytes_max + 1;
        request.on_head = [self = shared_from_this()](const outbound::Response& head) {
            return self->begin(head);
        };
        request.on_body = [self = shared_from_this()](std::span<const std::byte> bytes) {
            return self->take(bytes);
        };
        asked_with_conditions_ = !wanted.conditions.empty();
        tools_.follower.send(std::move(request),
                             [self = shared_from_this()](Result<Followed> answer) {
                                 self->finish(std::move(answer));
                             });
    }

private:
    /// Whether the body is wanted.
    bool begin(const outbound::Response& head) {
        answered_in_ = std::chrono::ceil<Millis>(tools_.clock.steady_now() - began_);
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
        reserved_ = facts.bytes.value_or(tools_.options.bytes_max);
        if (!reserve_(reserved_)) {
            trouble_ = budget_trouble;
            return false;
        }
        auto file = tools_.shelf.incoming();
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
        AttemptResult result{.outcome = judged(answer), .answered_in = answered_in_};
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
    const std::function<bool(std::uint64_t)> reserve_;
    const std::function<void(Millis)> on_answer_;
    const AttemptDone done_;
    const SteadyTime began_;
    std::optional<Millis> answered_in_;
    std::uint64_t reserved_ = 0;
    bool asked_with_conditions_ = false;
    Declared declared_;
    std::optional<IncomingFile> file_;
    std::optional<Trouble> trouble_;
};

}  // namespace

void attempt_fetch(const AttemptTools& tools, AttemptRequest request, AttemptDone done) {
    auto attempt = std::make_shared<Attempt>(tools, request, std::move(done));
    attempt->start(std::move(request));
}

}  // namespace merpati::media
