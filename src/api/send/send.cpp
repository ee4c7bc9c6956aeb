#include "api/send/send.hpp"

#include "admission/checks.hpp"
#include "api/send/answers.hpp"

namespace merpati::api {

/// What is needed to answer once the message is stored.
struct Send::Pending {
    KeyedResponder responder;
    std::chrono::milliseconds wait{0};  // How long the outcome is waited for; 0: not at all.
    std::string answer;                 // Given at once where it is not waited for.
    std::optional<store::IdempotencyRecord> idempotency;
};

namespace {

const RevisionRules& rules_of(model::Revision revision) {
    return revision == model::Revision::a ? revision_a : revision_b;
}

/// What the caller is told of a file that may not be sent; empty: it may, as far as is known.
std::optional<Refusal> refusal_of(media::ProbeVerdict verdict, model::Revision revision) {
    switch (verdict) {
        case media::ProbeVerdict::acceptable:
        case media::ProbeVerdict::undecided:
            return std::nullopt;
        case media::ProbeVerdict::declared_type_refused:
            return revision == model::Revision::a ? Refusal::file_type_unsupported
                                                  : Refusal::mime_type_unsupported;
        case media::ProbeVerdict::content_type_refused:
            return Refusal::file_type_unsupported;
        case media::ProbeVerdict::too_large:
            return Refusal::file_too_large;
        case media::ProbeVerdict::inaccessible:
            return Refusal::media_unreachable;
    }
    return std::nullopt;
}

/// The sending failed before it began, as far as a B caller can be told.
Refusal disconnected_in(model::Revision revision) {
    return revision == model::Revision::a ? Refusal::device_disconnected : Refusal::send_failed;
}

/// What this message needs of the store cannot be read or written.
Refusal damaged_in(model::Revision revision) {
    return revision == model::Revision::a ? Refusal::storage_damaged : Refusal::send_failed;
}

}  // namespace

Send::Send(Rooms rooms, SendOptions options) : rooms_(rooms), options_(options) {}
Send::~Send() = default;

void Send::handle(const http::Request& request, http::Responder responder) {
    auto admitted = rooms_.entrance.admit(request, Operation::send);
    if (auto* refused = std::get_if<http::Reply>(&admitted)) {
        responder.send(std::move(*refused));
        return;
    }
    auto& caller = std::get<Caller>(admitted);
    auto keyed = rooms_.idempotency.enter(caller, std::move(responder), recall_);
    if (!keyed) {
        return;
    }
    auto decided = decide(caller);
    if (const auto* refusal = std::get_if<Refusal>(&decided)) {
        keyed->answer(refused(*refusal, caller.revision));
        return;
    }
    auto& message = std::get<std::unique_ptr<model::Message>>(decided);
    if (message->type == model::MessageType::media) {
        probe(std::move(caller), std::move(message), std::move(*keyed));
    } else {
        store_message(std::move(caller), std::move(message), std::move(*keyed));
    }
}

// The order of the checks is decisions.md's: Type, content, sender, device, recipient, then delay,
// typing, callback, media.
std::variant<std::unique_ptr<model::Message>, Refusal> Send::decide(const Caller& caller) const {
    const auto& rules = rules_of(caller.revision);
    auto message = std::make_unique<model::Message>();
    const auto type = decode_type(caller.fields);
    if (const auto* refusal = std::get_if<Refusal>(&type)) {
        return *refusal;
    }
    message->type = std::get<model::MessageType>(type);
    auto content = decode_content(caller.fields, rules, message->type);
    if (const auto* refusal = std::get_if<Refusal>(&content)) {
        return *refusal;
    }
    message->body = std::get<std::string>(std::move(content));
    if (message->type == model::MessageType::media) {
        auto url = decode_media_url(caller.fields);
        if (const auto* refusal = std::get_if<Refusal>(&url)) {
            return *refusal;
        }
        message->media_url = std::get<std::string>(std::move(url));
    }
    const auto& account = caller.account();
    const auto now = rooms_.clock.wall_now();
    const auto device =
        admission::find_sender(decode_sender(caller.fields), account.id, rooms_.directory);
    if (device == nullptr) {
        return Refusal::sender_invalid;
    }
    if (!admission::accepts_messages(*device, now)) {
        return disconnected_in(caller.revision);
    }
    if (rooms_.store.condition().is_damaged(device->number)) {
        return damaged_in(caller.revision);
    }
    const auto* connector = rooms_.connectors.find(device->connector);
    if (connector == nullptr) {
        return disconnected_in(caller.revision);
    }
    if (count_characters(message->body) > connector->capabilities().text_characters_max) {
        return Refusal::message_too_long;
    }
    message->account = account.id;
    message->device = device->number;
    message->revision = caller.revision;
    message->delivery = account.delivery;
    message->accepted_at = now;
    if (caller.revision == model::Revision::a) {
        message->callback_url = account.callback_url;  // Revision B has no callback.
    }
    const auto later = decide_later_fields(caller, rules, *message);
    if (const auto* refusal = std::get_if<Refusal>(&later)) {
        return *refusal;
    }
    return message;
}

std::variant<std::monostate, Refusal> Send::decide_later_fields(const Caller& caller,
                                                                const RevisionRules& rules,
                                                                model::Message& message) const {
    auto recipient = decode_recipient(caller.fields);
    if (const auto* refusal = std::get_if<Refusal>(&recipient)) {
        return *refusal;
    }
    message.recipient = std::move(std::get<Recipient>(recipient).text);
    message.recipient_quoted = std::get<Recipient>(recipient).quoted;
    if (caller.revision == model::Revision::b &&
        !admission::recipient_possible(message.recipient)) {
        return Refusal::send_failed;
    }
    const auto delay = decode_delay(caller.fields, rules, options_.random_delay_max, rooms_.random);
    if (const auto* refusal = std::get_if<Refusal>(&delay)) {
        return *refusal;
    }
    const auto wait = std::get<std::optional<std::chrono::seconds>>(delay);
    message.due_at = message.accepted_at + wait.value_or(std::chrono::seconds{0});
    const auto typing = decode_typing(caller.fields, rules);
    if (const auto* refusal = std::get_if<Refusal>(&typing)) {
        return *refusal;
    }
    message.typing = std::get<bool>(typing);
    auto callback = decode_callback(caller.fields, rules);
    if (const auto* refusal = std::get_if<Refusal>(&callback)) {
        return *refusal;
    }
    if (auto& url = std::get<std::string>(callback); !url.empty()) {
        const auto schemes = options_.allow_http_callbacks ? outbound::Schemes::http_and_https
                                                           : outbound::Schemes::https_only;
        if (!outbound::admit_url(url, schemes, rooms_.policy)) {
            return Refusal::callback_url_invalid;
        }
        message.callback_url = std::move(url);
    }
    if (message.type == model::MessageType::media) {
        if (!outbound::admit_url(message.media_url, outbound::Schemes::http_and_https,
                                 rooms_.policy)) {
            return Refusal::media_url_invalid;
        }
    }
    return std::monostate{};
}

/// A refusal of this request, counted.
http::Reply Send::refused(Refusal refusal, model::Revision revision) const {
    rooms_.entrance.note(refusal);
    return failure(refusal, revision);
}

void Send::probe(Caller caller, std::unique_ptr<model::Message> message, KeyedResponder responder) {
    auto url = message->media_url;
    const auto account = message->account;
    const auto revision = caller.revision;
    rooms_.prober.probe(account, std::move(url), revision,
                        [this, caller = std::move(caller), message = std::move(message),
                         responder = std::move(responder)](media::ProbeVerdict verdict) mutable {
                            if (const auto refusal = refusal_of(verdict, caller.revision)) {
                                responder.answer(refused(*refusal, caller.revision));
                                return;
                            }
                            store_message(std::move(caller), std::move(message),
                                          std::move(responder));
                        });
}

void Send::store_message(Caller caller, std::unique_ptr<model::Message> message,
                         KeyedResponder responder) {
    // The probe of a media address is not part of the delay, which is counted in queue time.
    const auto delay = message->due_at - message->accepted_at;
    message->accepted_at = rooms_.clock.wall_now();
    message->due_at = rooms_.clock.now() + delay;
    message->id = rooms_.ids.next();
    const bool tells_outcome = caller.revision == model::Revision::b && options_.revision_b_outcome;
    const auto wait = tells_outcome ? delay + options_.revision_b_wait : Millis{0};
    std::string answer;
    if (wait == Millis{0}) {
        answer = at_once_answer(*message);
    }
    store::Accept accept;
    if (caller.idempotency) {
        caller.idempotency->message = message->id;
        if (wait == Millis{0}) {
            caller.idempotency->status = 200;
            caller.idempotency->answer = answer;
        }
        accept.idempotency = caller.idempotency;
    }
    auto pending = std::make_shared<Pending>(Pending{.responder = std::move(responder),
                                                     .wait = wait,
                                                     .answer = std::move(answer),
                                                     .idempotency = std::move(caller.idempotency)});
    accept.message = std::move(message);
    const bool taken = rooms_.committer.accept(
        std::move(accept),
        [this, pending](store::Accept&& done) { stored(std::move(done), std::move(*pending)); });
    if (!taken) {
        auto reply = refused(Refusal::overloaded, caller.revision);
        reply.add_header("Retry-After", "1");
        pending->responder.answer(std::move(reply));
    }
}

/// What is said before anything is known of the outcome: `sent` only where the operator wants it.
std::string Send::at_once_answer(const model::Message& message) const {
    if (message.revision == model::Revision::a) {
        return accepted_answer(message);
    }
    return options_.revision_b_outcome ? still_pending_answer(message) : sent_answer(message);
}

void Send::stored(store::Accept&& accept, Pending pending) {
    http::Reply reply;
    const auto revision = accept.message->revision;
    switch (accept.result) {
        case store::Accept::Result::credit_exhausted:
            pending.responder.answer(refused(Refusal::credit_exhausted, revision));
            return;
        case store::Accept::Result::sender_gone:
            pending.responder.answer(refused(Refusal::sender_invalid, revision));
            return;
        case store::Accept::Result::no_room:
            reply = refused(Refusal::storage_full, revision);
            reply.add_header("Retry-After", "5");
            pending.responder.answer(std::move(reply));
            return;
        case store::Accept::Result::damaged:
            pending.responder.answer(refused(damaged_in(revision), revision));
            return;
        case store::Accept::Result::repeated:
        case store::Accept::Result::key_reused:
            pending.responder.answer(rooms_.idempotency.repeat_answer(
                *accept.idempotency, *pending.idempotency, revision, recall_));
            return;
        case store::Accept::Result::stored:
            break;
    }
    if (on_accepted) {
        on_accepted(revision);
    }
    if (pending.wait.count() > 0) {
        rooms_.waiters.add(accept.message->id,
                           {.responder = std::move(pending.responder),
                            .pending_answer = still_pending_answer(*accept.message),
                            .idempotency = std::move(pending.idempotency),
                            .deadline = rooms_.clock.steady_now() + pending.wait});
    } else {
        reply.body = std::move(pending.answer);
        pending.responder.answer(std::move(reply));
    }
    rooms_.scheduler.accepted(std::move(accept.message));
}

http::Reply Send::answer_from_state(const store::IdempotencyRecord& first) const {
    auto reader = rooms_.store.open_reader();
    if (reader && first.message) {
        const auto record = (*reader)->message(*first.message);
        if (record && *record) {
            return outcome_answer((*record)->message,
                                  (*record)->completion.value_or(
                                      model::Completion{.state = model::MessageState::pending}));
        }
    }
    return failure(Refusal::internal);
}

}  // namespace merpati::api
