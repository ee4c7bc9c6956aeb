// Idempotency-Key: a repeated request is carried out once (decisions.md, Idempotency).
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "api/call.hpp"
#include "api/keys_in_flight.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"
#include "store/records.hpp"
#include "store/store.hpp"

namespace merpati::api {

/// Idempotency-Keys of the operations of Scope::account. (IdempotentCalls does the same for the
/// catalogue.)
///
/// Operation: Authenticator calls `enter` after its own checks and before those of the operation. A
/// repeat gets the stored answer of the first request with its key, even if the operation's checks
/// would now fail. If the first request was carried out but never answered, the repeat gets an
/// answer for the present state of its message. A first request goes on: its operation stores
/// Call::idempotency, with the answer, in the transaction that carries out the request. A refused
/// request stores nothing, and its key stays free.
///
/// Faults: if the process dies, the key of a committed request is in the store, and the key of an
/// uncommitted one is free.
///
/// Threads: any. `enter` reads the store on the caller's thread, one call at a time.
///
/// Limits: one held key per open request, so http's limits bound them.
class Idempotency {
public:
    explicit Idempotency(store::Store& store) : store_(store) {}

    /// The record of a request, without an answer. Its fingerprint covers path, revision (empty
    /// where the operation has none) and body.
    [[nodiscard]] store::IdempotencyRecord record_of(const http::Request& request,
                                                     std::string_view key,
                                                     std::string_view revision,
                                                     model::AccountId account, Timestamp now) const;

    /// For a call with a key. True: the call is the first with its key, which its responder now
    /// holds. False: the call was a repeat, or reused the key, and has been answered.
    [[nodiscard]] bool enter(Call& call);

    /// The answer to request `now`, whose key the store already has, in record `first`. Refuses
    /// idempotency_key_reused when the fingerprints differ. For operations whose transaction finds
    /// a record that `enter` did not see.
    [[nodiscard]] Checked<http::Reply> repeat(const store::IdempotencyRecord& first,
                                              const store::IdempotencyRecord& now) const;

private:
    [[nodiscard]] Checked<http::Reply> answer_beside(const store::IdempotencyRecord& now,
                                                     const Sha256& in_flight);
    [[nodiscard]] std::optional<store::IdempotencyRecord> first_request(
        const store::IdempotencyRecord& now);
    [[nodiscard]] http::Reply recall(const store::IdempotencyRecord& first) const;

    store::Store& store_;
    KeysInFlight keys_in_flight_;
    std::mutex reader_mutex_;
    std::unique_ptr<store::Reader> reader_;  // Opened when needed, closed when it fails.
};

/// Whether a key is 1 to 255 printable characters.
[[nodiscard]] bool well_formed_idempotency_key(std::string_view key) noexcept;

}  // namespace merpati::api
