#include "connector/cloud/webhook/webhook.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/digest.hpp"
#include "connector/cloud/codec/codes.hpp"
#include "connector/cloud/codec/message_body.hpp"

namespace merpati::connector::cloud {
namespace {

constexpr std::size_t challenge_bytes_max = 256;
constexpr Millis pair_wait_unasked{60'000};

/// What an event takes in the store, about.
std::size_t bytes_of(const WebhookEvent& event) {
    constexpr std::size_t row = 256;
    const auto* inbound = std::get_if<InboundEvent>(&event);
    return inbound == nullptr ? row : row + inbound->message.text.size();
}

/// Whether the report may succeed if it is made again.
bool may_succeed_later(const Error& error) {
    return error.code != ErrorCode::not_found && error.code != ErrorCode::invalid_argument;
}

}  // namespace

struct Webhook::Verifying {
    const Post post;
    const std::shared_ptr<Storing> storing;
    bool is_known = false;
    std::vector<AppSecrets::Verifier> verifiers{};
    std::size_t next = 0;  // Of them.
};

struct Webhook::Storing {
    Storing(std::atomic<std::size_t>& of_all, std::size_t its_bytes, Done when_done)
        : all(of_all), bytes(its_bytes), done(std::move(when_done)) {}
    ~Storing() { all -= bytes; }
    Storing(const Storing&) = delete;
    Storing& operator=(const Storing&) = delete;

    std::atomic<std::size_t>& all;
    const std::size_t bytes;
    Done done;
    AppSecrets::Verifier verifier;
    std::vector<WebhookEvent> events;
    std::size_t next = 0;
    // Of those that were reported together, and 1 while they are being reported.
    std::atomic<std::size_t> unanswered{0};

    void note(const Error& error) {
        const std::lock_guard lock{mutex};
        failure = failure.value_or(error);
    }
    [[nodiscard]] std::optional<Error> failed() const {
        const std::lock_guard lock{mutex};
        return failure;
    }

private:
    mutable std::mutex mutex;
    std::optional<Error> failure;
};

void Webhook::start(ConnectorEvents& events) {
    events_ = &events;
    thread_.start();
}

void Webhook::know(const Number& number) {
    const bool heard =
        secrets_.know({.device = model::DeviceIdentity::of(number.device),
                       .id = number.id(),
                       .own_secret = number.app_secret,
                       .has_fallback = !number.device.cloud->fallback_template.empty()});
    if (!heard) {
        log_.warn("too many app secrets of devices: events of this one are not verified",
                  {{"device", telemetry::mask_number(number.device.number.text())}});
    }
}

std::optional<std::string> Webhook::challenge(std::string_view mode, std::string_view token,
                                              std::string_view challenge) const {
    const bool is_right = !options_.verify_token.empty() && mode == "subscribe" &&
                          challenge.size() <= challenge_bytes_max &&
                          equal_constant_time(sha256(token), sha256(options_.verify_token));
    return is_right ? std::optional{std::string{challenge}} : std::nullopt;
}

void Webhook::take(Post post, Done done) {
    if (!has_secret()) {
        done(Taken::no_secret);
        return;
    }
    const auto size = post.body.size();
    if (waiting_bytes_.fetch_add(size) + size > waiting_bytes_max) {
        waiting_bytes_ -= size;
        done(fail(ErrorCode::busy, "too many posts of the platform wait"));
        return;
    }
    auto storing = std::make_shared<Storing>(waiting_bytes_, size, std::move(done));
    auto verifying = std::make_shared<Verifying>(std::move(post), storing);
    if (!thread_.post([this, verifying] { begin(verifying); })) {
        storing->done(fail(ErrorCode::shutting_down, "the connector is stopping"));
    }
}

void Webhook::begin(const std::shared_ptr<Verifying>& post) {
    post->is_known = standing_of(post->post.client) == Standing::known;
    post->verifiers = secrets_.verifiers();
    await_turn(post);
}

void Webhook::await_turn(const std::shared_ptr<Verifying>& post) {
    auto& turns = post->is_known ? turns_of_known_ : turns_of_strangers_;
    // Posted even if its turn is now, so that the other kind's turn comes between.
    turns.ask(post->post.client, [this, post, &turns] {
        const bool queued = thread_.post([this, post, &turns] {
            if (!verify(*post)) {
                await_turn(post);
            }
            turns.release(post->post.client);
        });
        if (!queued) {
            post->storing->done(fail(ErrorCode::shutting_down, "the connector is stopping"));
            turns.release(post->post.client);
        }
    });
}

/// Hashes the post as often as one turn allows. True: it was verified, or nobody has signed it.
bool Webhook::verify(Verifying& verifying) {
    const auto& [body, signature, client] = verifying.post;
    std::size_t hashed = 0;
    for (; verifying.next < verifying.verifiers.size(); ++verifying.next) {
        if (hashed > 0 && hashed + body.size() > turn_bytes) {
            return false;
        }
        hashed += body.size() + 1;
        auto& verifier = verifying.verifiers[verifying.next];
        if (verifier.has_signed(body, signature)) {
            clients_.note_verified(client);
            verifying.storing->verifier = std::move(verifier);
            verifying.storing->events = read_webhook(body, clock_.now());
            report_next(verifying.storing);
            return true;
        }
    }
    clients_.note_refused(client, body.size() * verifying.verifiers.size());
    verifying.storing->done(Taken::bad_signature);
    return true;
}

/// Reports the next ones. The last answer calls this again; when nothing is left, answers the post.
void Webhook::report_next(const std::shared_ptr<Storing>& post) {
    while (post->next < post->events.size() && !post->failed()) {
        post->unanswered = 1;
        const auto end = std::min(post->next + reports_max, post->events.size());
        while (post->next < end) {
            ++post->unanswered;
            report(post->events[post->next++], post);
        }
        if (--post->unanswered > 0) {
            return;
        }
    }
    const auto failed = post->failed();
    post->done(failed ? Result<Taken>{std::unexpected(*failed)} : Taken::stored);
}

void Webhook::report(const WebhookEvent& event, const std::shared_ptr<Storing>& post) {
    ConnectorEvents::Stored stored = [this, post](const Result<void>& done) {
        if (!done && may_succeed_later(done.error())) {
            post->note(done.error());
        }
        if (--post->unanswered == 0) {
            (void)thread_.post([this, post] { report_next(post); });
        }
    };
    const auto& id =
        std::visit([](const auto& one) -> const auto& { return one.phone_number_id; }, event);
    const auto number = secrets_.find(id, post->verifier);
    if (!number && secrets_.expects(id)) {
        stored(fail(ErrorCode::busy, "the number's secrets are being read"));
    } else if (!number) {
        stored({});
    } else if (budget_.take(number->device.account, number->device.number, bytes_of(event)) >
               Millis{0}) {
        stored(fail(ErrorCode::busy, "too much of the number is stored"));
    } else if (const auto* status = std::get_if<StatusEvent>(&event); status != nullptr) {
        report_status(*number, *status, std::move(stored));
    } else {
        report_inbound(*number, std::get<InboundEvent>(event), std::move(stored));
    }
}

void Webhook::report_status(const AppSecrets::Known& number, const StatusEvent& event,
                            ConnectorEvents::Stored stored) {
    const auto opaque = parse_opaque(event.opaque);
    const bool failed = event.progress == model::Progress::failed;
    if (opaque && opaque->first_part && !failed) {
        stored({});  // The second part decides.
        return;
    }
    LateStatus late{.device = number.device,
                    .platform_id = event.platform_id,
                    .message = opaque ? std::optional{opaque->message} : std::nullopt,
                    .status = {.progress = event.progress,
                               .code = model::StatusCode::sent,
                               .details = {},
                               .at = event.at}};
    if (failed) {
        const auto verdict = judge(event.error, number.id);
        auto outcome = outcome_of(event.error, verdict, {}, clock_.now(), pair_wait_unasked);
        late.status.code = verdict.code;
        late.status.details = outcome.details;
        if (verdict.meaning == Meaning::window_closed && number.has_fallback) {
            outcome.kind = model::Outcome::Kind::retry;
            outcome.as_template = true;
        }
        if (late.message && may_refuse_media_id(event.error, verdict) &&
            listener_.refuse_file(number.device.number, *late.message)) {
            outcome.kind = model::Outcome::Kind::retry;
        }
        if (outcome.kind != model::Outcome::Kind::failed) {
            late.verdict = std::move(outcome);
        }
        listener_.on_failure(number.device.number, event.error, event.at);
    }
    events_->late_status(std::move(late), std::move(stored));
}

void Webhook::report_inbound(const AppSecrets::Known& number, const InboundEvent& event,
                             ConnectorEvents::Stored stored) {
    auto message = event.message;
    message.device = number.device;
    listener_.on_inbound(number.device.number, message.sender, message.platform_id);
    events_->inbound(std::move(message), std::move(stored));
}

}  // namespace merpati::connector::cloud
