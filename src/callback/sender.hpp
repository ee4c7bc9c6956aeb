// Delivers callbacks: signed, retried, with a queue for each endpoint.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/encoding.hpp"
#include "base/error.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "callback/attempt_result.hpp"
#include "model/account.hpp"
#include "model/callback.hpp"
#include "model/leave.hpp"
#include "outbound/client.hpp"
#include "store/committer.hpp"
#include "store/reader_source.hpp"
#include "store/shard_set.hpp"

namespace merpati::callback {

struct Options {
    std::chrono::milliseconds timeout{10'000};
    std::size_t per_origin_max = 32;        // Attempts of an account in flight to one origin,
    std::size_t total_max = 256;            // and in all.
    std::size_t origin_memory_max = 4'096;  // Callbacks of a prompt origin in memory,
    std::size_t memory_max = 32'768;        // and KiB of all; the others wait on disk.
    bool allow_http = false;                // outbound.allow_http_callbacks
    /// Whether this process may begin attempts now; asked again ten times a second. Called on the
    /// sender's thread; must not block. Empty: it may.
    std::function<bool()> may_begin{};
    /// Called after the result of each attempt is durable, on the sender's thread.
    std::function<void(const store::QueuedCallback&)> on_attempt{};
    std::string under_way_file;  // Lists the attempts in flight (Suspects); empty: none.
    bool starts_empty = false;   // A start recovers no callbacks: each shard's are attached.
    /// Called at the start if that file cannot be used; for the operator's log.
    std::function<void(const Error&)> on_file_error{};
    /// Called when waiting callbacks cannot be read, for the operator's log; at most once a second.
    std::function<void(const Error&)> on_store_error{};
};

/// The account's signing secrets: one, or two during a rotation. Called on the sender's thread.
using SecretLookup = std::function<std::vector<Bytes>(model::AccountId)>;

/// How the account's statuses are posted together; empty: each alone. Called on the sender's
/// thread.
using BatchLookup = std::function<std::optional<model::CallbackBatch>(model::AccountId)>;

/// The health of an account's endpoint that has a queue in memory.
struct EndpointHealth {
    std::int64_t origin_key = 0;
    bool open = false;                  // Its breaker: one attempt at a time probes it.
    std::optional<Timestamp> probe_at;  // While open: when the next attempt may begin.
    std::size_t in_flight = 0;
};

struct Counts {
    std::array<std::uint64_t, attempt_results_count> attempts{};  // By AttemptResult.
    std::uint64_t exhausted_total = 0;
    std::uint64_t in_memory = 0;
    std::uint64_t in_flight = 0;
    std::uint64_t slow_in_flight = 0;  // Of those, the ones with a slow slot (SenderCore).
    std::uint64_t origins = 0;         // Origins with a queue in memory.
    std::uint64_t breakers_open = 0;
    std::uint64_t reads_failed_total = 0;
    std::uint64_t suspects = 0;  // Held back: in flight when the process crashed.
};

/// Operation: a callback that was just committed arrives in memory (`committed`); all others are
/// loaded from the store when they are due, endpoint by endpoint (an account's origin). Each
/// attempt is signed anew (Standard Webhooks 1.0: id, time of the attempt, the stored bytes). A 2xx
/// within the timeout delivers; 410 ends; everything else is retried by the table of
/// retry_table.hpp, with Retry-After respected, and is `exhausted` after its last attempt. The
/// result is committed before the callback is dropped from memory, so a crash repeats an attempt
/// (with the same webhook-id) rather than losing it.
///
/// Fairness: attempts in flight and memory are shared first among accounts, then among an account's
/// origins; none takes more than it leaves free, so a new account finds some
/// (base/shared_limit.hpp). An origin that answers promptly gets more concurrent attempts
/// (health.hpp). Half of all slots are reserved for such origins; slow, hanging and new origins
/// share the other half. A failing endpoint is probed by one attempt at a time.
/// Another account at the same origin has its own queue and breaker. All accounts share one thread
/// and the machine's network.
///
/// Order: by due time within an endpoint, except that callbacks which were in flight when the
/// process crashed come last (suspects.hpp).
///
/// Faults: if callbacks cannot be read, the read is repeated: of the endpoint that it was for,
/// after a second; after a minute if the store is damaged there. All other endpoints go on. An
/// account whose signing secrets cannot be read is sent nothing: its attempts fail, and are
/// retried.
///
/// Time: due times are queue time, waits in memory use the steady clock.
///
/// Threads: one of its own, which also runs the outbound client. Public methods from any thread.
class Sender {
public:
    Sender(const QueueClock& clock, Random& random, store::ReaderSource& store,
           store::Committer& committer, const outbound::AddressPolicy& policy,
           outbound::ClientOptions client, SecretLookup secrets, BatchLookup batches,
           Options options);
    ~Sender();

    /// Recovers the callbacks that wait in the store, unless `starts_empty`, and starts the thread.
    /// Errors: store_failed, io_failed (CA file).
    [[nodiscard]] Result<void> start();

    /// Starts no more attempts, waits for those in flight for at most `deadline`, ends the thread.
    void stop(std::chrono::milliseconds deadline);

    /// Finds the callbacks of the shards' accounts in the store, as a start does those of all. If
    /// that fails, it is tried again every second. An account that is being detached comes back
    /// once its attempts in flight have ended.
    void attach(const store::ShardSet& shards);
    /// Begins no attempts of these accounts any more, and forgets their callbacks. Drops `done`
    /// when the results of the attempts in flight are committed, or, `at_once`, in the next step;
    /// later results are dropped then, and the next owner repeats the attempts.
    void detach(const store::ShardSet& shards, model::Leave how, std::shared_ptr<const void> done);

    /// A callback was committed, due now. It is handled after the next `batch_done`.
    void committed(model::Callback callback);

    /// Wakes the thread once for all callbacks of a committed batch (Committer::after_batch).
    void batch_done();

    /// Callbacks of this endpoint were made due in the store (a replay).
    void made_due(const store::Endpoint& endpoint);

    /// Posts a test, signed as a callback of this account, and calls `done` once with the result,
    /// on the sender's thread; never, once it has stopped. Nothing of it is stored or queued.
    /// Errors: refused (not an https URL), busy (`tests_max` are in flight), shutting_down.
    void test(model::Callback callback,
              std::move_only_function<void(Result<model::CallbackAttempt>)> done);
    static constexpr std::size_t tests_max = 4;

    /// Calls `done` once, on the sender's thread; never, once it has stopped.
    void health(model::AccountId account,
                std::move_only_function<void(std::vector<EndpointHealth>)> done);

    [[nodiscard]] Counts counts() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::callback
