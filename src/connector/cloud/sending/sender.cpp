#include "connector/cloud/sending/sender.hpp"

#include <utility>

#include <boost/json/array.hpp>

#include "base/utf8.hpp"
#include "connector/cloud/codec/json_reading.hpp"
#include "connector/cloud/codec/message_body.hpp"
#include "connector/outcomes.hpp"
#include "connector/template_text.hpp"
#include "model/texts.hpp"

namespace merpati::connector::cloud {
namespace {

using model::Outcome;
using model::StatusCode;
using Kind = Outcome::Kind;
namespace details = model::details;

constexpr std::size_t text_characters_most = 4'096;
constexpr Millis hold_unasked{5'000};  // Where the platform does not say how long.

/// The id that the platform gave the message; empty: its answer has none.
std::string message_id_of(const boost::json::object& answer) {
    const auto* messages = find_array(answer, "messages");
    if (messages == nullptr || messages->empty()) {
        return {};
    }
    const auto* first = messages->front().if_object();
    auto id = first == nullptr ? std::string{}
                               : find_text(*first, "id", model::platform_id_bytes_max + 1);
    return is_platform_id(id) ? id : std::string{};
}

Outcome down_for(Millis wait) {
    auto outcome = device_down(details::platform_throttles);
    outcome.retry_after = wait;
    return outcome;
}

Outcome try_again(std::string_view why) {
    return {.kind = Kind::retry, .details = std::string{why}, .platform_id = {}};
}

}  // namespace

void Sender::send(const SendRequest& request) {
    auto job = std::make_shared<Job>();
    job->message = &request.message;
    job->file = request.file;
    job->as_template = request.as_template;
    auto* number = rooms_.numbers.find(request.message.device);
    if (auto refusal = refuse(request, *job, number)) {
        events_->outcome(request.message.id, request.message.device, std::move(*refusal));
        return;
    }
    jobs_.emplace(request.message.id, job);
    const auto wait = number->rates.take(request.message.recipient, rooms_.clock.steady_now());
    if (wait <= std::chrono::nanoseconds{0}) {
        begin_job(job);
    } else {
        rooms_.after(wait, [this, job] { begin_job(job); });
    }
}

/// The outcome of a message that the platform is not asked about.
std::optional<Outcome> Sender::refuse(const SendRequest& request, Job& job, Number* number) {
    if (closed_) {
        return device_down(details::connector_closing);
    }
    if (number == nullptr || !number->is_up()) {
        return device_down(details::device_not_connected);
    }
    const auto& message = request.message;
    if (utf8_characters(message.body) > text_characters_most) {
        return refused_here(details::text_too_long);
    }
    if (job.file != nullptr) {
        job.kind = find_media_kind(job.file->media_type);
        if (job.kind == nullptr ||
            (message.filled_template != nullptr && !fits_header(*job.kind))) {
            return refused_here(details::platform_file_type, StatusCode::media_refused);
        }
        if (job.file->bytes > bytes_max_of(*job.kind, job.file->path)) {
            return refused_here(details::platform_file_size);
        }
        job.text_follows = !message.body.empty() && !fits_caption(*job.kind, message.body);
    }
    const auto now = rooms_.clock.steady_now();
    if (const auto wait = number->rates.held_for(now); wait > Millis{0}) {
        return down_for(wait);
    }
    if (const auto wait = number->rates.pair_wait(message.recipient, now); wait > Millis{0}) {
        return Outcome{.kind = Kind::restricted,
                       .details = std::string{details::platform_throttles},
                       .platform_id = {},
                       .restricted_until = rooms_.clock.now() + wait};
    }
    return std::nullopt;
}

bool Sender::is_done(const JobPtr& job) const {
    return job->message == nullptr;
}

Number* Sender::number_of(const JobPtr& job) {
    auto* number = rooms_.numbers.find(job->message->device);
    if (number != nullptr && number->is_up()) {
        return number;
    }
    finish(job, device_down(details::device_not_connected));
    return nullptr;
}

/// Shows "typing" first, for which the message waits only shortly.
void Sender::begin_job(const JobPtr& job) {
    auto* number = is_done(job) ? nullptr : number_of(job);
    if (number == nullptr) {
        return;
    }
    if (!job->message->typing) {
        go_on(job);
        return;
    }
    const auto once = std::make_shared<bool>(true);
    const auto then = [this, job, once] {
        if (std::exchange(*once, false)) {
            go_on(job);
        }
    };
    rooms_.last_inbound.find(
        number->ref(), job->message->recipient, [this, job, then](const std::string& inbound) {
            const auto* up = is_done(job) ? nullptr : rooms_.numbers.find(job->message->device);
            if (inbound.empty() || up == nullptr || !up->is_up()) {
                then();
                return;
            }
            rooms_.graph.post(up->id(), up->id() + "/messages", up->token, typing_body(inbound),
                              [then](const GraphAnswer&) { then(); });
        });
    if (*once) {
        rooms_.after(typing_within, then);
    }
}

void Sender::go_on(const JobPtr& job) {
    auto* number = is_done(job) ? nullptr : number_of(job);
    if (number == nullptr) {
        return;
    }
    const auto& message = *job->message;
    const bool only_text =
        job->file == nullptr ||
        (job->text_follows && first_parts_.find(message.device, message.id) != nullptr);
    if (!only_text) {
        upload(job, *number);
    } else if (message.filled_template != nullptr) {
        find_filled(job, *number);
    } else if (job->as_template) {
        find_fallback(job, *number);
    } else {
        post(job,
             text_body({.recipient = message.recipient, .opaque = opaque_of(message.id, false)},
                       message.body),
             false);
    }
}

void Sender::upload(const JobPtr& job, Number& number) {
    const auto& sent = *job->message;
    if (const auto refused = rooms_.reused_files.refused(sent.device, sent.id)) {
        rooms_.uploads.drop(number.access(), *job->file, *job->kind, *refused);
    }
    rooms_.uploads.find(number.access(), *job->file, *job->kind,
                        [this, job](Uploads::Uploaded uploaded) {
                            if (is_done(job)) {
                                return;
                            }
                            if (uploaded.id.empty()) {
                                if (uploaded.answer.reach == GraphAnswer::Reach::answered &&
                                    uploaded.answer.error) {
                                    refused(job, *uploaded.answer.error);
                                } else {  // No message was sent yet.
                                    finish(job, try_again(details::platform_unavailable));
                                }
                                return;
                            }
                            job->media_id = std::move(uploaded.id);
                            job->media_id_reused = uploaded.reused;
                            if (auto* found = number_of(job); found != nullptr) {
                                post_with_file(job, *found);
                            }
                        });
}

/// Its file is uploaded.
void Sender::post_with_file(const JobPtr& job, Number& number) {
    const auto& message = *job->message;
    if (!job->text_follows) {
        rooms_.reused_files.sending(message.device, message.id, job->media_id,
                                    job->media_id_reused);
    }
    if (message.filled_template != nullptr) {
        find_filled(job, number);
        return;
    }
    post(job,
         media_body(
             {.recipient = message.recipient, .opaque = opaque_of(message.id, job->text_follows)},
             *job->kind, job->media_id, job->text_follows ? std::string_view{} : message.body,
             document_name(*job->kind, message.media_url)),
         job->text_follows);
}

void Sender::find_fallback(const JobPtr& job, Number& number) {
    const auto& cloud = *number.device.cloud;
    if (cloud.fallback_template.empty()) {
        finish(job, refused_here(details::template_unusable));
        return;
    }
    rooms_.templates.find(
        number.access(), wanted_template(cloud.waba_id, cloud.fallback_template),
        [this, job](const Result<std::optional<MessageTemplate>>& found) {
            if (is_done(job)) {
                return;
            }
            if (!found && found.error().code != ErrorCode::refused) {
                finish(job, try_again(details::platform_unavailable));
                return;
            }
            if (!found || !*found || !(*found)->is_approved() || !(*found)->carries_a_text()) {
                finish(job, refused_here(details::template_unusable));
                return;
            }
            const auto& used = **found;
            post_template(job,
                          {.name = used.name,
                           .language = used.language,
                           .values = {filling_of(job->message->body, used)}},
                          &used);
        });
}

/// The platform's list alone says whether the variables have names, which buttons have one, and
/// what the template's text is. A template that is not on it is sent too, because the platform says
/// best what is wrong with it.
void Sender::find_filled(const JobPtr& job, Number& number) {
    const auto& filled = *job->message->filled_template;
    const auto& waba_id = number.device.cloud->waba_id;
    if (waba_id.empty()) {
        post_template(job, filled, nullptr);
        return;
    }
    rooms_.templates.find(number.access(),
                          {.waba_id = waba_id, .name = filled.name, .language = filled.language},
                          [this, job](const Result<std::optional<MessageTemplate>>& found) {
                              if (is_done(job)) {
                                  return;
                              }
                              if (!found && found.error().code != ErrorCode::refused) {
                                  finish(job, try_again(details::platform_unavailable));
                                  return;
                              }
                              post_template(job, *job->message->filled_template,
                                            found && *found ? &**found : nullptr);
                          });
}

/// `listed`: the template as the platform lists it; null: it does not.
void Sender::post_template(const JobPtr& job, const model::FilledTemplate& filled,
                           const MessageTemplate* listed) {
    const auto& message = *job->message;
    if (listed != nullptr) {
        job->sent_as = std::make_shared<const model::SentTemplate>(sent_template(*listed, filled));
    }
    auto use = use_of(filled, listed);
    std::string file_name;
    if (job->file != nullptr) {
        file_name = document_name(*job->kind, message.media_url);
        use.file_kind = job->kind;
        use.media_id = job->media_id;
        use.file_name = file_name;
    }
    post(job,
         template_body({.recipient = message.recipient, .opaque = opaque_of(message.id, false)},
                       use),
         false);
}

void Sender::post(const JobPtr& job, const boost::json::object& body, bool first_part) {
    auto* number = number_of(job);
    if (number == nullptr) {
        return;
    }
    // It may have waited here for its file, a template or its turn.
    if (rooms_.may_begin && !rooms_.may_begin()) {
        finish(job, device_down(details::connector_closing));
        return;
    }
    rooms_.graph.post(number->id(), number->id() + "/messages", number->token, body,
                      [this, job, first_part](const GraphAnswer& answer) {
                          if (!is_done(job)) {
                              answered(job, answer, first_part);
                          }
                      });
}

void Sender::answered(const JobPtr& job, const GraphAnswer& answer, bool first_part) {
    switch (answer.reach) {
        case GraphAnswer::Reach::not_sent:
            finish(job, closed_ ? device_down(details::connector_closing)
                                : try_again(details::platform_unavailable));
            return;
        case GraphAnswer::Reach::lost:
            finish(job, unknown_of(job));
            return;
        case GraphAnswer::Reach::answered:
            break;
    }
    if (answer.error) {
        refused(job, *answer.error);
    } else {
        taken(job, answer, first_part);
    }
}

void Sender::taken(const JobPtr& job, const GraphAnswer& answer, bool first_part) {
    const auto& message = *job->message;
    auto* number = rooms_.numbers.find(message.device);
    if (number != nullptr) {
        number->rates.pair_taken(message.recipient);
    }
    if (first_part) {
        first_parts_.put(message.device, message.id, true);
        if (number != nullptr) {
            const auto wait = number->rates.take(message.recipient, rooms_.clock.steady_now());
            rooms_.after(wait, [this, job] { go_on(job); });
            return;
        }
    }
    auto id = message_id_of(answer.body);
    if (id.empty()) {
        finish(job, unknown_of(job));
        return;
    }
    finish(job, {.kind = Kind::accepted,
                 .code = StatusCode::sent,
                 .details = std::string{details::accepted},
                 .platform_id = std::move(id),
                 .undecided = Outcome::Undecided::sent,
                 .decide_within = rooms_.status_wait,
                 .sent_as = job->sent_as});
}

void Sender::refused(const JobPtr& job, const GraphError& error) {
    auto* number = rooms_.numbers.find(job->message->device);
    if (number == nullptr || !number->device.cloud) {
        finish(job, device_down(details::device_not_connected));
        return;
    }
    const auto verdict = judge(error, number->id());
    if (job->media_id_reused && !job->uploaded_anew && may_refuse_media_id(error, verdict)) {
        job->uploaded_anew = true;
        rooms_.uploads.drop(number->access(), *job->file, *job->kind, job->media_id);
        go_on(job);
        return;
    }
    if (verdict.meaning == Meaning::window_closed && job->file == nullptr && !job->as_template &&
        job->message->filled_template == nullptr &&
        !number->device.cloud->fallback_template.empty()) {
        auto again = try_again(words_of(error, number->token));
        again.as_template = true;
        finish(job, std::move(again));
        return;
    }
    finish(job, judged(job, *number, error, verdict));
}

/// The outcome, and what the refusal means for the number.
Outcome Sender::judged(const JobPtr& job, Number& number, const GraphError& error,
                       const Verdict& verdict) {
    const auto now = rooms_.clock.steady_now();
    Millis pair_wait{0};
    switch (verdict.meaning) {
        case Meaning::fails:
        case Meaning::window_closed:
        case Meaning::passing:
            break;
        case Meaning::holds_number:
            rooms_.numbers.hold(number, error.retry_after.value_or(hold_unasked));
            break;
        case Meaning::holds_pair:
            pair_wait = number.rates.pair_refused(job->message->recipient, error.retry_after, now);
            break;
        case Meaning::ends_number:
        case Meaning::restricts_number:
            rooms_.numbers.end(number, verdict, error);
            break;
    }
    return outcome_of(error, verdict, number.token, rooms_.clock.now(), pair_wait);
}

/// The platform may have the message: its status is awaited, if the webhook can be believed.
Outcome Sender::unknown_of(const JobPtr& job) {
    auto outcome = unknown_outcome(details::unknown);
    outcome.status_within = rooms_.status_wait;
    outcome.hold_unknown = !rooms_.hears(job->message->device);
    outcome.sent_as = job->sent_as;
    return outcome;
}

/// The message may be gone once its outcome is reported.
void Sender::finish(const JobPtr& job, Outcome outcome) {
    const auto* message = std::exchange(job->message, nullptr);
    const auto id = message->id;
    const auto device = message->device;
    if (outcome.kind == Kind::accepted || outcome.kind == Kind::failed) {
        first_parts_.erase(device, id);
    }
    jobs_.erase(id);
    events_->outcome(id, device, std::move(outcome));
}

void Sender::stop() {
    closed_ = true;
    rooms_.last_inbound.keep_all();
    rooms_.graph.close();
    while (!jobs_.empty()) {
        finish(JobPtr{jobs_.begin()->second}, device_down(details::connector_closing));
    }
}

void Sender::note_failure(model::PhoneNumber which, const GraphError& error, Timestamp at) {
    auto* number = rooms_.numbers.find(which);
    if (number == nullptr || !number->device.cloud) {
        return;
    }
    const auto verdict = judge(error, number->id());
    const bool ends =
        verdict.meaning == Meaning::ends_number || verdict.meaning == Meaning::restricts_number;
    // A report from before the number was connected again, which may be repeated, says nothing of
    // its present token. The platform's times are whole seconds.
    if (ends && number->is_up() && at + std::chrono::seconds{1} > number->connected_at) {
        rooms_.numbers.end(*number, verdict, error);
    } else if (verdict.meaning == Meaning::holds_number) {
        const auto wait = error.retry_after.value_or(hold_unasked);
        if (at + wait + std::chrono::seconds{1} > rooms_.clock.now()) {
            rooms_.numbers.hold(*number, wait);
        }
    }
}

}  // namespace merpati::connector::cloud
