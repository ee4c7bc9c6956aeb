// The ledger of an account's credit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "model/ids.hpp"

namespace merpati::store {

/// One row of an account's ledger, written in the transaction that changes the balance. Messages
/// that are charged or refunded in the same minute share a row while it is the newest; other rows
/// never change. Retention adds the oldest rows up in one, the opening, which keeps the number, the
/// time and the balance of the last of them.
struct LedgerEntry {
    enum class Kind : std::uint8_t {
        opening,    // The balance with which the ledger begins: a sum of what was before.
        messages,   // Charges of accepted messages, refunds of failed and cancelled ones.
        topup,      // Credit was added.
        deduction,  // Credit was taken away.
        set,        // The balance was set, or is no longer counted.
        reserved,   // A campaign reserved credit for its messages; `reason` has its id.
        released,   // It gave back what it had reserved and not used.
    };
    static constexpr Kind kind_last = Kind::released;
    std::int64_t number = 0;  // 1, 2, … in the account's ledger.
    Kind kind = Kind::opening;
    Timestamp begun_at;
    Timestamp ended_at;
    std::uint64_t charged = 0;   // Messages; in `opening`, those before the ledger begins.
    std::uint64_t refunded = 0;  // Messages.
    /// The change of the balance; a balance that is not counted stands for 0. Refunds add nothing
    /// while credit is not counted, nor do charges and refunds of campaigns' messages, which use
    /// what was reserved.
    std::int64_t amount = 0;
    std::optional<std::int64_t> balance;  // Afterwards; empty: not counted.
    std::string reason;                   // As a person wrote it; may be empty.
};
[[nodiscard]] std::string_view to_string(LedgerEntry::Kind kind) noexcept;

/// When and why a balance is changed.
struct CreditNote {
    static constexpr std::size_t reason_bytes_max = 200;

    Timestamp at;
    std::string reason;
};

/// An account whose ledger, balance and messages do not agree.
struct LedgerFault {
    model::AccountId account;
    std::string what;  // For operators.
};

}  // namespace merpati::store
