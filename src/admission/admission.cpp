#include "admission/admission.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "admission/checks.hpp"
#include "base/utf8.hpp"

namespace merpati::admission {
namespace {

using std::chrono::seconds;

/// In seconds (docs/api.md, The two revisions).
constexpr std::uint32_t delay_max(model::Revision revision) {
    return revision == model::Revision::a ? 18'000 : 60;
}

/// Revision B has no refusal of its own for it.
constexpr Refusal disconnected_in(model::Revision revision) {
    return revision == model::Revision::a ? Refusal::device_disconnected : Refusal::send_failed;
}

}  // namespace

/// A submission during the checks, and the message that they make of it.
struct Admission::Candidate {
    Submission& asked;
    const model::Account& account;
    Judging& judging;
    std::shared_ptr<const model::Device> device;
    std::unique_ptr<model::Message> message = std::make_unique<model::Message>();
};

Checked<std::unique_ptr<model::Message>> Admission::admit(Submission&& submission,
                                                          const model::Account& account,
                                                          Judging& judging) const {
    static constexpr std::array order{
        &Admission::check_type,      &Admission::check_content,   &Admission::check_media_given,
        &Admission::check_sender,    &Admission::check_device,    &Admission::check_length,
        &Admission::check_recipient, &Admission::check_delay,     &Admission::check_typing,
        &Admission::check_callback,  &Admission::check_media_url,
    };
    Candidate candidate{
        .asked = submission, .account = account, .judging = judging, .device = nullptr};
    for (const auto check : order) {
        if (auto passed = (this->*check)(candidate); !passed) {
            return pass(passed);
        }
    }
    auto& message = *candidate.message;
    message.account = candidate.account.id;
    message.revision = submission.revision;
    message.delivery = candidate.account.delivery;
    return std::move(candidate.message);
}

Checked<std::unique_ptr<model::Message>> Admission::admit(Submission&& submission,
                                                          const model::Account& account) const {
    Judging judging{.at = rooms_.clock.wall_now()};
    return admit(std::move(submission), account, judging);
}

Admission::Verdict Admission::check_type(Candidate& candidate) const {
    if (!candidate.asked.type) {
        return refuse(Refusal::type_unsupported);
    }
    candidate.message->type = *candidate.asked.type;
    return {};
}

/// A caption may be missing, a text may not. A template has its own.
Admission::Verdict Admission::check_content(Candidate& candidate) const {
    auto& content = candidate.asked.content;
    candidate.message->filled_template = candidate.asked.filled_template;
    const bool is_text = candidate.message->type == model::MessageType::text &&
                         candidate.message->filled_template == nullptr;
    if (is_text && (!content || is_blank(*content))) {
        return refuse(Refusal::message_empty);
    }
    candidate.message->body = std::move(content).value_or("");
    return {};
}

Admission::Verdict Admission::check_media_given(Candidate& candidate) const {
    if (candidate.message->type != model::MessageType::media) {
        return {};
    }
    if (candidate.asked.media_url.empty()) {
        return refuse(Refusal::media_url_missing);
    }
    candidate.message->media_url = std::move(candidate.asked.media_url);
    return {};
}

Admission::Verdict Admission::check_sender(Candidate& candidate) const {
    candidate.device = find_sender(candidate.asked.sender, candidate.account.id, rooms_.directory);
    if (candidate.device == nullptr) {
        return refuse(Refusal::sender_invalid);
    }
    candidate.message->device = candidate.device->number;
    return {};
}

Admission::Verdict Admission::check_device(Candidate& candidate) const {
    const auto revision = candidate.asked.revision;
    if (!accepts_messages(*candidate.device, candidate.judging.at)) {
        return refuse(disconnected_in(revision));
    }
    if (!rooms_.condition.is_available()) {
        return refuse(Refusal::storage_unavailable);
    }
    if (rooms_.condition.is_damaged(candidate.device->number)) {
        return refuse(storage_damaged_in(revision));
    }
    if (rooms_.connectors.find(candidate.device->connector) == nullptr) {
        return refuse(disconnected_in(revision));
    }
    return {};
}

Admission::Verdict Admission::check_length(Candidate& candidate) const {
    const auto* connector = rooms_.connectors.find(candidate.device->connector);
    const auto& body = candidate.message->body;
    const auto most = connector->capabilities()->text_characters_max;
    if (body.size() > most && utf8_characters(body) > most) {
        return refuse(Refusal::message_too_long);
    }
    return {};
}

/// Revision A accepts an impossible number; the callback reports its failure.
Admission::Verdict Admission::check_recipient(Candidate& candidate) const {
    auto& asked = candidate.asked;
    if (asked.recipient.empty()) {
        return refuse(Refusal::recipient_invalid);
    }
    if (asked.revision == model::Revision::b && !recipient_possible(asked.recipient)) {
        return refuse(Refusal::send_failed);
    }
    candidate.message->recipient = std::move(asked.recipient);
    candidate.message->recipient_quoted = asked.recipient_quoted;
    return {};
}

/// Without a delay a message is due at once. A random delay is drawn here, once.
Admission::Verdict Admission::check_delay(Candidate& candidate) const {
    const auto most = delay_max(candidate.asked.revision);
    auto delay = candidate.asked.delay;
    switch (delay.kind) {
        case Delay::Kind::none:
            delay.seconds = 0;
            break;
        case Delay::Kind::random:
            delay.seconds = static_cast<std::uint32_t>(
                rooms_.random.between(1, std::max(1U, std::min(options_.random_delay_max, most))));
            break;
        case Delay::Kind::seconds:
            if (delay.seconds < 1 || delay.seconds > most) {
                return refuse(Refusal::delay_invalid);
            }
            break;
        case Delay::Kind::malformed:
            return refuse(Refusal::delay_invalid);
    }
    candidate.message->accepted_at = candidate.judging.at;
    candidate.message->due_at = candidate.judging.at + seconds{delay.seconds};
    return {};
}

Admission::Verdict Admission::check_typing(Candidate& candidate) const {
    if (!candidate.asked.typing) {
        return refuse(Refusal::typing_invalid);
    }
    candidate.message->typing = *candidate.asked.typing;
    return {};
}

/// Revision B has no callback: its decoder reads none, and the account's default is not used.
Admission::Verdict Admission::check_callback(Candidate& candidate) const {
    auto& url = candidate.asked.callback_url;
    if (!url) {
        return refuse(Refusal::callback_url_invalid);
    }
    if (url->empty()) {
        if (candidate.asked.revision == model::Revision::a) {
            candidate.message->callback_url = candidate.account.callback_url;
        }
        return {};
    }
    if (*url != candidate.judging.callback_url) {
        if (!outbound::admit_url(*url, options_.callback_schemes, rooms_.policy)) {
            return refuse(Refusal::callback_url_invalid);
        }
        candidate.judging.callback_url = *url;
    }
    candidate.message->callback_url = std::move(*url);
    return {};
}

Admission::Verdict Admission::check_media_url(Candidate& candidate) const {
    if (candidate.message->type == model::MessageType::media &&
        !outbound::admit_url(candidate.message->media_url, outbound::Schemes::http_and_https,
                             rooms_.policy)) {
        return refuse(Refusal::media_url_invalid);
    }
    return {};
}

}  // namespace merpati::admission
