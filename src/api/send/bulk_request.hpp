// One request of POST /v1/messages/bulk.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission/principal.hpp"
#include "admission/refusal.hpp"
#include "api/keys_in_flight.hpp"
#include "api/manage/engine/call_threads.hpp"
#include "api/manage/engine/manage.hpp"
#include "api/manage/engine/problem.hpp"
#include "api/send/bulk.hpp"
#include "api/send/bulk_body.hpp"
#include "api/send/bulk_memory.hpp"
#include "api/send/bulk_message.hpp"
#include "http/reply.hpp"
#include "store/records.hpp"

namespace merpati::api {

/// Operation: `begin` refuses the request as a whole, or repeats the answer that its
/// Idempotency-Key had; then it judges each message as if it had been sent alone: validity, rate,
/// its own key, the checks of Intake. When the last file is probed, one transaction stores what
/// passed (BulkTransaction). Then it is answered.
///
/// A trial (`dry_run`) ends before the transaction (end_trial): it judges credit by the present
/// balance, takes no rate and no key, and is not counted.
///
/// Faults: if the process dies, either all accepted messages are in the store, with the answer
/// under the request's key, or none.
///
/// Threads: one at a time: Bulk's, the fetcher's while files are probed, the committer's in the
/// transaction.
class BulkRequest : public std::enable_shared_from_this<BulkRequest> {
public:
    BulkRequest(Bulk& bulk, manage::Request request, admission::Principal caller,
                manage::Share share, BulkMemory::Hold memory, http::Responder responder);

    /// On a thread of Bulk's pool.
    void begin();

    /// Ends the request without doing anything.
    void answer(manage::Outcome outcome);

private:
    // Each an answer to the whole request; empty: it goes on.
    [[nodiscard]] std::optional<manage::Outcome> admit();
    [[nodiscard]] std::optional<manage::Outcome> take_key();
    [[nodiscard]] std::optional<manage::Outcome> store();

    /// What is equal for all items: one instant.
    struct Moment {
        admission::Judging judging;
        admission::Checked<void> valid;  // The account's validity.
        SteadyTime steady;               // For the rate.
    };

    void judge();
    [[nodiscard]] admission::Checked<void> judge(BulkItem& asked, BulkMessage& item,
                                                 Moment& moment);
    [[nodiscard]] admission::Checked<void> take_rate(SteadyTime now);
    /// Looks for an earlier message with the item's key. True: the item has ended as that one.
    [[nodiscard]] admission::Checked<bool> repeats(const BulkItem::Key& key, BulkMessage& item);
    void probe();
    void probed();
    void finish();

    [[nodiscard]] std::optional<std::int64_t> credit();
    [[nodiscard]] store::AuditEntry log_entry() const;

    Bulk& bulk_;
    manage::Request request_;
    admission::Principal caller_;
    const manage::Share share_;
    BulkMemory::Hold memory_;
    std::optional<http::Responder> responder_;

    std::shared_ptr<const admission::AccountEntry> account_;
    BulkBody body_;
    BulkMessages items_;
    std::chrono::seconds retry_after_{0};  // If the rate was exceeded.

    std::optional<store::IdempotencyRecord> record_;  // If the request has a key.
    KeysInFlight::Hold key_hold_;

    std::atomic<std::size_t> unprobed_{0};
};

}  // namespace merpati::api
