// What every key-authenticated operation does first: who calls, may they, and what do they send.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "admission/checks.hpp"
#include "api/errors.hpp"
#include "api/json_fields.hpp"
#include "base/queue_clock.hpp"
#include "http/request.hpp"
#include "model/account.hpp"
#include "store/idempotency.hpp"

namespace merpati::api {

/// Which published revision a request speaks (decisions.md, first rule that applies): the header
/// `X-Api-Revision`, the key's pin, the fields of the body, the server's default.
struct RevisionChoice {
    model::Revision revision = model::Revision::a;
    bool header_unknown = false;  // The header had another value than A or B.
};
[[nodiscard]] RevisionChoice choose_revision(std::optional<std::string_view> header,
                                             std::optional<model::Revision> pinned,
                                             const JsonFields* fields,
                                             model::Revision server_default);

/// A request that passed key, body size, JSON, revision, validity and rate.
struct Caller {
    admission::KeyEntry key;
    model::Revision revision = model::Revision::a;
    JsonFields fields;
    std::optional<store::IdempotencyRecord> idempotency;  // Key and fingerprint; no answer yet.
    std::string headers;  // RateLimit and, for send, X-Api-Revision: what every answer carries.

    [[nodiscard]] const model::Account& account() const { return key.account->account; }
};

struct EntranceOptions {
    model::Revision default_revision = model::Revision::a;
    std::optional<model::Rate> default_rate;
};

/// What is asked for. Revisions are those of send: device/addnew has one form only, so the header,
/// the key's pin and the default say nothing about it, and its errors are worded as A's.
enum class Operation : std::uint8_t { send, device_addnew };

/// The first half of decisions.md's order of checks. A refused request comes back as its answer.
class Entrance {
public:
    Entrance(const QueueClock& clock, const admission::Directory& directory,
             EntranceOptions options)
        : clock_(clock), directory_(directory), options_(options) {}

    /// Told of each refusal of a request that names an operation with a key, by those who answer
    /// with it too. Set before the server starts.
    std::function<void(Refusal)> on_refused;
    void note(Refusal refusal) const {
        if (on_refused) {
            on_refused(refusal);
        }
    }

    /// For http::Router::before_too_large: a wrong key is told before a body that is too large, and
    /// send's answer names the revision, as far as the head alone tells it.
    [[nodiscard]] std::optional<http::Reply> before_too_large(const http::Request& request) const;

    [[nodiscard]] std::variant<Caller, http::Reply> admit(const http::Request& request,
                                                          Operation operation) const;

private:
    const QueueClock& clock_;
    const admission::Directory& directory_;
    EntranceOptions options_;
};

}  // namespace merpati::api
