// What the platform's error codes mean for a message and for its number.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.hpp"
#include "connector/cloud/codec/graph_error.hpp"
#include "model/outcome.hpp"

namespace merpati::connector::cloud {

enum class Meaning : std::uint8_t {
    fails,             // The message fails for good; Verdict::code says why.
    window_closed,     // The recipient's last message is too old for a free text: only a template.
    passing,           // The same message may succeed later.
    holds_number,      // The number sends too much: nothing of it may be sent for a while.
    holds_pair,        // Too much to this recipient.
    ends_number,       // The token or the number cannot be used: a person must act.
    restricts_number,  // The platform has restricted or locked the account: a person must act.
};

struct Verdict {
    Meaning meaning = Meaning::fails;
    model::StatusCode code = model::StatusCode::failed;  // Of `fails`.
};

/// Decides by the code; by the HTTP status only where the code is not in the table: 429 and 5xx are
/// passing, and so is an answer that is not in the platform's form. `phone_number_id`: of the
/// number that sent. Source: research on the platform's documented codes (docs/cloud.md lists
/// them).
[[nodiscard]] Verdict judge(const GraphError& error, std::string_view phone_number_id);

/// Whether the error may be about the id of an uploaded file.
[[nodiscard]] bool may_refuse_media_id(const GraphError& error, const Verdict& verdict);

/// The outcome of a message that the platform did not take, except for `window_closed`, which is a
/// failure here. `pair_wait`: for `holds_pair`, if the platform does not say how long.
[[nodiscard]] model::Outcome outcome_of(const GraphError& error, const Verdict& verdict,
                                        std::string_view token, Timestamp now, Millis pair_wait);

}  // namespace merpati::connector::cloud
