#include "api/manage/engine/manage.hpp"

#include <algorithm>
#include <exception>
#include <future>
#include <memory>
#include <set>
#include <source_location>
#include <unistd.h>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "api/manage/engine/change_log.hpp"
#include "api/manage/engine/entity_tag.hpp"
#include "api/manage/engine/idempotent_calls.hpp"
#include "api/manage/engine/typed_number.hpp"
#include "api/manage/engine/whereabouts.hpp"
#include "base/ascii.hpp"
#include "base/utf8.hpp"
#include "http/router.hpp"

namespace merpati::api::manage {
namespace {

using namespace std::chrono_literals;

/// Whether Manage runs the operation's handler.
bool is_ours(const Operation& operation) {
    return std::holds_alternative<Handler*>(operation.answerer) ||
           std::holds_alternative<LateHandler*>(operation.answerer) || operation.is_streamed() ||
           operation.is_upload();
}

/// Waits for the answer, if it comes later.
Outcome await(Outcome outcome) {
    if (outcome.later == nullptr) {
        return outcome;
    }
    auto promise = std::make_shared<std::promise<Outcome>>();
    auto answer = promise->get_future();
    outcome.later->begin([promise](Outcome late) { promise->set_value(std::move(late)); });
    return answer.get();
}

/// The header `Link` to the next page (RFC 8288): the same request with the next cursor.
std::string link_to_next(const Request& request, const boost::json::value& answer) {
    const auto* object = answer.if_object();
    const auto* next = object == nullptr ? nullptr : object->if_contains("next");
    if (next == nullptr || !next->is_string()) {
        return {};
    }
    std::string target = request.path + '?';
    std::string_view query = request.query;
    while (!query.empty()) {
        const auto parameter = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(parameter.size() + 1, query.size()));
        if (!parameter.starts_with("cursor=")) {
            target.append(parameter).append("&");
        }
    }
    return fmt::format("Link: <{}cursor={}>; rel=\"next\"\r\n", target,
                       std::string_view{next->get_string()});
}

/// Of the request's body, without parameters.
std::string media_type_of(const http::Request& request) {
    constexpr std::size_t type_bytes_max = 128;
    auto type = request.header("Content-Type").value_or("");
    type = type.substr(0, type.find(';'));
    type = type.substr(0, std::min(type.find_last_not_of(" \t") + 1, type_bytes_max));
    return lower_case(type);
}

}  // namespace

RequestHead RequestHead::of(const http::Request& request, const AppAddress& app) {
    constexpr std::size_t agent_bytes_max = 200;
    const auto copy = [&](std::string_view name) {
        const auto value = request.header(name);
        return value ? std::optional<std::string>{*value} : std::nullopt;
    };
    return {.accept = std::string{request.header("Accept").value_or("")},
            .content_type = media_type_of(request),
            .if_match = copy("If-Match"),
            .if_none_match = copy("If-None-Match"),
            .idempotency_key = copy("Idempotency-Key"),
            .door = request.from_local_socket ? "socket" : "network",
            .id = std::string{request.id},
            .address = app.client(request).text(),
            .agent = std::string{utf8_prefix(request.header("User-Agent").value_or(""),
                                             agent_bytes_max)},
            .language = language_of(request.header("Accept-Language").value_or("")),
            .is_own = is_own_request(request),
            .is_secure = app.is_secure(request),
            .may_sign_in = app.may_sign_in(request)};
}

Outcome Manage::handle(http::Method method, std::string_view path, std::string_view query,
                       std::string_view body) {
    return handle({.method = method,
                   .path = std::string{path},
                   .query = std::string{query},
                   .body = std::string{body},
                   .head = {.content_type = std::string{json_type}}});
}

Outcome Manage::handle_upload(http::Method method, std::string_view path, std::string_view query,
                              std::string_view type, Upload& body) {
    return handle({.method = method,
                   .path = std::string{path},
                   .query = std::string{query},
                   .body = {},
                   .head = {.content_type = std::string{type}},
                   .upload = &body});
}

Outcome Manage::handle(const Request& request) {
    for (const auto& operation : operations()) {
        const bool takes_body = request.upload == nullptr || operation.is_upload();
        if (is_ours(operation) && takes_body && operation.method == request.method &&
            http::match_path(operation.path, request.path)) {
            return await(run(operation, request, admission::Principal::local(::geteuid())));
        }
    }
    return refuse(request.path, true);
}

Outcome Manage::run(const Operation& operation, const Request& request,
                    admission::Principal principal) {
    const bool for_administrator = principal.is_administrator();
    try {
        return try_run(operation, request, std::move(principal));
    } catch (const std::exception& exception) {
        return failed({.code = ErrorCode::io_failed,
                       .detail = fmt::format("{} {}: {}", http::to_string(operation.method),
                                             operation.path, exception.what()),
                       .origin = std::source_location::current()},
                      for_administrator);
    }
}

Outcome Manage::try_run(const Operation& operation, const Request& request,
                        admission::Principal&& principal) {
    if (auto refusal = check_scope(operation, principal)) {
        return *std::move(refusal);
    }
    auto id = percent_decode(http::match_path(operation.path, request.path).value_or(""));
    if (!id) {
        return problem(400, "invalid_argument", "the id in the path is malformed");
    }
    auto fields = operation.is_upload() ? Fields::from_query(request.query)
                                        : Fields::of(operation.method, request.query, request.body);
    if (!fields) {
        return problem(fields.error(), false);
    }
    // The log of changes, and look-ups, know a device or a person by its number in international
    // form.
    if (operation.resource == Resource::device || operation.resource == Resource::recipient) {
        id = international(*id).or_else([&] { return id; });
    }
    Call call{.principal = std::move(principal),
              .needs = operation.needs,
              .id = *std::move(id),
              .fields = *std::move(fields),
              .head = request.head,
              .edited = operation.edited};
    if (context_.ownership != nullptr) {
        if (auto other = find_elsewhere(operation, call)) {
            return *std::move(other);
        }
    }
    if (auto* const* handler = std::get_if<StreamHandler*>(&operation.answerer)) {
        return stream(operation, *handler, call);
    }
    if (auto* const* late = std::get_if<LateHandler*>(&operation.answerer)) {
        return answer_later(*late, call);
    }
    const IdempotentCalls::Work work = [&](const Context& used) {
        return carry_out(used, operation, request, call);
    };
    if (operation.idempotent && request.head.idempotency_key) {
        const IdempotentCalls once{context_};
        auto outcome = once.run(request, call.principal, operation.shown_once, work);
        return outcome ? *std::move(outcome) : failed(outcome.error(), call);
    }
    return work(context_);
}

/// Nothing was done yet, so that another node can do it. While the account leaves, only changes
/// wait: its rooms do not follow them any more.
std::optional<Outcome> Manage::find_elsewhere(const Operation& operation, Call& call) const {
    const auto meant = account_meant(context_, operation, call);
    if (!meant) {
        return failed(meant.error(), call);
    }
    const auto& ownership = *context_.ownership;
    const bool asks = operation.method == http::Method::get;
    if (*meant && !(asks ? ownership.answers_for(**meant) : ownership.works_for(**meant))) {
        return elsewhere(**meant);
    }
    call.placed = *meant;
    return std::nullopt;
}

Outcome Manage::failed(const Error& error, const Call& call) const {
    if (error.code == ErrorCode::elsewhere && call.placed && !call.has_changed) {
        return elsewhere(*call.placed);
    }
    if (error.code == ErrorCode::forbidden && call.account &&
        call.principal.is_expired_in(*call.account)) {
        return account_expired();
    }
    if (call.answer.refusal) {
        return problem(*call.answer.refusal, call.answer.retry_after.value_or(0s));
    }
    auto outcome = failed(error, call.principal.is_administrator(), call.fields.mistakes());
    add_problems(outcome, call.answer.problems);
    if (outcome.status == 429 && call.answer.retry_after) {
        return with_retry_after(std::move(outcome), *call.answer.retry_after);
    }
    return outcome;
}

Outcome Manage::failed(const Error& error, bool for_administrator,
                       std::span<const Mistake> mistakes) const {
    const bool faulty = error.code == ErrorCode::store_failed || error.code == ErrorCode::damaged ||
                        error.code == ErrorCode::io_failed;
    if (faulty) {
        report(error);
    }
    return problem(error, for_administrator, mistakes);
}

void Manage::report(const Error& fault) const {
    if (context_.on_fault) {
        context_.on_fault(fault);
    }
}

Outcome Manage::carry_out(const Context& context, const Operation& operation,
                          const Request& request, Call& call) const {
    const ChangeLog changes{context, operation, call};
    if (!operation.recorded_first) {
        return answer(changes.context(), operation, request, call);
    }
    ChangeLog action{context_, operation, call};
    if (auto begun = action.begin(); !begun) {
        return failed(begun.error(), call);
    }
    auto outcome = answer(changes.context(), operation, request, call);
    action.end(outcome.code.empty() ? std::string_view{"done"} : outcome.code);
    return outcome;
}

Outcome Manage::stream(const Operation& operation, StreamHandler* handler, Call& call) const {
    const ChangeLog log{context_, operation, call};
    const auto logged = log.context();
    auto lines = handler(operation.method == http::Method::get ? context_ : logged, call);
    if (!lines) {
        return failed(lines.error(), call);
    }
    const auto type = (*lines)->content_type();
    return {.content_type = type, .headers = std::string{not_stored}, .lines = std::move(*lines)};
}

Outcome Manage::answer_later(LateHandler* handler, Call& call) const {
    auto begin = handler(context_, call);
    if (!begin) {
        return failed(begin.error(), call);
    }
    auto later = std::make_unique<LateOutcome>();
    later->begin = [this, for_administrator = call.principal.is_administrator(),
                    begin = std::move(*begin)](auto done) mutable {
        begin([this, for_administrator, done = std::move(done)](Result<LateAnswer> late) mutable {
            if (!late) {
                done(failed(late.error(), for_administrator));
                return;
            }
            Outcome outcome{.headers = std::move(late->headers) + std::string{not_stored},
                            .lines = std::move(late->lines)};
            if (outcome.lines != nullptr) {
                outcome.content_type = outcome.lines->content_type();
            } else {
                outcome.body = boost::json::serialize(late->value);
            }
            done(std::move(outcome));
        });
    };
    return {.later = std::move(later)};
}

Outcome Manage::answer(const Context& context, const Operation& operation, const Request& request,
                       Call& call) const {
    if (auto* const* upload = std::get_if<UploadHandler*>(&operation.answerer)) {
        return answer_upload(context, *upload, request, call);
    }
    const auto answered = std::get<Handler*>(operation.answerer)(context, call);
    if (!answered) {
        return failed(answered.error(), call);
    }
    auto& head = call.answer;
    Outcome outcome{.status = head.status, .headers = std::move(head.headers)};
    if (head.text) {
        outcome.body = *std::move(head.text);
        outcome.content_type = head.content_type;
        outcome.headers += not_stored;
        return outcome;
    }
    outcome.body = boost::json::serialize(*answered);
    if (operation.edited.empty() || operation.method == http::Method::del) {
        outcome.headers += link_to_next(request, *answered);
        outcome.headers += not_stored;
        return outcome;
    }
    const auto tag = entity_tag(answered->get_object(), operation.edited);
    outcome.headers += fmt::format("ETag: {}\r\nCache-Control: private, no-cache\r\n", tag);
    const auto& known = request.head.if_none_match;
    if (operation.method == http::Method::get && known && is_unmodified(*known, tag)) {
        outcome.status = 304;
        outcome.body.clear();
    }
    return outcome;
}

Outcome Manage::answer_upload(const Context& context, UploadHandler* handler,
                              const Request& request, Call& call) const {
    TextUpload text{request.body};
    Upload& pieces = request.upload != nullptr ? *request.upload : text;
    WholeUpload whole{pieces, json_upload_max};
    const bool is_json = call.head.content_type == json_type;
    const auto answered = handler(context, call, is_json ? whole : pieces);
    if (!answered) {
        return whole.is_too_large() ? body_too_large() : failed(answered.error(), call);
    }
    return {.status = call.answer.status,
            .body = boost::json::serialize(*answered),
            .headers = std::move(call.answer.headers) + std::string{not_stored}};
}

std::optional<Outcome> Manage::check_scope(const Operation& operation,
                                           const admission::Principal& principal) {
    if (operation.scope == Scope::machine &&
        principal.kind != admission::Principal::Kind::local_operator) {
        return problem(403, "forbidden", "this is for the operator of the machine alone");
    }
    if (operation.scope != Scope::catalogue) {
        return std::nullopt;
    }
    if (principal.kind == admission::Principal::Kind::anyone) {
        return unauthenticated();
    }
    if (operation.needs && principal.lost_by_expiry(*operation.needs)) {
        return operation.judges_validity ? std::nullopt : std::optional{account_expired()};
    }
    if (operation.needs && !principal.permits_somewhere(*operation.needs)) {
        return problem(403, "forbidden",
                       fmt::format("this needs the scope {}", model::to_string(*operation.needs)));
    }
    return std::nullopt;
}

bool Manage::has_sessions_from(const http::PeerAddress& peer) const {
    return context_.directory.people().has_sessions_from(peer.text());
}

Outcome Manage::refuse(std::string_view path, bool is_local) {
    using http::Method;
    std::set<Method> methods;
    for (const auto& operation : operations()) {
        const bool is_offered = is_local || operation.scope != Scope::machine;
        if (is_offered && http::match_path(operation.path, path)) {
            methods.insert(operation.method);
        }
    }
    if (methods.contains(Method::get)) {
        methods.insert(Method::head);
    }
    std::string allow;
    for (const auto method : methods) {
        allow.append(allow.empty() ? "" : ", ").append(http::to_string(method));
    }
    if (allow.empty()) {
        return problem(404, "not_found", "there is nothing at this path");
    }
    auto refusal = problem(405, "method_not_allowed", "this path takes " + allow + " only");
    refusal.headers = "Allow: " + allow + "\r\n";
    return refusal;
}

}  // namespace merpati::api::manage
