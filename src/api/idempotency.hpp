// Idempotency-Key: a repeated request is carried out once (decisions.md, Idempotency).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "admission/caller_rights.hpp"
#include "api/call.hpp"
#include "api/idempotency_ledger.hpp"
#include "api/manage/engine/call_threads.hpp"
#include "http/reply.hpp"
#include "http/request.hpp"
#include "store/reader_pool.hpp"
#include "store/records.hpp"

namespace merpati::api {

/// What requests with an Idempotency-Key are answered by the operations of Scope::account.
/// (IdempotentCalls does the same for the catalogue.)
///
/// Operation: Authenticator calls `enter` after its own checks and before those of the operation. A
/// repeat gets the stored answer of the first request with its key, even if the operation's checks
/// would now fail. If the first request was carried out but never answered, the repeat gets an
/// answer for the present state of its message. A first request goes on: its operation stores
/// Call::idempotency, with the answer, in the transaction that carries out the request. A refused
/// request stores nothing, and its key stays free. When a call gets its thread, its caller must
/// still have its rights (CallerRights), also for a repeat.
///
/// Faults: if the process dies, the key of a committed request is in the store, and the key of an
/// uncommitted one is free.
///
/// Threads: any. `enter` does not block: the store is read on threads of this class, where
/// accounts are served in turn (CallThreads). A slow disk therefore delays only requests with a
/// key.
///
/// Limits: `waiting_of_account_max` calls of an account wait for a thread, `waiting_max` in all.
/// Further ones are refused overloaded; of all, those of the account with the most give way
/// (CallThreads). One held key per open request.
class Idempotency {
public:
    /// An account's burst: one thread looks up some thousand keys a second.
    static constexpr std::size_t waiting_of_account_max = 256;
    static constexpr std::size_t waiting_max = 2'048;

    Idempotency(IdempotencyLedger& ledger, store::ReaderPool& readers,
                const admission::CallerRights& rights)
        : ledger_(ledger), readers_(readers), rights_(rights) {}
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
    /// answered. Refused overloaded: too many calls wait, or the threads do not run.
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
    [[nodiscard]] http::Reply recall(const store::IdempotencyRecord& first) const;

    IdempotencyLedger& ledger_;
    store::ReaderPool& readers_;
    const admission::CallerRights& rights_;
    manage::CallThreads look_ups_{"idempotency", manage::CallThreads::threads_count,
                                  waiting_of_account_max, waiting_max};
};

/// What distinguishes a published request from others with its key. `revision` is empty where the
/// operation has none.
[[nodiscard]] std::string published_request(std::string_view path, std::string_view revision,
                                            std::string_view body);

}  // namespace merpati::api
