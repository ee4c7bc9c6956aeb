#include "api/device_addnew.hpp"

namespace merpati::api {
namespace {

constexpr std::string_view success_body =
    R"({"success":true,"message":"Perangkat berhasil ditambahkan",)"
    R"("data":{"status":"success","code":200}})";

/// The answer is stored with the device, so every repeat has one.
http::Reply no_answer(const store::IdempotencyRecord& /*first*/) {
    return failure(Refusal::internal);
}

}  // namespace

/// What is asked for, decoded.
struct DeviceAddnew::Wish {
    model::PhoneNumber number;
    std::optional<std::string> webhook;  // Empty optional: the field was not given.
};

/// One request on its way through the committer.
struct DeviceAddnew::Job {
    Caller caller;
    Wish wish;
    KeyedResponder responder;
    http::Reply reply;
};

void DeviceAddnew::handle(const http::Request& request, http::Responder responder) {
    auto admitted = rooms_.entrance.admit(request, Operation::device_addnew);
    if (auto* refused = std::get_if<http::Reply>(&admitted)) {
        responder.send(std::move(*refused));
        return;
    }
    auto& caller = std::get<Caller>(admitted);
    auto keyed = rooms_.idempotency.enter(caller, std::move(responder), no_answer);
    if (!keyed) {
        return;
    }
    auto decoded = decode(caller);
    if (const auto* refusal = std::get_if<Refusal>(&decoded)) {
        keyed->answer(refused(*refusal, caller));
        return;
    }
    auto job = std::make_shared<Job>(Job{.caller = std::move(caller),
                                         .wish = std::get<Wish>(std::move(decoded)),
                                         .responder = std::move(*keyed),
                                         .reply = {}});
    const bool taken = rooms_.committer.change(
        [this, job](store::Tables& tables) { return apply(tables, *job); },
        [this, job](const Result<void>& applied) {
            if (applied) {
                job->responder.answer(std::move(job->reply));
            } else if (applied.error().code == ErrorCode::busy) {
                job->responder.answer(busy(job->caller));
            } else {
                job->responder.answer(refused(Refusal::internal, job->caller));
            }
        });
    if (!taken) {
        job->responder.answer(busy(job->caller));
    }
}

std::variant<DeviceAddnew::Wish, Refusal> DeviceAddnew::decode(const Caller& caller) const {
    const auto* number = caller.fields.find("device");
    const auto parsed = number != nullptr && (number->is_string() || number->is_integer())
                            ? model::PhoneNumber::parse(number->text)
                            : std::nullopt;
    if (!parsed || !admission::recipient_possible(number->text)) {
        return Refusal::device_number_invalid;
    }
    Wish wish{.number = *parsed, .webhook = {}};
    if (const auto* webhook = caller.fields.find("webhook")) {
        const auto schemes = options_.allow_http_callbacks ? outbound::Schemes::http_and_https
                                                           : outbound::Schemes::https_only;
        if (!webhook->is_string() ||
            (!webhook->text.empty() &&
             !outbound::admit_url(webhook->text, schemes, rooms_.policy))) {
            return Refusal::webhook_url_invalid;
        }
        wish.webhook = webhook->text;
    }
    return wish;
}

/// Runs in the committer's transaction: the device and the record of this request are written
/// together.
Result<void> DeviceAddnew::apply(store::Tables& tables, Job& job) const {
    auto& record = job.caller.idempotency;
    if (record) {
        const auto first = tables.find_idempotency(record->account, record->key);
        if (!first) {
            return pass(first);
        }
        if (*first && (*first)->holds(record->created_at)) {
            job.reply =
                rooms_.idempotency.repeat_answer(**first, *record, job.caller.revision, no_answer);
            return {};
        }
    }
    const auto refusal = add(tables, job);
    if (!refusal) {
        return pass(refusal);
    }
    if (*refusal) {
        job.reply = refused(**refusal, job.caller);
        return {};
    }
    job.reply.body = success_body;
    if (record) {
        record->status = 200;
        record->answer = success_body;
        return tables.put_idempotency(*record);
    }
    return {};
}

/// Empty: the account has the device now.
Result<std::optional<Refusal>> DeviceAddnew::add(store::Tables& tables, const Job& job) const {
    const auto account = tables.find_account(job.caller.account().id);
    if (!account) {
        return pass(account);
    }
    if (!*account || (*account)->plan != model::Plan::paid) {
        return Refusal::plan_forbids_devices;
    }
    const auto* connector = rooms_.connectors.find(options_.default_connector);
    const bool ready = connector != nullptr && connector->capabilities().pairing.empty();
    model::Device device{
        .number = job.wish.number,
        .account = (*account)->id,
        .connector = options_.default_connector,
        .state = ready ? model::DeviceState::connected : model::DeviceState::disconnected,
        .webhook_url = job.wish.webhook.value_or("")};
    device.created_at = device.state_since = rooms_.clock.now();
    const auto decision = tables.add_device(device, job.wish.webhook.has_value());
    if (!decision) {
        return pass(decision);
    }
    switch (decision->result) {
        case store::DeviceDecision::Result::owned_by_another:
            return Refusal::device_taken;
        case store::DeviceDecision::Result::no_room:
            return Refusal::devices_exhausted;
        case store::DeviceDecision::Result::added:
            if (auto announced = announce_(tables, decision->device); !announced) {
                return pass(announced);
            }
            break;
        case store::DeviceDecision::Result::known:
            break;
    }
    return std::nullopt;
}

http::Reply DeviceAddnew::busy(const Caller& caller) const {
    auto reply = refused(Refusal::overloaded, caller);
    reply.add_header("Retry-After", "1");
    return reply;
}

/// A refusal of this request, counted.
http::Reply DeviceAddnew::refused(Refusal refusal, const Caller& caller) const {
    rooms_.entrance.note(refusal);
    return failure(refusal, caller.revision);
}

}  // namespace merpati::api
