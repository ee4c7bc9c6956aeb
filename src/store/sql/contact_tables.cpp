// The methods of StoredContacts for contacts, suppressions and erasure.
#include <string>

#include "store/plan_text.hpp"
#include "store/sql/rows.hpp"
#include "store/sql/stored_contacts.hpp"

namespace merpati::store::sql {
namespace {

using model::SuppressionReason;

/// A suppression replaces one that is not stronger.
int strength_of(SuppressionReason reason) {
    switch (reason) {
        case SuppressionReason::unregistered:
            return 0;
        case SuppressionReason::import:
            return 1;
        case SuppressionReason::manual:
            return 2;
        case SuppressionReason::opt_out:
            return 3;
    }
    return 0;
}

}  // namespace

Result<std::optional<model::Contact>> StoredContacts::find_contact(model::AccountId account,
                                                                   model::PhoneNumber number) {
    Statement find_one{connection_, select_contact};
    return first_row(find_one.query(account.value, number.value()), read_contact);
}

Result<model::Contact> StoredContacts::put_contact(const model::Contact& contact) {
    const auto before = find_contact(contact.account, contact.number);
    if (!before) {
        return pass(before);
    }
    auto stored = contact;
    if (*before) {
        stored.created_at = (*before)->created_at;
        remove_tags(**before);
    } else {
        Statement count{connection_, "SELECT contacts FROM contact_count WHERE account = ?"};
        auto row = count.query(contact.account.value);
        if (row.next() && row.integer(0) >= static_cast<std::int64_t>(contacts_max)) {
            return fail(ErrorCode::refused, "the account has too many contacts");
        }
    }
    const auto& consent = stored.consent;
    Statement put{connection_,
                  "INSERT INTO contact(account, number, name, tags, consent_source, consent_at, "
                  "consent_text, created_at, updated_at, fields) "
                  "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT(account, number) "
                  "DO UPDATE SET name = ?3, tags = ?4, consent_source = ?5, consent_at = ?6, "
                  "consent_text = ?7, created_at = ?8, updated_at = ?9, fields = ?10"};
    put.run(stored.account.value, stored.number.value(), stored.name, list_text(stored.tags),
            consent.transform([](const auto& given) { return given.source; }),
            consent.transform([](const auto& given) { return given.at; }),
            consent.transform([](const auto& given) { return given.text; }), stored.created_at,
            stored.updated_at, named_text(stored.values));
    put_tags(stored);
    if (!*before) {
        add_contacts(stored.account, 1);
    }
    return stored;
}

void StoredContacts::put_tags(const model::Contact& contact) {
    Statement put{connection_,
                  "INSERT INTO contact_tag(account, tag, number) VALUES(?, ?, ?) "
                  "ON CONFLICT DO NOTHING"};
    for (const auto& tag : contact.tags) {
        put.run(contact.account.value, tag, contact.number.value());
    }
}

void StoredContacts::remove_tags(const model::Contact& contact) {
    Statement remove_tag{connection_,
                         "DELETE FROM contact_tag WHERE account = ? AND tag = ? AND number = ?"};
    for (const auto& tag : contact.tags) {
        remove_tag.run(contact.account.value, tag, contact.number.value());
    }
}

void StoredContacts::add_contacts(model::AccountId account, int count) {
    Statement add{connection_,
                  "INSERT INTO contact_count(account, contacts) VALUES(?1, ?2) "
                  "ON CONFLICT(account) DO UPDATE SET contacts = contact_count.contacts + ?2"};
    add.run(account.value, count);
}

Result<bool> StoredContacts::remove_contact(model::AccountId account, model::PhoneNumber number) {
    const auto found = find_contact(account, number);
    if (!found || !*found) {
        return found ? Result<bool>{false} : pass(found);
    }
    remove_tags(**found);
    Statement remove_one{connection_, "DELETE FROM contact WHERE account = ? AND number = ?"};
    remove_one.run(account.value, number.value());
    add_contacts(account, -1);
    return true;
}

Result<ContactTables::ErasureStep> StoredContacts::erase_person(model::AccountId account,
                                                                model::PhoneNumber number,
                                                                std::int64_t after,
                                                                std::size_t limit, Timestamp at) {
    recipients().write_moves();
    ErasureStep step{.last = after, .changed = 0, .complete = false};
    std::vector<std::int64_t> keys;
    {
        Statement list{connection_,
                       "SELECT id FROM (SELECT id FROM campaign_recipient WHERE account = ?1 "
                       "AND number = ?2 AND repeats IS NULL AND id > ?3 ORDER BY id LIMIT ?4) a "
                       "UNION ALL SELECT id FROM (SELECT id FROM campaign_recipient WHERE "
                       "account = ?1 AND number = ?2 AND repeats IS NOT NULL AND id > ?3 "
                       "ORDER BY id LIMIT ?4) b ORDER BY 1 LIMIT ?4"};
        for (auto row = list.query(account.value, number.value(), after, limit); row.next();) {
            keys.push_back(row.integer(0));
        }
    }
    for (const auto key : keys) {
        step.last = key;
        step.changed += recipients().guard(key, [&] { erase_row(key, at); }) ? 1 : 0;
    }
    step.complete = keys.size() < limit;
    return step;
}

/// Staged rows are not in the counts and stay as they are, without values.
void StoredContacts::erase_row(std::int64_t key, Timestamp at) {
    std::optional<model::MessageId> message;
    {
        Statement erase{connection_,
                        "UPDATE campaign_recipient SET original = '', cells = '[]' "
                        "WHERE id = ? RETURNING message, message_tail"};
        auto row = erase.query(key);
        if (row.next() && row.integer(0) != no_message) {
            message = uuid_of(row.integer(0), row.integer(1));
        }
        while (row.next()) {
        }
    }
    const auto* found = campaigns().find(campaign_of(key));
    if (found != nullptr && row_of(key) <= found->campaign.counts.total()) {
        recipients().end(key, model::RecipientState::cancelled, model::SkipReason::none, at);
        if (connection_.changes() == 1) {
            recipients().count(campaign_of(key), model::RecipientState::pending,
                               model::RecipientState::cancelled);
        }
    }
    if (message) {
        (void)erase_message(*message);
    }
}

Result<void> StoredContacts::put_erasure(const Erasure& erasure) {
    Statement put{connection_,
                  "INSERT INTO erasure(account, number, at, rows_left, next_at) "
                  "VALUES(?1, ?2, ?3, ?4, ?3) ON CONFLICT(account, number) "
                  "DO UPDATE SET at = ?3, rows_left = ?4, next_at = ?3"};
    put.run(erasure.account.value, erasure.number.value(), erasure.at, erasure.rows_left);
    return {};
}

Result<void> StoredContacts::postpone_erasure(const Erasure& erasure, Timestamp next_at) {
    Statement postpone{connection_,
                       "UPDATE erasure SET next_at = ?4 "
                       "WHERE account = ?1 AND number = ?2 AND at <= ?3"};
    postpone.run(erasure.account.value, erasure.number.value(), erasure.at, next_at);
    return {};
}

Result<void> StoredContacts::note_rows_erased(const Erasure& erasure) {
    Statement note{connection_,
                   "UPDATE erasure SET rows_left = 0 "
                   "WHERE account = ? AND number = ? AND at <= ?"};
    note.run(erasure.account.value, erasure.number.value(), erasure.at);
    return {};
}

Result<void> StoredContacts::end_erasure(const Erasure& erasure) {
    Statement remove_one{connection_,
                         "DELETE FROM erasure WHERE account = ? AND number = ? AND at <= ?"};
    remove_one.run(erasure.account.value, erasure.number.value(), erasure.at);
    return {};
}

Result<bool> StoredContacts::erase_message(model::MessageId message) {
    {
        Statement find_end{connection_,
                           "SELECT c.state FROM message m JOIN completion c ON c.id = m.id "
                           "WHERE m.id = ? AND m.tail = ?"};
        auto row = find_end.query(message.sequence(), tail_of(message));
        if (!row.next() || row.integer(0) == static_cast<int>(model::MessageState::held)) {
            return false;
        }
    }
    for (const auto* sql :
         {"UPDATE message SET body = '', media_url = NULL, template = NULL WHERE id = ?",
          "UPDATE handed_over SET sent_as = NULL WHERE id = ? AND sent_as IS NOT NULL",
          "UPDATE completion SET details = '' WHERE id = ?"}) {
        Statement erase{connection_, sql};
        erase.run(message.sequence());
    }
    return true;
}

Result<std::optional<model::Suppression>> StoredContacts::find_suppression(
    model::AccountId account, model::PhoneNumber number) {
    Statement find_one{connection_, select_suppression};
    return first_row(find_one.query(account.value, number.value()), read_suppression);
}

Result<bool> StoredContacts::put_suppression(const model::Suppression& suppression) {
    const auto before = find_suppression(suppression.account, suppression.number);
    if (!before) {
        return pass(before);
    }
    if (*before && strength_of((*before)->reason) > strength_of(suppression.reason)) {
        return false;
    }
    Statement put{connection_,
                  "INSERT INTO suppression(account, number, reason, at, campaign) "
                  "VALUES(?1, ?2, ?3, ?4, ?5) ON CONFLICT(account, number) "
                  "DO UPDATE SET reason = ?3, at = ?4, campaign = ?5"};
    put.run(suppression.account.value, suppression.number.value(),
            model::to_string(suppression.reason), suppression.at,
            suppression.campaign.transform([](auto campaign) { return campaign.value; }));
    count_opt_out(suppression, *before);
    return true;
}

/// A person who opts out of a campaign again is not counted again.
void StoredContacts::count_opt_out(const model::Suppression& suppression,
                                   const std::optional<model::Suppression>& before) {
    if (suppression.reason != SuppressionReason::opt_out || !suppression.campaign ||
        (before && before->reason == SuppressionReason::opt_out &&
         before->campaign == suppression.campaign)) {
        return;
    }
    recipients().write_moves();
    const auto* found = campaigns().find(*suppression.campaign);
    if (found != nullptr && !found->is_removed && found->campaign.account == suppression.account) {
        ++campaigns().edit(*suppression.campaign)->campaign.ends.opt_outs;
    }
}

Result<bool> StoredContacts::remove_suppression(model::AccountId account,
                                                model::PhoneNumber number) {
    Statement remove_one{connection_, "DELETE FROM suppression WHERE account = ? AND number = ?"};
    remove_one.run(account.value, number.value());
    return connection_.changes() == 1;
}

}  // namespace merpati::store::sql
