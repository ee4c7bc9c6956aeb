// What one POST /v1/messages/bulk writes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "admission/principal.hpp"
#include "admission/refusal.hpp"
#include "api/manage/engine/problem.hpp"
#include "api/send/bulk_message.hpp"
#include "intake/intake.hpp"
#include "model/ids.hpp"
#include "store/audit_log.hpp"
#include "store/committer.hpp"
#include "store/records.hpp"
#include "store/write_batch.hpp"

namespace merpati::api {

/// Stores, in one transaction and in the order of the request, the messages that have passed their
/// checks, with credit and keys, the answer under the request's key, and an entry in the log of
/// changes. Decides there again what may have changed: the caller's rights, keys.
///
/// Damage: a message that meets a damaged page is refused alone, and the others are stored without
/// it. After `damages_max` of them, and after damage elsewhere, which no message can be named for,
/// all are refused: a send that meets it alone is refused, too.
///
/// Threads: the caller's, which waits for the commit; the committer's meanwhile.
class BulkTransaction {
public:
    struct Rooms {
        intake::Intake& intake;
        store::Committer& committer;
        const admission::Principal& caller;
        model::AccountId account;
        /// Of the log of changes. Called in the transaction, when messages have their ends.
        std::function<store::AuditEntry()> log_entry;
        /// Called with faults of the store; may be empty.
        std::function<void(const Error&)> on_fault;
    };
    /// `record`: if the request has a key; gets its answer, and is emptied if nothing was stored.
    BulkTransaction(Rooms rooms, BulkMessages& messages,
                    std::optional<store::IdempotencyRecord>& record)
        : rooms_(std::move(rooms)), messages_(messages), record_(record) {}

    /// Empty: each message has its end. Otherwise the answer to the whole request.
    [[nodiscard]] std::optional<manage::Outcome> run();

    static constexpr int damages_max = 8;

private:
    struct Entering {
        BulkMessage* of;
        store::Accept accept;
    };
    void begin_messages();
    [[nodiscard]] Result<void> commit();
    [[nodiscard]] Result<void> store_in(store::Tables& tables);
    void settle();
    [[nodiscard]] bool leave_out_damaged();
    [[nodiscard]] std::optional<manage::Outcome> not_stored(const Error& error);

    const Rooms rooms_;
    BulkMessages& messages_;
    std::optional<store::IdempotencyRecord>& record_;
    std::vector<Entering> entering_;
    std::optional<std::size_t> accepting_;           // The one of `entering_` that is written now.
    std::optional<store::IdempotencyRecord> first_;  // The key was found taken.
    admission::Checked<void> may_send_{};            // What the transaction was answered.
    bool written_again_ = false;                     // After damage of which nothing is known.
};

}  // namespace merpati::api
