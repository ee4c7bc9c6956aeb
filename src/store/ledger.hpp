// The account book of credit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "model/ids.hpp"

namespace merpati::store {

/// One row of an account's book. Rows are added in the transaction that changes the balance, and
/// only the newest one grows: messages that are charged or refunded in the same minute share a row.
struct LedgerEntry {
    enum class Kind : std::uint8_t {
        opening,    // The balance with which the book begins.
        messages,   // Charges of accepted messages, refunds of those that failed or were cancelled.
        topup,      // Credit was added,
        deduction,  // or taken away.
        set,        // The balance was set, or is no longer counted.
    };
    std::int64_t number = 0;  // 1, 2, … in the book of its account.
    Kind kind = Kind::opening;
    Timestamp begun_at;
    Timestamp ended_at;
    std::uint64_t charged = 0;   // Messages; of `opening` those that were charged before.
    std::uint64_t refunded = 0;  // Messages.
    /// What was added to the balance, where credit that is not counted is 0. Of a refund while
    /// credit is not counted, nothing.
    std::int64_t amount = 0;
    std::optional<std::int64_t> balance;  // Afterwards; empty: not counted.
    std::string reason;                   // Of a person; may be empty.
};
[[nodiscard]] std::string_view to_string(LedgerEntry::Kind kind) noexcept;

/// When and why a balance is changed.
struct CreditNote {
    static constexpr std::size_t reason_bytes_max = 200;

    Timestamp at;
    std::string reason;
};

/// An account whose book, balance and messages do not agree, and how.
struct LedgerFault {
    model::AccountId account;
    std::string what;
};

}  // namespace merpati::store
