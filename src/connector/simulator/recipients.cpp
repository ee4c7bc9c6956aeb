#include "connector/simulator/recipients.hpp"

#include <chrono>

#include "connector/outcomes.hpp"
#include "model/texts.hpp"

namespace merpati::connector::simulator {
namespace {

using namespace std::chrono_literals;
using model::Outcome;
using model::Progress;
using model::StatusCode;

/// How long after an acceptance the message waits for a status.
constexpr Millis decide_within = 5s;

constexpr auto later_failure = model::details::platform_failed;

Outcome refused(StatusCode code, std::string_view details) {
    return {.kind = Outcome::Kind::failed, .code = code, .details = std::string{details}};
}

model::PlatformStatus status(Progress progress, Timestamp now) {
    const bool failed = progress == Progress::failed;
    return {.progress = progress,
            .code = failed ? StatusCode::failed : StatusCode::sent,
            .details = std::string{failed ? later_failure : std::string_view{}},
            .at = now};
}

/// An outcome without statuses or a reply.
Play ends_with(Outcome outcome) {
    Play play;
    play.taken = outcome.kind == Outcome::Kind::sent;
    play.outcome = std::move(outcome);
    return play;
}

/// A message that is accepted and decided later.
Play play_accepted(const model::Message& message, char last, Timestamp now) {
    Play play;
    play.taken = true;
    play.outcome = taken(message);
    play.outcome.kind = Outcome::Kind::accepted;
    play.outcome.decide_within = decide_within;
    const std::size_t repeat = last == '3' ? 3 : 1;
    switch (last) {
        case '1':
            play.after = {status(Progress::failed, now)};
            break;
        case '2':
            play.before = {status(Progress::read, now), status(Progress::delivered, now),
                           status(Progress::sent, now)};
            break;
        case '4':
            break;
        case '5':
            play.outcome.decide_within = 1min;
            play.reported_at_reconnect = true;
            break;
        default:
            for (const auto progress : {Progress::sent, Progress::delivered, Progress::read}) {
                play.after.insert(play.after.end(), repeat, status(progress, now));
            }
    }
    return play;
}

/// The last digits of the recipient, if they begin with 99; empty: the message is just sent.
std::string_view ending_of(std::string_view recipient) {
    constexpr std::size_t digits = 6;
    const auto ending = recipient.size() > digits ? recipient.substr(recipient.size() - digits)
                                                  : std::string_view{};
    return ending.starts_with("99") ? ending : std::string_view{};
}

Reply reply_of(std::string_view ending) {
    if (ending == "997000") {
        return Reply::text;
    }
    if (ending == "997001") {
        return Reply::picture;
    }
    if (ending == "997002") {
        return Reply::lost_picture;
    }
    return ending == "997003" ? Reply::refusal : Reply::none;
}

}  // namespace

std::string platform_id(const model::MessageId& id) {
    std::string text{"sim-"};
    id.append_to(text);
    return text;
}

bool is_reported_at_reconnect(std::string_view recipient) {
    return ending_of(recipient) == "996005";
}

Play play(const model::Message& message, std::uint32_t attempt, Timestamp now) {
    const auto ending = ending_of(message.recipient);
    const bool is_first = attempt == 1;
    if (ending.empty()) {
        return ends_with(taken(message));
    }
    if (ending == "991001") {
        return ends_with(
            refused(StatusCode::recipient_unregistered, model::details::recipient_unregistered));
    }
    if (ending == "991002") {
        return ends_with(refused(StatusCode::recipient_invalid, model::details::recipient_invalid));
    }
    if (ending == "991003") {
        return ends_with(refused(StatusCode::media_refused, model::details::file_type_refused));
    }
    if (ending == "995002") {
        return ends_with(refused(StatusCode::failed, model::details::platform_refused));
    }
    if (ending == "995001" || (ending == "995000" && attempt <= 2)) {
        return ends_with(unavailable());
    }
    if (ending == "995003" && is_first) {
        auto lost = ends_with(unknown_outcome(model::details::answer_lost));
        lost.taken = true;
        return lost;
    }
    if (ending == "995004" && is_first) {
        auto dies = ends_with(unknown_outcome(model::details::connector_ended));
        dies.worker_dies = true;
        return dies;
    }
    if (ending >= "996000" && ending <= "996005") {
        return play_accepted(message, ending.back(), now);
    }
    auto sent = ends_with(taken(message));
    sent.reply = reply_of(ending);
    return sent;
}

Result<bool> is_registered(std::string_view recipient) {
    const auto ending = ending_of(recipient);
    if (ending == "991002") {
        return fail(ErrorCode::invalid_argument, "the platform has no such numbers");
    }
    return ending != "991001";
}

model::Outcome taken(const model::Message& message) {
    return {.kind = Outcome::Kind::sent,
            .code = StatusCode::sent,
            .details = std::string{model::details::sent},
            .platform_id = platform_id(message.id)};
}

model::Outcome unavailable() {
    return {.kind = Outcome::Kind::retry,
            .code = StatusCode::failed,
            .details = std::string{model::details::platform_unavailable}};
}

}  // namespace merpati::connector::simulator
