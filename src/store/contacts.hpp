// Contacts, suppressions and erasure, as a Change writes them and a Reader reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/contact.hpp"
#include "model/message.hpp"

namespace merpati::store {

/// The wish that nothing of a person stays. It is kept until all messages that were under way have
/// ended and are erased too.
struct Erasure {
    model::AccountId account;
    model::PhoneNumber number;
    Timestamp at;           // Of the wish, by the wall clock: later messages are not meant.
    bool rows_left = true;  // Rows of campaigns are to be erased too.
    friend bool operator==(const Erasure&, const Erasure&) = default;
};

/// The part of Tables for contacts, suppressions and erasure; its rules and errors apply here too.
///
/// Campaigns whose counts or ends change are reported as by CampaignTables, and damaged rows of
/// campaigns are passed over as there.
class ContactTables {
public:
    virtual ~ContactTables() = default;

    virtual Result<std::optional<model::Contact>> find_contact(model::AccountId account,
                                                               model::PhoneNumber number) = 0;
    /// Adds or replaces. `created_at` of one that exists stays. Errors: refused (the account has
    /// `contacts_max`).
    virtual Result<model::Contact> put_contact(const model::Contact& contact) = 0;
    static constexpr std::size_t contacts_max = 5'000'000;
    /// False: there was none.
    virtual Result<bool> remove_contact(model::AccountId account, model::PhoneNumber number) = 0;
    /// One step of erasing a person: cancels pending rows, erases values, originals and texts of at
    /// most `limit` rows of campaigns with their messages. Number, state and counts stay. `after`:
    /// where the last step ended.
    struct ErasureStep {
        std::int64_t last = 0;
        std::size_t changed = 0;
        bool complete = false;
    };
    virtual Result<ErasureStep> erase_person(model::AccountId account, model::PhoneNumber number,
                                             std::int64_t after, std::size_t limit,
                                             Timestamp at) = 0;
    /// Keeps the wish, or its later time. Its first try is due at that time.
    virtual Result<void> put_erasure(const Erasure& erasure) = 0;
    /// Its next try is due then. One with a later time stays as it is.
    virtual Result<void> postpone_erasure(const Erasure& erasure, Timestamp next_at) = 0;
    /// Its rows are erased: those that come later are not meant.
    virtual Result<void> note_rows_erased(const Erasure& erasure) = 0;
    /// Nothing is left to do for it. One with a later time stays.
    virtual Result<void> end_erasure(const Erasure& erasure) = 0;
    /// Erases text, media address and details of a message that has ended. False: there is none, or
    /// it has not ended.
    virtual Result<bool> erase_message(model::MessageId message) = 0;

    virtual Result<std::optional<model::Suppression>> find_suppression(
        model::AccountId account, model::PhoneNumber number) = 0;
    /// Adds, or replaces one with a weaker reason: opt_out stays unless it is given again. True: it
    /// was written. An opt_out of a campaign counts in its CampaignEnds.
    virtual Result<bool> put_suppression(const model::Suppression& suppression) = 0;
    /// False: there was none.
    virtual Result<bool> remove_suppression(model::AccountId account,
                                            model::PhoneNumber number) = 0;
};

struct ContactFilter {
    model::AccountId account;
    std::vector<std::string> tags;  // Those with any of these; empty: all.
    std::string text;               // Part of name or number, in any case; empty: all.
    std::optional<model::PhoneNumber> after;
    std::size_t limit = 50;
};

struct SuppressionFilter {
    model::AccountId account;
    std::int64_t beginning = 0;  // The first digits of the number; 0: any.
    std::optional<model::PhoneNumber> after{};
    std::size_t limit = 50;
};

template <class Record>
struct NumberedRecords {
    std::vector<Record> records;
    /// `after` of the next page; empty: this is the last one. A page reads a bounded number of
    /// rows, so it may be short or empty.
    std::optional<model::PhoneNumber> next;
};

/// The part of Reader for contacts, suppressions and erasure; its rules and errors apply here too.
class ContactReader {
public:
    virtual ~ContactReader() = default;

    [[nodiscard]] virtual Result<std::optional<model::Contact>> contact(
        model::AccountId account, model::PhoneNumber number) = 0;
    [[nodiscard]] virtual Result<NumberedRecords<model::Contact>> contacts(
        const ContactFilter& filter) = 0;
    /// The account's tags, in order, at most `limit` after `after`.
    [[nodiscard]] virtual Result<std::vector<std::string>> tags(model::AccountId account,
                                                                std::string_view after,
                                                                std::size_t limit) = 0;
    /// The accounts that have kept wishes, in order, at most `limit` after `after`.
    [[nodiscard]] virtual Result<std::vector<model::AccountId>> erasing_accounts(
        model::AccountId after, std::size_t limit) = 0;
    /// The account's wishes of which a try is due by then, those first that are due the longest.
    [[nodiscard]] virtual Result<std::vector<Erasure>> erasures(model::AccountId account,
                                                                Timestamp due_by,
                                                                std::size_t limit) = 0;
    [[nodiscard]] virtual Result<std::optional<model::Suppression>> suppression(
        model::AccountId account, model::PhoneNumber number) = 0;
    [[nodiscard]] virtual Result<NumberedRecords<model::Suppression>> suppressions(
        const SuppressionFilter& filter) = 0;
};

}  // namespace merpati::store
