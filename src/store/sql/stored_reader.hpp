// The Reader of every engine.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "store/condition.hpp"
#include "store/reader.hpp"
#include "store/secret_box.hpp"
#include "store/sql/connection.hpp"
#include "store/sql/earliest_rows.hpp"
#include "store/sql/stored_campaigns.hpp"
#include "store/sql/stored_contacts.hpp"
#include "store/sql/stored_people.hpp"

namespace merpati::store::sql {

class StoredReader final : public Reader {
public:
    /// Throws Failure.
    StoredReader(std::unique_ptr<Connection> connection, const SecretBox& secrets,
                 Condition& condition);

    PeopleReader& people() noexcept override { return people_; }
    CampaignReader& campaigns() noexcept override { return campaigns_; }
    ContactReader& contacts() noexcept override { return contacts_; }
    Result<std::vector<model::Account>> accounts() override;
    Result<std::vector<model::ApiKey>> keys() override;
    Result<std::vector<model::Device>> devices() override;
    Result<std::optional<model::Account>> account(model::AccountId id) override;
    Result<std::vector<model::Account>> accounts_after(std::optional<model::AccountId> after,
                                                       std::size_t limit) override;
    Result<RowsNow> rows_now(std::span<const DirectoryRow> rows) override;
    Result<std::int64_t> last_sequence() override;
    Result<Millis> clock_offset() override;
    Result<std::vector<LaneSummary>> lanes() override;
    Result<std::vector<LaneRecord>> lane_records() override;
    Result<std::vector<LaneStart>> lane_starts(
        std::span<const model::PhoneNumber> devices) override;
    Result<std::optional<LaneRecord>> lane_record(model::PhoneNumber device) override;
    Result<std::vector<QueuedMessage>> load_lane(model::PhoneNumber device, model::Source source,
                                                 Timestamp before, std::size_t limit,
                                                 const Known& known) override;
    Result<std::optional<Timestamp>> next_due(model::PhoneNumber device, model::Source source,
                                              Timestamp from) override;
    Result<std::optional<QueuedMessage>> find_queued(const model::Message& message) override;
    Result<std::vector<model::AccountId>> callback_accounts() override;
    Result<std::vector<model::AccountId>> callback_accounts_of(const ShardSet& shards) override;
    Result<std::vector<OriginSummary>> callback_origins(model::AccountId account,
                                                        std::optional<std::int64_t> after,
                                                        std::size_t limit) override;
    Result<std::vector<QueuedCallback>> load_callbacks(const Endpoint& endpoint, Timestamp before,
                                                       std::size_t limit,
                                                       const Known& known) override;
    Result<std::optional<Timestamp>> next_callback_due(const Endpoint& endpoint,
                                                       Timestamp from) override;
    Result<std::optional<MessageRecord>> message(model::MessageId id) override;
    Result<MessagePage> messages(const MessageFilter& filter) override;
    Result<std::optional<QueuedCallback>> callback(model::EventId id) override;
    Result<CallbackPage> callbacks(const CallbackFilter& filter) override;
    Result<MessageTrail> trail(model::MessageId id) override;
    Result<std::vector<model::CallbackAttempt>> attempts(model::EventId id) override;
    Result<std::size_t> callbacks_waiting(const Endpoint& endpoint, std::size_t most) override;
    Result<std::optional<IdempotencyRecord>> idempotency(model::AccountId account,
                                                         std::string_view key) override;
    Result<LaneStep> walk_lane(model::PhoneNumber device, model::Source source, LanePlace from,
                               Timestamp until, std::size_t limit) override;
    Result<QueueSummary> queue_of(model::PhoneNumber device, std::uint64_t most) override;
    Result<std::optional<ReceivedMedia>> received_media(const Uuid& id) override;
    Result<std::vector<DeviceSecret>> device_secrets(model::PhoneNumber device,
                                                     std::string_view after,
                                                     std::size_t bytes_max) override;
    Result<std::vector<LedgerEntry>> ledger(model::AccountId account,
                                            std::optional<std::int64_t> before,
                                            std::size_t limit) override;
    Result<std::vector<UsageRow>> usage(const UsageFilter& filter) override;
    Result<std::vector<AuditEntry>> audit(const AuditFilter& filter) override;
    Result<SummaryStep> summarise(std::size_t size, Timestamp before, SummaryPlace& place) override;
    Result<std::uint64_t> waiting_messages(std::uint64_t most) override;

private:
    class RowsByKey;
    [[nodiscard]] Result<std::vector<LaneSummary>> walk_lanes();
    [[nodiscard]] Result<std::vector<LaneSummary>> lanes_of_devices();
    [[nodiscard]] Result<std::vector<model::AccountId>> walk_callback_accounts();
    [[nodiscard]] Result<std::vector<model::AccountId>> find_callback_accounts(
        const ShardSet& shards);
    [[nodiscard]] Result<std::vector<model::AccountId>> accounts_to_scan();
    [[nodiscard]] std::int64_t highest(const char* table);
    [[nodiscard]] Timestamp due_of(model::AccountId account, std::int64_t due);
    [[nodiscard]] std::optional<QueueRow> read_queued(const Cursor& row);
    using Messages = std::unordered_map<std::int64_t, std::unique_ptr<model::Message>>;
    [[nodiscard]] Messages load_messages(std::span<const QueueRow> rows);
    [[nodiscard]] std::optional<QueuedMessage> load_queued(const QueueRow& found,
                                                           model::PhoneNumber device,
                                                           model::Source source,
                                                           Messages& messages);
    void pick(EarliestRows& earliest, model::PhoneNumber device, model::Source source,
              Timestamp before, const Known& known);
    [[nodiscard]] std::unique_ptr<model::Message> load_message(const Uuid& id,
                                                               model::PhoneNumber device,
                                                               model::Source source);
    [[nodiscard]] std::optional<QueuedCallback> load_callback(std::int64_t sequence,
                                                              const Endpoint& endpoint,
                                                              const Known& known);
    template <class Body>
    [[nodiscard]] auto in_lane(model::PhoneNumber device, Body body) -> decltype(body());
    template <class Body>
    [[nodiscard]] auto in_callbacks(model::AccountId account, Body body) -> decltype(body());
    /// The row of a message in the queue, if it has one, and how many buckets were looked into.
    struct Place {
        std::optional<Cursor> row;
        std::size_t buckets = 0;
    };
    [[nodiscard]] Place seek_place(const model::Message& message, std::size_t buckets_max);
    std::size_t add_place(MessageRecord& record, std::size_t buckets_max);
    [[nodiscard]] bool add_handed_over(MessageRecord& record);

    const std::unique_ptr<Connection> owned_;
    Connection& connection_;
    const SecretBox& secrets_;
    Condition& condition_;
    StoredPeopleReader people_{connection_, condition_};
    StoredCampaignReader campaigns_{connection_, condition_};
    StoredContactReader contacts_{connection_};
    Statement next_lane_;
    Statement lane_rows_;
    Statement message_row_;
    Statement message_rows_;
    Statement due_in_bucket_;
    Statement next_bucket_;
    Statement queue_place_;
    Statement handed_over_;
    Statement next_account_;
    Statement next_origin_;
    Statement origin_rows_;
    Statement callback_row_;
    Statement origin_due_;
    std::unordered_set<Uuid> unreadable_;  // Messages that could not be read; not tried again.
};

}  // namespace merpati::store::sql
