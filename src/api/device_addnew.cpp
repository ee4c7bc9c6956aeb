#include "api/device_addnew.hpp"

#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "admission/checks.hpp"
#include "api/manage/devices/new_device.hpp"
#include "api/manage/engine/call.hpp"
#include "api/manage/engine/change_log.hpp"
#include "api/operation.hpp"
#include "api/texts/successes.hpp"

namespace merpati::api {
namespace {

/// The answer to a request that succeeds.
std::string success_body() {
    return fmt::format(
        R"({{"success":true,"message":"{}","data":{{"status":"success","code":200}}}})",
        successes::device_added);
}

/// Undoes the transaction of a request that is answered by `Job::answer`.
std::unexpected<Error> undo() {
    return fail(ErrorCode::refused, "the request is refused or a repeat");
}

/// The answer to a request whose change was not written.
Refusal refusal_of(ErrorCode code) {
    return code == ErrorCode::unavailable ? Refusal::storage_unavailable
           : code == ErrorCode::busy      ? Refusal::overloaded
                                          : Refusal::internal;
}

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
    manage::Call logged;                           // The call, as the log of changes sees it.
    std::optional<Checked<http::Reply>> answer{};  // Empty: the store has failed.
};

void DeviceAddnew::handle(Call&& call) {
    auto wanted = decode(call.fields);
    if (!wanted) {
        call.responder.answer(pass(wanted));
        return;
    }
    manage::Call logged{.principal = call.principal,
                        .needs = {},
                        .id = {},
                        .fields = {},
                        .head = {.accept = {}, .door = "network", .id = call.request_id},
                        .account = call.principal.account().id};
    auto job = std::make_shared<Job>(
        Job{.call = std::move(call), .wanted = std::move(*wanted), .logged = std::move(logged)});
    const bool taken = rooms_.committer.change(
        [this, job](store::Tables& tables) { return apply(tables, *job); },
        [job](const Result<void>& applied) {
            const bool undone = !applied && applied.error().code == ErrorCode::refused;
            if (!job->answer || (!applied && !undone)) {
                job->answer =
                    refuse(applied ? Refusal::internal : refusal_of(applied.error().code));
            }
            job->call.responder.answer(*std::move(job->answer));
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
    const auto checked = rooms_.rights.check(tables, job.call.principal);
    if (!checked) {
        return pass(checked);
    }
    if (!*checked) {
        job.answer = pass(*checked);
        return undo();
    }
    if (!rooms_.ownership.works_for(job.call.principal.account().id)) {
        job.answer = refuse(Refusal::elsewhere);
        return undo();
    }
    const manage::LoggedChange logged{
        {.clock = rooms_.clock, .directory = rooms_.directory, .rights = rooms_.rights},
        *job.call.operation,
        job.logged};
    manage::Change change = [this, &job](store::Tables& inside) { return decide(inside, job); };
    return logged.run(tables, change);
}

Result<void> DeviceAddnew::decide(store::Tables& tables, Job& job) const {
    auto& record = job.call.idempotency;
    if (record) {
        const auto first = IdempotencyLedger::first_in(tables, *record);
        if (!first) {
            return pass(first);
        }
        if (*first) {
            job.answer = rooms_.idempotency.repeat(**first, *record);
            return undo();
        }
    }
    auto added = add(tables, job);
    if (!added) {
        return pass(added);
    }
    if (!*added) {
        job.answer = pass(*added);
        return undo();
    }
    const auto body = success_body();
    job.answer = http::Reply{.body = body};
    if (record) {
        record->status = 200;
        record->answer = body;
        return tables.put_idempotency(*record);
    }
    return {};
}

Result<Checked<void>> DeviceAddnew::add(store::Tables& tables, Job& job) const {
    const auto account = tables.find_account(job.call.principal.account().id);
    if (!account) {
        return pass(account);
    }
    if (!*account) {
        return fail(ErrorCode::not_found, "there is no such account");
    }
    const auto added = manage::add_device(tables, rooms_.devices, **account,
                                          {.number = job.wanted.number,
                                           .connector = options_.default_connector,
                                           .webhook = job.wanted.webhook,
                                           .waits_for_connector = true},
                                          rooms_.clock.now());
    if (!added) {
        return pass(added);
    }
    if (!*added) {
        return Checked<void>{refuse(added->error().reason)};
    }
    job.logged.changed_nothing = !(*added)->written;
    return {};
}

}  // namespace merpati::api
