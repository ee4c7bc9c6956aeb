// Delivers callbacks: signed, retried, each endpoint on its own.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/encoding.hpp"
#include "base/error.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "callback/attempt_result.hpp"
#include "model/callback.hpp"
#include "outbound/client.hpp"
#include "store/committer.hpp"
#include "store/store.hpp"

namespace merpati::callback {

struct Options {
    std::chrono::milliseconds timeout{10'000};
    std::size_t per_origin_max = 32;        // Attempts of an account under way to one origin.
    std::size_t total_max = 256;            // ... and in all.
    std::size_t origin_memory_max = 4'096;  // Callbacks of such an origin held in memory,
    std::size_t memory_max = 32'768;        // and KiB of all; the rest waits on disk.
    bool allow_http = false;                // outbound.allow_http_callbacks
    std::string under_way_file;             // Names what is attempted; empty: none.
};

/// The account's signing secrets: one, or two while they are rotated. Called on the sender's
/// thread.
using SecretLookup = std::function<std::vector<Bytes>(model::AccountId)>;

struct Counts {
    std::array<std::uint64_t, attempt_results_count> attempts{};  // By AttemptResult.
    std::uint64_t exhausted_total = 0;
    std::uint64_t in_memory = 0;
    std::uint64_t in_flight = 0;
    std::uint64_t slow_in_flight = 0;  // Of those: not of origins that answer promptly.
    std::uint64_t origins = 0;         // With a queue in memory.
    std::uint64_t breakers_open = 0;
    std::uint64_t suspects = 0;  // Held back: under way when the process died.
};

/// Operation: a callback that was just committed comes in memory (`committed`); all others are
/// loaded from the store when they come due, endpoint by endpoint (an account's origin). Each
/// attempt is signed anew (Standard Webhooks 1.0: id, timestamp of the attempt, the stored bytes).
/// 2xx within the timeout delivers; 410 ends; all else follows the back-off table of
/// retry_table.hpp, with Retry-After honoured, then `exhausted`. The result is committed before the
/// callback is forgotten, so a crash repeats an attempt (same webhook-id) rather than losing it.
///
/// Fairness: attempts in flight and memory are shared first among accounts, then among an account's
/// origins; none takes more than it leaves free, so a new account finds some (base/places.hpp).
/// An origin that answers promptly gets more concurrent attempts (health.hpp). Half of all attempts
/// are reserved for such origins; those that hang, are slow or are not known yet share the other
/// half. A failing endpoint is probed by one attempt at a time. Another account at the same origin
/// has its own queue and breaker. All accounts share one thread and the machine's network.
///
/// Order: after a crash, callbacks that were in flight when the process died come last
/// (suspects.hpp).
///
/// Time: due times are queue time, waits in memory are of the steady clock.
///
/// Threads: one of its own, which runs the outbound client. Public methods from any thread.
class Sender {
public:
    Sender(const QueueClock& clock, Random& random, store::Store& store,
           store::Committer& committer, const outbound::AddressPolicy& policy,
           outbound::ClientOptions client, SecretLookup secrets, Options options);
    ~Sender();

    /// Recovers what waits in the store and starts the thread. Errors: store_failed, io_failed (CA
    /// file).
    [[nodiscard]] Result<void> start();

    /// Starts no more attempts, waits for those under way until the deadline, ends the thread.
    void stop(std::chrono::milliseconds deadline);

    /// A callback was committed, due now. The sender goes on with `told`.
    void committed(model::Callback callback);

    /// The committer has reported a whole batch (Committer::after_told): wakes the sender once for
    /// all of it.
    void told();

    /// Callbacks of this endpoint were made due in the store (replay).
    void wake(const store::Endpoint& endpoint);

    [[nodiscard]] Counts counts() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::callback
