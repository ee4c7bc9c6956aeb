// Delivers callbacks: signed, retried, each endpoint on its own.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/encoding.hpp"
#include "base/error.hpp"
#include "base/queue_clock.hpp"
#include "base/random.hpp"
#include "model/callback.hpp"
#include "outbound/client.hpp"
#include "store/committer.hpp"
#include "store/store.hpp"

namespace merpati::callback {

struct Options {
    std::chrono::milliseconds timeout{10'000};
    std::size_t per_origin_max = 8;         // Attempts under way to one origin.
    std::size_t total_max = 256;            // ... and to all.
    std::size_t origin_memory_max = 4'096;  // Callbacks of one origin held in memory,
    std::size_t memory_max = 32'768;        // and of all origins; the rest waits on disk.
    bool allow_http = false;                // outbound.allow_http_callbacks
};

/// The account's signing secrets: one, or two while they are rotated. Called on the sender's
/// thread.
using SecretLookup = std::function<std::vector<Bytes>(model::AccountId)>;

/// How one attempt ended.
enum class AttemptResult : std::uint8_t {
    delivered,       // 2xx
    redirected,      // 3xx
    refused,         // 4xx
    receiver_fault,  // 5xx, and what is no status at all
    timeout,
    unreachable,  // TLS failed, too.
    forbidden,    // The address is not public, or the URL not https.
    broken,       // What came was no HTTP.
};
constexpr std::size_t attempt_results_count = static_cast<std::size_t>(AttemptResult::broken) + 1;
[[nodiscard]] std::string_view to_string(AttemptResult result) noexcept;

struct Counts {
    std::array<std::uint64_t, attempt_results_count> attempts{};  // By AttemptResult.
    std::uint64_t exhausted_total = 0;
    std::uint64_t in_memory = 0;
    std::uint64_t in_flight = 0;
    std::uint64_t origins = 0;  // With waiting work.
    std::uint64_t breakers_open = 0;
};

/// Operation: a callback that was just committed comes in memory (`committed`); all others are
/// loaded from the store when they come due, origin by origin. Each attempt is signed anew
/// (Standard Webhooks 1.0: id, timestamp of the attempt, the stored bytes). 2xx within the timeout
/// delivers; 410 ends; all else follows the back-off table of retry_table.hpp, with Retry-After
/// honoured, then `exhausted`. The result is committed before the callback is forgotten, so a crash
/// repeats an attempt (same webhook-id) rather than losing it.
///
/// Fairness: attempts under way are bounded per origin and in all; an origin that keeps failing
/// opens its breaker and is probed by one attempt at a time, which costs the others nothing.
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

    /// The committer has told of a whole batch (Committer::after_told): wakes the sender once for
    /// all of it.
    void told();

    /// Callbacks of this origin were made due in the store (replay).
    void wake(std::int64_t origin_key);

    [[nodiscard]] Counts counts() const noexcept;

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace merpati::callback
