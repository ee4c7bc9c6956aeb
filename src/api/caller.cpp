#include "api/caller.hpp"

#include <fmt/format.h>

#include "api/idempotency.hpp"

namespace merpati::api {
namespace {

http::Reply with_headers(http::Reply reply, const std::string& headers) {
    reply.headers += headers;
    return reply;
}

http::Reply wrong_key() {
    auto reply = failure(Refusal::key_invalid);
    reply.add_header("WWW-Authenticate", "Bearer");
    return reply;
}

std::string revision_header(model::Revision revision) {
    return fmt::format("X-Api-Revision: {}\r\n", model::to_string(revision));
}

/// "50 in 1 s, 49 left, full again in 1 s", in the two fields of the IETF draft.
std::string rate_headers(const model::Rate& rate, const admission::RateVerdict& verdict) {
    return fmt::format("RateLimit-Policy: \"send\";q={};w={}\r\nRateLimit: \"send\";r={};t={}\r\n",
                       rate.count, rate.period.count(), verdict.remaining,
                       std::chrono::ceil<std::chrono::seconds>(verdict.reset).count());
}

}  // namespace

RevisionChoice choose_revision(std::optional<std::string_view> header,
                               std::optional<model::Revision> pinned, const JsonFields* fields,
                               model::Revision server_default) {
    if (const auto named = header ? model::parse_revision(*header) : std::nullopt) {
        return {.revision = *named};
    }
    // A header that is refused chooses nothing: the refusal is worded as the other rules say.
    RevisionChoice choice{.revision = server_default, .header_unknown = header.has_value()};
    if (pinned) {
        choice.revision = *pinned;
    } else if (fields != nullptr) {
        if (fields->has("message") || fields->has("callbackStatus") || fields->has("typing")) {
            choice.revision = model::Revision::a;
        } else if (fields->has("pesan")) {
            choice.revision = model::Revision::b;
        }
    }
    return choice;
}

std::optional<http::Reply> Entrance::before_too_large(const http::Request& request) const {
    // The key comes first in the order of checks; operations without one have nothing to say.
    const bool is_send = request.path == "/v1/send";
    if (!is_send && request.path != "/v1/device/addnew") {
        return std::nullopt;
    }
    const auto entry =
        admission::authenticate(request.authorization, directory_, clock_.wall_now());
    if (!entry) {
        note(Refusal::key_invalid);
        return wrong_key();
    }
    note(Refusal::body_too_large);
    auto reply = failure(Refusal::body_too_large);
    if (is_send) {
        const auto choice = choose_revision(request.header("X-Api-Revision"), entry->key->revision,
                                            nullptr, options_.default_revision);
        reply.headers += revision_header(choice.revision);
    }
    return reply;
}

std::variant<Caller, http::Reply> Entrance::admit(const http::Request& request,
                                                  Operation operation) const {
    const auto now = clock_.wall_now();
    auto key = admission::authenticate(request.authorization, directory_, now);
    if (!key) {
        note(Refusal::key_invalid);
        return wrong_key();
    }
    request.vouch();
    auto fields = JsonFields::parse(request.body);
    Caller caller;
    RevisionChoice choice;
    if (operation == Operation::send) {
        choice = choose_revision(request.header("X-Api-Revision"), key->key->revision,
                                 fields ? &*fields : nullptr, options_.default_revision);
        caller.headers = revision_header(choice.revision);
    }
    caller.revision = choice.revision;
    const auto refuse = [&](Refusal refusal) {
        note(refusal);
        return with_headers(failure(refusal, caller.revision), caller.headers);
    };
    if (!fields) {
        return refuse(Refusal::json_invalid);
    }
    if (choice.header_unknown) {
        return refuse(Refusal::revision_unknown);
    }
    const auto& account = key->account->account;
    if (const auto refusal = admission::check_validity(account, now)) {
        return refuse(*refusal);
    }
    if (const auto verdict =
            admission::check_rate(*key->account, options_.default_rate, clock_.steady_now())) {
        const auto rate = admission::effective_rate(account, options_.default_rate);
        caller.headers += rate_headers(*rate, *verdict);
        if (!verdict->allowed) {
            auto reply = refuse(Refusal::rate_exceeded);
            const auto wait = std::chrono::ceil<std::chrono::seconds>(verdict->retry_after);
            reply.add_header("Retry-After", std::to_string(wait.count()));
            return reply;
        }
    }
    if (const auto header = request.header("Idempotency-Key")) {
        if (!well_formed_idempotency_key(*header)) {
            return refuse(Refusal::idempotency_key_invalid);
        }
        // The revision as it was chosen, by whatever rule: an answer of A is none to a B request.
        const auto revision =
            operation == Operation::send ? model::to_string(caller.revision) : std::string_view{};
        caller.idempotency =
            idempotency_record(request, *header, revision, account.id, clock_.now());
    }
    caller.key = std::move(*key);
    caller.fields = std::move(*fields);
    return caller;
}

}  // namespace merpati::api
