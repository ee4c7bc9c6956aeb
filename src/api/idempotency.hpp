// Idempotency-Key: a request that is repeated is carried out once (decisions.md, Idempotency).
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

/// The one place that knows what an Idempotency-Key means, for every operation that takes one.
///
/// Operation: `enter` stands before every check that looks at the world. A repeat is answered
/// there, by what the first request with its key was answered, whatever has changed since; where
/// that one was carried out but never answered, by the state of its message. Only a first request
/// goes on; its operation stores Call::idempotency, with the answer, in the transaction that
/// carries the request out. A refused request stores nothing, and leaves its key free.
///
/// Faults: a request that was carried out when the process died is found in the store; one that
/// was not leaves its key free.
///
/// Threads: any. Limits: one held key per open request, so http's limits bound them.
class Idempotency {
public:
    explicit Idempotency(store::Store& store) : store_(store) {}

    /// What a request with a key is known by: path, revision (where the operation has any) and
    /// body. It has no answer yet.
    [[nodiscard]] store::IdempotencyRecord record_of(const http::Request& request,
                                                     std::string_view key,
                                                     std::string_view revision,
                                                     model::AccountId account, Timestamp now) const;

    /// Of a call with a key. True: it is the first, and its responder holds the key. False: it was
    /// a repeat, and is answered.
    [[nodiscard]] bool enter(Call& call);

    /// The answer to a repeat that only the transaction has found: `first` is the record that was
    /// there.
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
    std::unique_ptr<store::Reader> reader_;  // Opened when first needed.
};

/// Whether a key is 1 to 255 printable characters.
[[nodiscard]] bool well_formed_idempotency_key(std::string_view key) noexcept;

}  // namespace merpati::api
