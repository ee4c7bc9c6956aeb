// One call of an operation of Scope::account, and the right to answer it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "admission/principal.hpp"
#include "api/errors.hpp"
#include "api/json_fields.hpp"
#include "api/keys_in_flight.hpp"
#include "http/reply.hpp"
#include "model/account.hpp"
#include "store/records.hpp"

namespace merpati::api {

struct Operation;

/// Called once for each refusal of a call, for metrics. Any thread.
using RefusalListener = std::function<void(Refusal)>;

/// The right to answer one call, once.
///
/// Operation: keeps the revision in which refusals are worded, the headers that every answer to the
/// call carries, and the hold on its Idempotency-Key. The hold ends before the answer is sent, so
/// that a client can repeat the request as soon as it has the answer. A responder that is destroyed
/// unused answers 500.
class CallResponder {
public:
    /// The listener may be empty. It must outlive the responder.
    CallResponder(http::Responder responder, const RefusalListener& on_refused)
        : responder_(std::move(responder)), on_refused_(&on_refused) {}

    void set_revision(model::Revision revision) noexcept { revision_ = revision; }
    void add_headers(std::string_view lines);
    void hold(KeysInFlight::Hold hold) noexcept { hold_ = std::move(hold); }

    /// Sends a reply, or the catalogue's answer to a refusal. Refusals are reported to the
    /// listener.
    void answer(Checked<http::Reply> answer);

    /// Whether the client has hung up (http::Responder::is_gone).
    [[nodiscard]] bool is_gone() const noexcept { return responder_.is_gone(); }

private:
    http::Responder responder_;
    const RefusalListener* on_refused_;
    model::Revision revision_ = model::Revision::a;
    std::string headers_;
    KeysInFlight::Hold hold_;
};

/// A call that has passed the checks of Authenticator: key, scope, JSON, revision, validity, rate
/// and Idempotency-Key.
struct Call {
    const Operation* operation = nullptr;  // Static.
    std::string request_id{};              // X-Request-Id of the answer.
    admission::Principal principal;
    model::Revision revision = model::Revision::a;
    JsonFields fields;
    std::optional<store::IdempotencyRecord> idempotency;  // Key and fingerprint; no answer yet.
    CallResponder responder;
};

}  // namespace merpati::api
