// Contacts, suppressions and erasure, as every engine stores them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "store/contacts.hpp"
#include "store/sql/connection.hpp"
#include "store/sql/message_writer.hpp"

namespace merpati::store::sql {

/// A part of StoredTables: runs inside its change. Campaigns are changed as by StoredCampaigns.
class StoredContacts final : public ContactTables {
public:
    StoredContacts(Connection& connection, MessageWriter& writer)
        : connection_(connection), writer_(writer) {}

    Result<std::optional<model::Contact>> find_contact(model::AccountId account,
                                                       model::PhoneNumber number) override;
    Result<model::Contact> put_contact(const model::Contact& contact) override;
    Result<bool> remove_contact(model::AccountId account, model::PhoneNumber number) override;
    Result<ErasureStep> erase_person(model::AccountId account, model::PhoneNumber number,
                                     std::int64_t after, std::size_t limit, Timestamp at) override;
    Result<void> put_erasure(const Erasure& erasure) override;
    Result<void> postpone_erasure(const Erasure& erasure, Timestamp next_at) override;
    Result<void> note_rows_erased(const Erasure& erasure) override;
    Result<void> end_erasure(const Erasure& erasure) override;
    Result<bool> erase_message(model::MessageId message) override;
    Result<std::optional<model::Suppression>> find_suppression(model::AccountId account,
                                                               model::PhoneNumber number) override;
    Result<bool> put_suppression(const model::Suppression& suppression) override;
    Result<bool> remove_suppression(model::AccountId account, model::PhoneNumber number) override;

private:
    [[nodiscard]] CampaignWriter& campaigns() { return recipients().campaigns(); }
    [[nodiscard]] RecipientWriter& recipients() { return writer_.recipients(); }
    void put_tags(const model::Contact& contact);
    void remove_tags(const model::Contact& contact);
    void add_contacts(model::AccountId account, int count);
    void erase_row(std::int64_t key, Timestamp at);
    void count_opt_out(const model::Suppression& suppression,
                       const std::optional<model::Suppression>& before);

    Connection& connection_;
    MessageWriter& writer_;
};

/// A part of StoredReader.
class StoredContactReader final : public ContactReader {
public:
    explicit StoredContactReader(Connection& connection) : connection_(connection) {}

    Result<std::optional<model::Contact>> contact(model::AccountId account,
                                                  model::PhoneNumber number) override;
    Result<NumberedRecords<model::Contact>> contacts(const ContactFilter& filter) override;
    Result<std::vector<std::string>> tags(model::AccountId account, std::string_view after,
                                          std::size_t limit) override;
    Result<std::vector<model::AccountId>> erasing_accounts(model::AccountId after,
                                                           std::size_t limit) override;
    Result<std::vector<Erasure>> erasures(model::AccountId account, Timestamp due_by,
                                          std::size_t limit) override;
    Result<std::optional<model::Suppression>> suppression(model::AccountId account,
                                                          model::PhoneNumber number) override;
    Result<NumberedRecords<model::Suppression>> suppressions(
        const SuppressionFilter& filter) override;

private:
    Connection& connection_;
};

}  // namespace merpati::store::sql
