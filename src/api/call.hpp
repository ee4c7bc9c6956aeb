// One call of an account's operation, and the right to answer it.
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

/// Called once for each refusal of a call, for metrics. Any thread.
using RefusalListener = std::function<void(Refusal)>;

/// The right to answer one call, in the words of its revision; the lines that every answer to it
/// carries; and its hold on its Idempotency-Key. The hold ends before the answer is given: whoever
/// has the answer may repeat the request at once. One that is destroyed unused answers 500.
class CallResponder {
public:
    /// The listener must outlive it, and may be empty.
    CallResponder(http::Responder responder, const RefusalListener& on_refused)
        : responder_(std::move(responder)), on_refused_(&on_refused) {}

    void set_revision(model::Revision revision) noexcept { revision_ = revision; }
    void add_headers(std::string_view lines);
    void hold(KeysInFlight::Hold hold) noexcept { hold_ = std::move(hold); }

    /// A refusal is counted, worded, and says when to try again where that helps.
    void answer(Checked<http::Reply> answer);

private:
    http::Responder responder_;
    const RefusalListener* on_refused_;
    model::Revision revision_ = model::Revision::a;
    std::string headers_;
    KeysInFlight::Hold hold_;
};

/// A call that has passed key, body size, JSON, revision, validity, rate and Idempotency-Key.
struct Call {
    admission::Principal principal;
    model::Revision revision = model::Revision::a;
    JsonFields fields;
    std::optional<store::IdempotencyRecord> idempotency;  // Key and fingerprint; no answer yet.
    CallResponder responder;
};

}  // namespace merpati::api
