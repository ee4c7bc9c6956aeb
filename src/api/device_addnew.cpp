#include "api/device_addnew.hpp"

#include <memory>
#include <optional>
#include <string>

#include <boost/json/serialize.hpp>

#include "admission/checks.hpp"
#include "api/manage/views.hpp"
#include "store/people.hpp"

namespace merpati::api {
namespace {

constexpr std::string_view success_body =
    R"({"success":true,"message":"Perangkat berhasil ditambahkan",)"
    R"("data":{"status":"success","code":200}})";

}  // namespace

/// The decoded request.
struct DeviceAddnew::Wanted {
    model::PhoneNumber number;
    std::optional<std::string> webhook;  // Empty optional: not given. "": no webhook.
};

/// One request on its way through the committer.
struct DeviceAddnew::Job {
    Call call;
    Wanted wanted;
    Checked<http::Reply> answer;
};

void DeviceAddnew::handle(Call&& call) {
    auto wanted = decode(call.fields);
    if (!wanted) {
        call.responder.answer(pass(wanted));
        return;
    }
    auto job = std::make_shared<Job>(
        Job{.call = std::move(call), .wanted = std::move(*wanted), .answer = {}});
    const bool taken = rooms_.committer.change(
        [this, job](store::Tables& tables) { return apply(tables, *job); },
        [job](const Result<void>& applied) {
            if (!applied) {
                const bool busy = applied.error().code == ErrorCode::busy;
                job->answer = refuse(busy ? Refusal::overloaded : Refusal::internal);
            }
            job->call.responder.answer(std::move(job->answer));
        });
    if (!taken) {
        job->call.responder.answer(refuse(Refusal::overloaded));
    }
}

Checked<DeviceAddnew::Wanted> DeviceAddnew::decode(const JsonFields& fields) const {
    const auto* number = fields.find("device");
    const auto parsed = number != nullptr && (number->is_string() || number->is_integer())
                            ? model::PhoneNumber::parse(number->text)
                            : std::nullopt;
    if (!parsed || !admission::recipient_possible(number->text)) {
        return refuse(Refusal::device_number_invalid);
    }
    Wanted wanted{.number = *parsed, .webhook = {}};
    if (const auto* webhook = fields.find("webhook")) {
        if (!webhook->is_string() ||
            (!webhook->text.empty() &&
             !outbound::admit_url(webhook->text, options_.webhook_schemes, rooms_.policy))) {
            return refuse(Refusal::webhook_url_invalid);
        }
        wanted.webhook = webhook->text;
    }
    return wanted;
}

/// Runs in the committer's transaction, which writes the device and the record of this request.
Result<void> DeviceAddnew::apply(store::Tables& tables, Job& job) const {
    auto checked = check_caller(tables, job);
    if (!checked) {
        return pass(checked);
    }
    if (!*checked) {
        job.answer = pass(*checked);
        return {};
    }
    auto& record = job.call.idempotency;
    if (record) {
        const auto first = tables.find_idempotency(record->account, record->key);
        if (!first) {
            return pass(first);
        }
        if (*first && (*first)->holds(record->created_at)) {
            job.answer = rooms_.idempotency.repeat(**first, *record);
            return {};
        }
    }
    auto added = add(tables, job);
    if (!added) {
        return pass(added);
    }
    if (!*added) {
        job.answer = pass(*added);
        return {};
    }
    job.answer = http::Reply{.body = std::string{success_body}};
    if (record) {
        record->status = job.answer->status;
        record->answer = success_body;
        return tables.put_idempotency(*record);
    }
    return {};
}

/// The key may have been revoked, and the account's validity may have ended, since the call came
/// in.
Result<Checked<void>> DeviceAddnew::check_caller(store::Tables& tables, const Job& job) const {
    const auto now = rooms_.clock.now();
    const auto key = tables.find_key(job.call.principal.key.key->id);
    if (!key) {
        return pass(key);
    }
    if (!*key || !admission::is_live(**key, now)) {
        return Checked<void>{refuse(Refusal::key_invalid)};
    }
    const auto account = tables.find_account((**key).account);
    if (!account) {
        return pass(account);
    }
    return *account ? admission::check_validity(**account, now)
                    : Checked<void>{refuse(Refusal::key_invalid)};
}

Result<Checked<void>> DeviceAddnew::add(store::Tables& tables, const Job& job) const {
    const auto account = tables.find_account(job.call.principal.account().id);
    if (!account) {
        return pass(account);
    }
    if (!*account || (*account)->plan != model::Plan::paid) {
        return Checked<void>{refuse(Refusal::plan_forbids_devices)};
    }
    model::Device device{.number = job.wanted.number,
                         .account = (*account)->id,
                         .connector = options_.default_connector,
                         .webhook_url = job.wanted.webhook.value_or("")};
    (void)rooms_.connectors.prepare(device);  // If its connector is missing, the device waits.
    device.created_at = device.state_since = rooms_.clock.now();
    const auto before = tables.find_device(device.number);
    if (!before) {
        return pass(before);
    }
    const auto decision = tables.add_device(device, job.wanted.webhook.has_value());
    if (!decision) {
        return pass(decision);
    }
    switch (decision->result) {
        case store::DeviceDecision::Result::owned_by_another:
            return Checked<void>{refuse(Refusal::device_taken)};
        case store::DeviceDecision::Result::no_room:
            return Checked<void>{refuse(Refusal::devices_exhausted)};
        case store::DeviceDecision::Result::added:
            if (auto announced = announce_(tables, decision->device); !announced) {
                return pass(announced);
            }
            break;
        case store::DeviceDecision::Result::known:
            if (!job.wanted.webhook) {
                return {};
            }
            break;
    }
    auto recorded = record(tables, job, *before, decision->device);
    return recorded ? Result<Checked<void>>{} : pass(recorded);
}

/// Writes the entry in the log of changes, as manage/change_log.hpp does for the catalogue.
Result<void> DeviceAddnew::record(store::Tables& tables, const Job& job,
                                  const std::optional<model::Device>& before,
                                  const model::Device& device) const {
    // Only the webhook of an existing device is changed.
    const auto shown = [&](const model::Device& one) {
        auto all = manage::view(one);
        return boost::json::serialize(before ? boost::json::object{{"webhook", all["webhook"]}}
                                             : std::move(all));
    };
    const auto& key = *job.call.principal.key.key;
    const auto added = tables.people().add_audit({.at = rooms_.clock.now(),
                                                  .door = "network",
                                                  .actor = key.id.text(),
                                                  .actor_name = key.hint,
                                                  .account = device.account,
                                                  .operation = "POST /v1/device/addnew",
                                                  .object = device.number.text(),
                                                  .before = before ? shown(*before) : std::string{},
                                                  .after = shown(device)});
    return added ? Result<void>{} : pass(added);
}

}  // namespace merpati::api
