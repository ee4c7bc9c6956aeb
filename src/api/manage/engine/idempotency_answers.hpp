// What calls of the catalogue with an Idempotency-Key have in common.
#pragma once

#include "admission/principal.hpp"
#include "api/idempotency_ledger.hpp"
#include "api/manage/engine/problem.hpp"
#include "base/clock.hpp"
#include "store/records.hpp"

namespace merpati::api::manage {

struct Request;

/// The record of a request that has a key, without an answer. The keys of an account's API keys are
/// stored under the account. Those of people and of the local operator are stored without an
/// account, with the caller's name as a prefix.
[[nodiscard]] store::IdempotencyRecord idempotency_record(const IdempotencyLedger& ledger,
                                                          const Request& request,
                                                          const admission::Principal& caller,
                                                          Timestamp now);

/// 400: the key has the wrong form (IdempotencyLedger::is_well_formed).
[[nodiscard]] Outcome idempotency_key_malformed();

/// The answer to request `now` while one with this fingerprint has its key: 409, or 422 for another
/// request.
[[nodiscard]] Outcome beside(const Sha256& in_flight, const store::IdempotencyRecord& now);

/// The answer to request `now` after `first`, which has its key: the first answer; 422 if it was
/// another request; 409 if it was never answered.
[[nodiscard]] Outcome repeat_of(const store::IdempotencyRecord& first,
                                const store::IdempotencyRecord& now);

}  // namespace merpati::api::manage
