// Idempotency-Key: a repeated request is carried out once (decisions.md, Idempotency).
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.hpp"
#include "api/keys_in_flight.hpp"
#include "api/manage/engine/workers.hpp"
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
/// Threads: any. `enter` does not block: the store is read on threads of this class, where
/// accounts are served in turn (Workers). A slow disk therefore delays only requests with a key.
///
/// Limits: one held key, and one call that waits for a thread, per open request, so http's limits
/// bound them.
class Idempotency {
public:
    explicit Idempotency(store::Store& store) : store_(store) {}
    ~Idempotency() { stop(); }
    Idempotency(const Idempotency&) = delete;
    Idempotency& operator=(const Idempotency&) = delete;

    /// Called with exceptions of calls that proceed. Set before `start`; may be empty.
    std::function<void(const Error&)> on_fault;

    void start();

    /// Refuses calls that wait, and joins the threads. Idempotent.
    void stop() { look_ups_.stop(); }

    /// The record of a request, without an answer. Its fingerprint covers path, revision (empty
    /// where the operation has none) and body.
    [[nodiscard]] store::IdempotencyRecord record_of(const http::Request& request,
                                                     std::string_view key,
                                                     std::string_view revision,
                                                     model::AccountId account, Timestamp now) const;

    using Proceed = std::move_only_function<void(Call&&)>;

    /// For a call with a key. If it is the first with its key, its responder then holds the key and
    /// `proceed` is called, on a thread of this class. If it is a repeat or reuses the key, it is
    /// answered. Refused overloaded: the threads do not run.
    void enter(Call&& call, Proceed proceed);

    /// The answer to request `now`, whose key the store already has, in record `first`. Refuses
    /// idempotency_key_reused when the fingerprints differ. For operations whose transaction finds
    /// a record that `enter` did not see.
    [[nodiscard]] Checked<http::Reply> repeat(const store::IdempotencyRecord& first,
                                              const store::IdempotencyRecord& now) const;

private:
    [[nodiscard]] Checked<http::Reply> answer_beside(const store::IdempotencyRecord& now,
                                                     const Sha256& in_flight);
    void look_up(Call&& call, const std::optional<Sha256>& in_flight, Proceed& proceed);
    [[nodiscard]] std::optional<store::IdempotencyRecord> first_request(
        const store::IdempotencyRecord& now);
    [[nodiscard]] std::unique_ptr<store::Reader> borrow_reader();
    void give_back(std::unique_ptr<store::Reader> reader);
    [[nodiscard]] http::Reply recall(const store::IdempotencyRecord& first) const;

    store::Store& store_;
    KeysInFlight keys_in_flight_;
    std::mutex readers_mutex_;
    std::vector<std::unique_ptr<store::Reader>> readers_;  // Unused ones; at most one per thread.
    manage::Workers look_ups_{"idempotency"};
};

/// Whether a key is 1 to 255 printable characters.
[[nodiscard]] bool well_formed_idempotency_key(std::string_view key) noexcept;

}  // namespace merpati::api
