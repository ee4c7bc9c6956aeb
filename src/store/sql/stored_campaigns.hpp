// Campaigns and their audiences, as every engine stores them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "store/campaigns.hpp"
#include "store/condition.hpp"
#include "store/sql/connection.hpp"
#include "store/sql/message_writer.hpp"
#include "store/sql/recipient_checks.hpp"
#include "store/tables.hpp"

namespace merpati::store::sql {

/// A part of StoredTables: runs inside its change. Campaigns are changed through the
/// RecipientWriter of the batch, which writes and reports them when the change ends.
class StoredCampaigns final : public CampaignTables {
public:
    StoredCampaigns(Connection& connection, MessageWriter& writer,
                    std::vector<RowChange>& row_changes);

    Result<model::Campaign> create_campaign(const model::Campaign& campaign) override;
    Result<model::Campaign> begin_copy(const model::Campaign& campaign) override;
    Result<void> check_room(model::AccountId account) override;
    Result<std::optional<model::Campaign>> find_campaign(model::CampaignId id) override;
    Result<model::Campaign> set_plan(model::CampaignId id,
                                     const model::CampaignPlan& plan) override;
    Result<model::Campaign> move_campaign(model::CampaignId id, const CampaignMove& move) override;
    Result<void> remove_campaign(model::CampaignId id) override;
    Result<model::Campaign> reserve_credit(model::CampaignId id, Timestamp at) override;
    Result<void> stage_rows(model::CampaignId id, std::span<const NewRecipient> rows,
                            UploadCounts& counts, Timestamp at) override;
    Result<model::Campaign> complete_upload(model::CampaignId id,
                                            const std::vector<std::string>& columns,
                                            const UploadCounts& counts) override;
    Result<model::Campaign> empty_audience(model::CampaignId id) override;
    Result<RowStep> remove_rows(model::CampaignId id, std::size_t limit) override;
    Result<void> queue_rows(model::CampaignId id, PlannedRows& rows) override;
    Result<RowStep> cancel_rows(model::CampaignId id, std::size_t limit, Timestamp at) override;
    Result<RowStep> retry_rows(model::CampaignId id, RetryScope scope,
                               std::optional<model::StatusCode> code, std::uint32_t after_row,
                               std::size_t limit, Timestamp at) override;
    Result<void> note_notified(model::CampaignId id, model::CampaignState state,
                               model::CampaignReason reason) override;
    Result<bool> is_erased(model::CampaignId id, std::uint32_t row) override;
    Result<std::optional<model::CampaignId>> last_campaign_of(model::AccountId account,
                                                              model::PhoneNumber number) override;

    /// Gives back what the account's campaigns have reserved, because its credit is no longer
    /// counted.
    void release_reserves(model::AccountId account, Timestamp at);
    /// A running campaign that names the device; empty: none does.
    [[nodiscard]] std::optional<model::CampaignId> running_on(model::PhoneNumber device);

private:
    [[nodiscard]] CampaignWriter& campaigns() { return recipients().campaigns(); }
    [[nodiscard]] RecipientWriter& recipients() { return writer_.recipients(); }
    // Both write first what the change has moved. Null: there is none, or it was removed.
    [[nodiscard]] const CampaignRow* find(model::CampaignId id);
    [[nodiscard]] CampaignRow* edit(model::CampaignId id);
    [[nodiscard]] Result<const CampaignRow*> find_draft(model::CampaignId id);
    void flush();
    [[nodiscard]] model::Campaign written(const CampaignRow& row);
    [[nodiscard]] model::Campaign insert(const model::Campaign& campaign, std::int64_t removed);
    void write_plan(const model::Campaign& campaign);
    void add_devices(const model::Campaign& campaign);
    void remove_devices(const model::Campaign& campaign);
    void release(CampaignRow& row, Timestamp at);
    void remove(const model::Campaign& campaign);
    void stage(const model::Campaign& campaign, std::int64_t key, const NewRecipient& row,
               UploadCounts& counts, Timestamp at);
    void queue_row(const model::Campaign& campaign, PlannedRow& planned, Timestamp at);
    [[nodiscard]] PlannedRow::Result decide(const model::Campaign& campaign, PlannedRow& planned,
                                            Timestamp at);
    enum class Waiting : std::uint8_t { no, yes, erased };
    [[nodiscard]] Waiting is_pending(const model::Campaign& campaign, std::int64_t key,
                                     model::PhoneNumber& number);
    void cancel_erased(std::int64_t key, Timestamp at);
    void skip(std::int64_t key, model::SkipReason reason, Timestamp at);

    Connection& connection_;
    MessageWriter& writer_;
    std::vector<RowChange>& row_changes_;  // Of the running change.
    RecipientChecks checks_;
    Statement find_row_;
    Statement insert_row_;
};

/// A part of StoredReader.
class StoredCampaignReader final : public CampaignReader {
public:
    StoredCampaignReader(Connection& connection, Condition& condition);

    Result<std::vector<model::Campaign>> open_campaigns(const ShardSet& shards) override;
    Result<std::optional<model::Campaign>> campaign(model::CampaignId id) override;
    Result<std::vector<model::Campaign>> campaigns(const CampaignFilter& filter) override;
    Result<std::vector<CampaignToClean>> campaigns_to_clean(const ShardSet& shards) override;
    Result<std::vector<model::Campaign>> campaigns_to_notify(const ShardSet& shards) override;
    Result<RecipientPage> recipients(const RecipientFilter& filter) override;
    Result<std::vector<model::Recipient>> pending_rows(model::CampaignId id,
                                                       std::uint32_t after_row,
                                                       std::size_t limit) override;
    Result<std::vector<model::Recipient>> queued_rows(model::CampaignId id, std::uint32_t after_row,
                                                      std::size_t limit) override;
    Result<std::optional<model::Recipient>> recipient(model::CampaignId id,
                                                      std::uint32_t row) override;
    Result<std::optional<model::PhoneNumber>> last_sender(model::AccountId account,
                                                          model::PhoneNumber number) override;
    Result<model::SkipReason> check_recipient(const model::Campaign& campaign,
                                              model::PhoneNumber number, Timestamp at) override;
    Result<OutcomeCounts> outcomes(model::CampaignId id) override;
    Result<model::CampaignCounts> recount(model::CampaignId id) override;

private:
    [[nodiscard]] std::int64_t pass_damaged(std::int64_t before,
                                            const std::function<std::int64_t()>& find);
    void read_in_parts(const std::function<void(std::int64_t first, std::int64_t last)>& read);
    [[nodiscard]] std::vector<model::Campaign> readable(const std::string& condition,
                                                        const ShardSet& shards);
    [[nodiscard]] std::int64_t end_of_audience(model::CampaignId id);
    [[nodiscard]] std::optional<model::Recipient> read_row(std::int64_t key);
    void note_row(const Failure& failure, std::int64_t key);
    [[nodiscard]] Result<std::vector<model::Recipient>> waiting_rows(model::CampaignId id,
                                                                     model::RecipientState state,
                                                                     std::uint32_t after_row,
                                                                     std::size_t limit);
    void add_one_by_one(std::vector<model::Recipient>& found, model::RecipientState state,
                        std::int64_t after, std::int64_t end, std::size_t limit);

    Connection& connection_;
    Condition& condition_;
    RecipientChecks checks_;
    Statement row_;
    Statement waiting_rows_;
    Statement waiting_;
    Statement total_;
};

}  // namespace merpati::store::sql
