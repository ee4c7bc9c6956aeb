// Reads contacts and suppressions.
#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "base/ascii.hpp"
#include "store/sql/campaign_rows.hpp"
#include "store/sql/stored_contacts.hpp"

namespace merpati::store::sql {
namespace {

/// Above every number (model::PhoneNumber).
constexpr std::int64_t number_end = 1'000'000'000'000'000;

/// The contacts that a page reads at most.
constexpr std::size_t contact_visits_max = 10'000;

/// The account's contacts in the order of numbers: all, some with each query, or those with any of
/// some tags.
class ContactWalk {
public:
    ContactWalk(Connection& connection, const ContactFilter& filter)
        : filter_(filter),
          number_(filter.after ? filter.after->value() : 0),
          next_(connection,
                std::string{"SELECT "} + contact_columns +
                    " FROM contact b WHERE b.account = ? AND b.number > ? "
                    "ORDER BY b.number LIMIT ?",
                Rows::many),
          next_of_tag_(connection,
                       "SELECT number FROM contact_tag WHERE account = ? AND tag = ? AND "
                       "number > ? ORDER BY number LIMIT 1"),
          contact_(connection, select_contact) {}

    /// Empty: there is none left.
    std::optional<model::Contact> next() {
        if (filter_.tags.empty()) {
            return next_of_all();
        }
        std::optional<std::int64_t> lowest;
        for (const auto& tag : filter_.tags) {
            auto row = next_of_tag_.query(filter_.account.value, tag, number_);
            if (row.next()) {
                lowest = std::min(lowest.value_or(row.integer(0)), row.integer(0));
            }
        }
        if (!lowest) {
            return std::nullopt;
        }
        number_ = *lowest;
        return first_row(contact_.query(filter_.account.value, number_), read_contact);
    }

private:
    std::optional<model::Contact> next_of_all() {
        if (read_.empty()) {
            constexpr std::size_t most = 256;
            auto row = next_.query(filter_.account.value, number_, std::min(filter_.limit, most));
            while (row.next()) {
                read_.push_back(read_contact(row));
            }
        }
        if (read_.empty()) {
            return std::nullopt;
        }
        auto contact = std::move(read_.front());
        read_.pop_front();
        number_ = contact.number.value();
        return contact;
    }

    const ContactFilter& filter_;
    std::int64_t number_;              // The last one.
    std::deque<model::Contact> read_;  // After it.
    Statement next_;
    Statement next_of_tag_;
    Statement contact_;
};

bool has_text(const model::Contact& contact, const std::string& lowered) {
    return lowered.empty() || lower_case(contact.name).contains(lowered) ||
           contact.number.text().contains(lowered);
}

}  // namespace

Result<std::optional<model::Contact>> StoredContactReader::contact(model::AccountId account,
                                                                   model::PhoneNumber number) {
    return guarded([&]() -> Result<std::optional<model::Contact>> {
        Statement find{connection_, select_contact};
        return first_row(find.query(account.value, number.value()), read_contact);
    });
}

Result<NumberedRecords<model::Contact>> StoredContactReader::contacts(const ContactFilter& filter) {
    return guarded([&]() -> Result<NumberedRecords<model::Contact>> {
        NumberedRecords<model::Contact> page;
        const auto lowered = lower_case(filter.text);
        ContactWalk walk{connection_, filter};
        for (std::size_t visits = 0; auto contact = walk.next(); ++visits) {
            const auto number = contact->number;
            if (has_text(*contact, lowered)) {
                page.records.push_back(std::move(*contact));
            }
            if (page.records.size() == filter.limit || visits == contact_visits_max) {
                page.next = number;
                break;
            }
        }
        return page;
    });
}

Result<std::vector<std::string>> StoredContactReader::tags(model::AccountId account,
                                                           std::string_view after,
                                                           std::size_t limit) {
    return guarded([&]() -> Result<std::vector<std::string>> {
        std::vector<std::string> found;
        Statement next{connection_,
                       "SELECT tag FROM contact_tag WHERE account = ? AND tag > ? "
                       "ORDER BY tag LIMIT 1"};
        std::string last{after};
        while (found.size() < limit) {
            {
                auto row = next.query(account.value, last);
                if (!row.next()) {
                    break;
                }
                found.emplace_back(row.text(0));
            }
            last = found.back();
        }
        return found;
    });
}

Result<std::vector<model::AccountId>> StoredContactReader::erasing_accounts(model::AccountId after,
                                                                            std::size_t limit) {
    return guarded([&]() -> Result<std::vector<model::AccountId>> {
        std::vector<model::AccountId> found;
        Statement next{connection_, "SELECT min(account) FROM erasure WHERE account > ?"};
        for (auto last = after; found.size() < limit; last = found.back()) {
            auto row = next.query(last.value);
            if (!row.next() || row.null(0)) {
                break;
            }
            found.push_back({row.integer(0)});
        }
        return found;
    });
}

Result<std::vector<Erasure>> StoredContactReader::erasures(model::AccountId account,
                                                           Timestamp due_by, std::size_t limit) {
    return guarded([&]() -> Result<std::vector<Erasure>> {
        Statement list{connection_,
                       "SELECT number, at, rows_left FROM erasure WHERE account = ? "
                       "AND next_at <= ? ORDER BY next_at, number LIMIT ?"};
        return all_rows(list.query(account.value, due_by, limit), [&](const Cursor& row) {
            return Erasure{.account = account,
                           .number = model::PhoneNumber::from_stored(row.integer(0)),
                           .at = row.time(1),
                           .rows_left = row.integer(2) != 0};
        });
    });
}

Result<std::optional<model::Suppression>> StoredContactReader::suppression(
    model::AccountId account, model::PhoneNumber number) {
    return guarded([&]() -> Result<std::optional<model::Suppression>> {
        Statement find{connection_, select_suppression};
        return first_row(find.query(account.value, number.value()), read_suppression);
    });
}

Result<NumberedRecords<model::Suppression>> StoredContactReader::suppressions(
    const SuppressionFilter& filter) {
    return guarded([&]() -> Result<NumberedRecords<model::Suppression>> {
        NumberedRecords<model::Suppression> page;
        Statement list{connection_, std::string{"SELECT "} + suppression_columns +
                                        " FROM suppression s WHERE s.account = ? AND "
                                        "s.number > ? AND s.number <= ? ORDER BY s.number LIMIT ?"};
        const auto after = filter.after ? filter.after->value() : 0;
        // Numbers with the same first digits: a range for each length, the short ones first.
        auto low = filter.beginning;
        auto high = filter.beginning > 0 ? filter.beginning : number_end - 1;
        for (; low < number_end; low *= 10, high = high * 10 + 9) {
            auto row = list.query(filter.account.value, std::max(after, low - 1), high,
                                  filter.limit + 1 - page.records.size());
            while (row.next()) {
                if (page.records.size() == filter.limit) {
                    page.next = page.records.empty() ? filter.after : page.records.back().number;
                    return page;
                }
                page.records.push_back(read_suppression(row));
            }
            if (filter.beginning == 0) {
                break;
            }
        }
        return page;
    });
}

}  // namespace merpati::store::sql
