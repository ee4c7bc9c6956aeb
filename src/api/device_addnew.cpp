#include "api/device_addnew.hpp"

namespace merpati::api {
namespace {

constexpr std::string_view success_body =
    R"({"success":true,"message":"Perangkat berhasil ditambahkan",)"
    R"("data":{"status":"success","code":200}})";

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
    http::Responder responder;
    model::Device device;
    bool is_new = false;
    bool repeated = false;
    http::Reply reply;

    /// Nothing was written: this is the answer instead, and counted.
    void refuse(const Entrance& entrance, Refusal refusal) {
        entrance.note(refusal);
        reply = failure(refusal, caller.revision);
        repeated = true;
    }
};

void DeviceAddnew::handle(const http::Request& request, http::Responder responder) {
    auto admitted = rooms_.entrance.admit(request, Operation::device_addnew);
    if (auto* refused = std::get_if<http::Reply>(&admitted)) {
        responder.send(std::move(*refused));
        return;
    }
    auto& caller = std::get<Caller>(admitted);
    const auto answer = [this, &caller, &responder](Refusal refusal) {
        rooms_.entrance.note(refusal);
        auto reply = failure(refusal, caller.revision);
        reply.headers += caller.headers;
        responder.send(std::move(reply));
    };
    auto decided = decide(caller);
    if (const auto* refusal = std::get_if<Refusal>(&decided)) {
        answer(*refusal);
        return;
    }
    auto job = std::make_shared<Job>(Job{.caller = std::move(caller),
                                         .wish = std::get<Wish>(std::move(decided)),
                                         .responder = std::move(responder),
                                         .device = {},
                                         .reply = {}});
    const bool taken = rooms_.committer.change(
        [this, job](store::Tables& tables) { return apply(tables, *job); },
        [this, job](const Result<void>& applied) {
            if (!applied) {
                job->refuse(rooms_.entrance, applied.error().code == ErrorCode::conflict
                                                 ? Refusal::device_taken
                                                 : Refusal::internal);
            }
            done(*job);
        });
    if (!taken) {
        job->refuse(rooms_.entrance, Refusal::overloaded);
        job->reply.add_header("Retry-After", "1");
        done(*job);
    }
}

std::variant<DeviceAddnew::Wish, Refusal> DeviceAddnew::decide(const Caller& caller) const {
    const auto& account = caller.account();
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
    if (account.plan != model::Plan::paid) {
        return Refusal::plan_forbids_devices;
    }
    const auto known = rooms_.directory.find_device(*parsed);
    if (known != nullptr && known->account != account.id) {
        return Refusal::device_taken;
    }
    if (known == nullptr && rooms_.directory.count_devices(account.id) >= account.devices_max) {
        return Refusal::devices_exhausted;
    }
    return wish;
}

/// Runs in the committer's transaction: a repeat is answered, or the device and the record of this
/// request are written together.
Result<void> DeviceAddnew::apply(store::Tables& tables, Job& job) const {
    auto& record = job.caller.idempotency;
    if (record) {
        auto first = tables.find_idempotency(record->account, record->key);
        if (!first) {
            return pass(first);
        }
        if (*first && (*first)->holds(record->created_at)) {
            if ((*first)->fingerprint == record->fingerprint) {
                job.repeated = true;
                job.reply.status = (*first)->status;
                job.reply.body = (*first)->answer;
                job.reply.add_header("Idempotent-Replayed", "true");
            } else {
                job.refuse(rooms_.entrance, Refusal::idempotency_key_reused);
            }
            return {};
        }
    }
    // Looked up here, on the one thread that writes, so that two requests at once see each other.
    const auto known = rooms_.directory.find_device(job.wish.number);
    job.is_new = known == nullptr;
    if (known != nullptr) {
        job.device = *known;
        if (known->account != job.caller.account().id) {
            return fail(ErrorCode::conflict, "the number belongs to another account");
        }
    } else {
        const auto* connector = rooms_.connectors.find(options_.default_connector);
        const bool ready = connector != nullptr && connector->capabilities().pairing.empty();
        job.device.number = job.wish.number;
        job.device.account = job.caller.account().id;
        job.device.connector = options_.default_connector;
        job.device.state = ready ? model::DeviceState::connected : model::DeviceState::disconnected;
        job.device.created_at = job.device.state_since = rooms_.clock.now();
    }
    if (job.wish.webhook) {
        job.device.webhook_url = *job.wish.webhook;
    }
    if (auto put = tables.put_device(job.device); !put) {
        return put;
    }
    job.reply.body = success_body;
    if (record) {
        record->status = 200;
        record->answer = success_body;
        return tables.put_idempotency(*record);
    }
    return {};
}

void DeviceAddnew::done(Job& job) {
    if (!job.repeated) {
        rooms_.directory.put_device(job.device);
        on_added_(job.device, job.is_new);
    }
    job.reply.headers += job.caller.headers;
    job.responder.send(std::move(job.reply));
}

}  // namespace merpati::api
