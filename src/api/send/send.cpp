#include "api/send/send.hpp"

#include "admission/checks.hpp"
#include "api/send/answers.hpp"

namespace merpati::api {

/// The right to answer a request, and the request's hold on its Idempotency-Key. The hold ends
/// first: whoever has the answer may repeat the request at once.
struct Send::Asker {
    http::Responder responder;
    KeysUnderWay::Hold hold{};

    void answer(http::Reply reply, const std::string& headers) {
        hold.release();
        reply.headers += headers;
        responder.send(std::move(reply));
    }
};

/// What is needed to answer once the message is stored.
struct Send::Pending {
    Asker asker;
    std::string headers;
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
    Asker asker{.responder = std::move(responder)};
    if (caller.idempotency) {
        auto taken = keys_under_way_.take(*caller.idempotency);
        if (const auto* other = std::get_if<Sha256>(&taken)) {
            asker.answer(answer_beside(caller, *other), caller.headers);
            return;
        }
        asker.hold = std::get<KeysUnderWay::Hold>(std::move(taken));
    }
    auto decided = decide(caller);
    if (const auto* refusal = std::get_if<Refusal>(&decided)) {
        refuse(caller, *refusal, std::move(asker));
        return;
    }
    auto& message = std::get<std::unique_ptr<model::Message>>(decided);
    if (message->type == model::MessageType::media) {
        probe(std::move(caller), std::move(message), std::move(asker));
    } else {
        store_message(std::move(caller), std::move(message), std::move(asker));
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

/// The request that was accepted with the caller's Idempotency-Key, whatever has changed since.
std::optional<store::IdempotencyRecord> Send::first_request(const Caller& caller) {
    if (!caller.idempotency) {
        return std::nullopt;
    }
    const std::lock_guard lock{reader_mutex_};
    if (reader_ == nullptr) {
        if (auto opened = rooms_.store.open_reader()) {
            reader_ = std::move(*opened);
        }
    }
    if (reader_ == nullptr) {
        return std::nullopt;
    }
    auto first = reader_->idempotency(caller.account().id, caller.idempotency->key);
    return first && *first && (*first)->holds(caller.idempotency->created_at) ? std::move(*first)
                                                                              : std::nullopt;
}

std::optional<http::Reply> Send::first_answer(const Caller& caller) {
    const auto first = first_request(caller);
    return first ? std::optional{repeat_answer(*first, *caller.idempotency, caller.revision)}
                 : std::nullopt;
}

/// The answer to a request while another with its key is under way, which has that fingerprint.
http::Reply Send::answer_beside(const Caller& caller, const Sha256& under_way) {
    // Two repeats of an answered request may meet, or its answer be just on its way.
    const auto first = first_request(caller);
    if (first && first->status != 0) {
        return repeat_answer(*first, *caller.idempotency, caller.revision);
    }
    return under_way == caller.idempotency->fingerprint
               ? still_running(caller.revision)
               : refused(Refusal::idempotency_key_reused, caller.revision);
}

/// A refusal of this request, counted.
http::Reply Send::refused(Refusal refusal, model::Revision revision) const {
    rooms_.entrance.note(refusal);
    return failure(refusal, revision);
}

http::Reply Send::still_running(model::Revision revision) const {
    auto reply = refused(Refusal::idempotency_in_progress, revision);
    reply.add_header("Retry-After", "1");
    return reply;
}

void Send::refuse(const Caller& caller, Refusal refusal, Asker asker) {
    if (auto answer = first_answer(caller)) {
        asker.answer(std::move(*answer), caller.headers);
        return;
    }
    asker.answer(refused(refusal, caller.revision), caller.headers);
}

void Send::probe(Caller caller, std::unique_ptr<model::Message> message, Asker asker) {
    if (auto answer = first_answer(caller)) {  // Before the file is asked for once more.
        asker.answer(std::move(*answer), caller.headers);
        return;
    }
    auto url = message->media_url;
    const auto account = message->account;
    const auto revision = caller.revision;
    rooms_.prober.probe(account, std::move(url), revision,
                        [this, caller = std::move(caller), message = std::move(message),
                         asker = std::move(asker)](media::ProbeVerdict verdict) mutable {
                            if (const auto refusal = refusal_of(verdict, caller.revision)) {
                                refuse(caller, *refusal, std::move(asker));
                                return;
                            }
                            store_message(std::move(caller), std::move(message), std::move(asker));
                        });
}

void Send::store_message(Caller caller, std::unique_ptr<model::Message> message, Asker asker) {
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
    auto pending = std::make_shared<Pending>(Pending{.asker = std::move(asker),
                                                     .headers = std::move(caller.headers),
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
        pending->asker.answer(std::move(reply), pending->headers);
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
            pending.asker.answer(refused(Refusal::credit_exhausted, revision), pending.headers);
            return;
        case store::Accept::Result::no_room:
            reply = refused(Refusal::storage_full, revision);
            reply.add_header("Retry-After", "5");
            pending.asker.answer(std::move(reply), pending.headers);
            return;
        case store::Accept::Result::damaged:
            pending.asker.answer(refused(damaged_in(revision), revision), pending.headers);
            return;
        case store::Accept::Result::repeated:
        case store::Accept::Result::key_reused:
            pending.asker.answer(repeat_answer(*accept.idempotency, *pending.idempotency, revision),
                                 pending.headers);
            return;
        case store::Accept::Result::stored:
            break;
    }
    if (on_accepted) {
        on_accepted(revision);
    }
    if (pending.wait.count() > 0) {
        rooms_.waiters.add(accept.message->id,
                           {.responder = std::move(pending.asker.responder),
                            .headers = std::move(pending.headers),
                            .pending_answer = still_pending_answer(*accept.message),
                            .idempotency = std::move(pending.idempotency),
                            .deadline = rooms_.clock.steady_now() + pending.wait});
        pending.asker.hold.release();  // From here on the waiters tell a repeat.
    } else {
        reply.body = std::move(pending.answer);
        pending.asker.answer(std::move(reply), pending.headers);
    }
    rooms_.scheduler.accepted(std::move(accept.message));
}

http::Reply Send::repeat_answer(const store::IdempotencyRecord& first,
                                const store::IdempotencyRecord& now, model::Revision revision) {
    if (first.fingerprint != now.fingerprint) {
        return refused(Refusal::idempotency_key_reused, revision);
    }
    http::Reply reply;
    if (first.status != 0) {
        reply.status = first.status;
        reply.body = first.answer;
    } else if (rooms_.waiters.waits(*first.message)) {
        return still_running(revision);
    } else {
        reply = answer_from_state(*first.message);
    }
    reply.add_header("Idempotent-Replayed", "true");
    return reply;
}

/// The first request never got its answer (the process died): what became of its message tells it.
http::Reply Send::answer_from_state(model::MessageId message) {
    auto reader = rooms_.store.open_reader();
    if (reader) {
        const auto record = (*reader)->message(message);
        if (record && *record) {
            return outcome_answer((*record)->message,
                                  (*record)->completion.value_or(
                                      model::Completion{.state = model::MessageState::pending}));
        }
    }
    return failure(Refusal::internal);
}

}  // namespace merpati::api
