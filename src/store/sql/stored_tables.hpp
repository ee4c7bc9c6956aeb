// The Tables of every engine.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "store/condition.hpp"
#include "store/secret_box.hpp"
#include "store/sql/connection.hpp"
#include "store/sql/message_writer.hpp"
#include "store/sql/retention.hpp"
#include "store/sql/stored_campaigns.hpp"
#include "store/sql/stored_contacts.hpp"
#include "store/sql/stored_people.hpp"
#include "store/tables.hpp"

namespace merpati::store::sql {

/// Runs each Change in a savepoint of its own, inside the batch's transaction.
class StoredTables final : public Tables {
public:
    StoredTables(Connection& connection, MessageWriter& writer, const SecretBox& secrets,
                 Condition& condition)
        : connection_(connection),
          writer_(writer),
          secrets_(secrets),
          condition_(condition),
          people_(connection, secrets, row_changes_),
          campaigns_(connection, writer, row_changes_),
          contacts_(connection, writer),
          retention_(
              {.connection = connection,
               .writer = writer,
               .people = people_,
               .prune_key = [this](const PruneLimits& limits) { return prune_key(limits); }}),
          savepoint_(connection, "SAVEPOINT change"),
          roll_back_(connection, "ROLLBACK TO SAVEPOINT change"),
          release_(connection, "RELEASE SAVEPOINT change") {}

    /// Undoes the writes of a failed change, and adds those of a successful one to `row_changes`. A
    /// violated constraint fails the change as `conflict`. Throws Failure for any other failure of
    /// the store.
    void apply(Change& change, std::vector<RowChange>& row_changes);

    /// Call after a rollback of the batch.
    void forget() { secrets_at_most_.clear(); }

    /// Removes one of the oldest keys that retention no longer keeps. False: there is none.
    [[nodiscard]] bool prune_key(const PruneLimits& limits);

    PeopleTables& people() noexcept override { return people_; }
    CampaignTables& campaigns() noexcept override { return campaigns_; }
    ContactTables& contacts() noexcept override { return contacts_; }
    [[nodiscard]] std::span<const RowChange> written() const noexcept override {
        return row_changes_;
    }
    Result<model::AuditId> add_audit(const AuditEntry& entry) override;
    Result<void> end_audit(model::AuditId entry, std::string_view outcome,
                           std::string_view after) override;
    Result<std::optional<model::Account>> find_account(model::AccountId id) override;
    Result<model::AccountId> create_account(const model::Account& account) override;
    Result<model::Account> update_account(model::AccountId account,
                                          const AccountPatch& patch) override;
    Result<void> rotate_webhook_secret(model::AccountId account, const Bytes& secret,
                                       Timestamp until) override;
    Result<void> set_credit(model::AccountId account, std::optional<std::int64_t> credit,
                            const CreditNote& note) override;
    Result<std::int64_t> add_credit(model::AccountId account, std::int64_t amount,
                                    const CreditNote& note) override;
    Result<std::optional<model::ApiKey>> find_key(model::KeyId id) override;
    Result<std::size_t> count_live_keys(model::AccountId account, Timestamp now) override;
    Result<model::KeyId> create_key(const model::ApiKey& key) override;
    Result<model::ApiKey> revoke_key(model::KeyId key, Timestamp at) override;
    Result<model::ApiKey> expire_key(model::KeyId key, Timestamp at) override;
    Result<std::optional<model::Device>> find_device(model::PhoneNumber number) override;
    Result<DeviceDecision> add_device(const model::Device& device, bool webhook_given) override;
    Result<model::Device> update_device(model::PhoneNumber number,
                                        const DevicePatch& patch) override;
    Result<std::optional<model::Device>> set_device_state(
        const DeviceIdentity& device, model::DeviceState state, std::string_view reason,
        Timestamp since, std::optional<Timestamp> restricted_until) override;
    Result<bool> has_queue(model::PhoneNumber device) override;
    Result<void> remove_device(model::PhoneNumber device) override;
    Result<void> set_down_since(model::PhoneNumber device, std::optional<Timestamp> since) override;
    Result<void> forget_lane(model::PhoneNumber device, model::AccountId former) override;
    Result<void> add_callback(const model::Callback& callback) override;
    Result<void> replay_callback(model::EventId event, Timestamp due, Timestamp at) override;
    Result<void> release_message(model::MessageId message, Timestamp due, Timestamp at) override;
    Result<void> fail_message(model::MessageId message, const model::Completion& completion,
                              const std::optional<model::Callback>& callback) override;
    Result<std::optional<Bytes>> device_secret(model::PhoneNumber device,
                                               std::string_view name) override;
    Result<void> clear_device_secrets(model::PhoneNumber device) override;
    Result<void> put_device_secret(model::PhoneNumber device, std::string_view name,
                                   const std::optional<Bytes>& value) override;
    Result<void> replace_device_secrets(model::PhoneNumber device,
                                        const std::vector<DeviceSecret>& secrets) override;
    Result<bool> note_inbound(model::PhoneNumber device, std::string_view platform_id,
                              Timestamp now) override;
    Result<void> keep_received_media(const ReceivedMedia& media) override;
    Result<NotedStatus> note_status(model::PhoneNumber device, std::string_view platform_id,
                                    const model::PlatformStatus& status, Timestamp now) override;
    Result<void> count_report(const model::Message& message, model::Progress progress,
                              Timestamp now) override;
    Result<Named> name_message(const model::Device& device, std::string_view platform_id,
                               model::MessageId message) override;
    Result<std::optional<PlatformMessage>> find_platform_message(
        model::PhoneNumber device, std::string_view platform_id) override;
    Result<std::vector<PlatformMessage>> undecided(Timestamp until, std::size_t limit,
                                                   const ShardSet& shards) override;
    Result<std::optional<Timestamp>> next_decide_by() override;
    Result<bool> end_handed_over(const model::Message& message, const model::Completion& completion,
                                 const std::optional<model::Callback>& callback) override;
    Result<bool> return_to_lane(const Reschedule& place) override;
    Result<void> note_event(model::MessageId message, const model::MessageEvent& event) override;
    Result<std::optional<model::AccountId>> owner_of_message(
        model::MessageId message, std::optional<model::PhoneNumber> device) override;
    void accept(Accept& accept) override { writer_.accept(accept); }
    Result<std::optional<IdempotencyRecord>> find_idempotency(model::AccountId account,
                                                              std::string_view key) override;
    Result<void> put_idempotency(const IdempotencyRecord& record) override;
    Result<bool> claim_idempotency(const IdempotencyRecord& record) override;
    Result<void> set_clock_offset(Millis offset) override;
    Result<PruneStep> prune(const PruneLimits& limits) override;
    Result<void> begin_summary() override;
    Result<bool> put_summary(const MessageSummary& summary) override;

private:
    // The `written_…` functions read the row that was just written, and report it.
    [[nodiscard]] Result<model::Account> written_account(model::AccountId id);
    [[nodiscard]] Result<void> check_known(model::AccountId account);
    [[nodiscard]] Result<model::ApiKey> written_key(model::KeyId id);
    void remove_spare_keys(model::AccountId account, Timestamp now);
    void remove_key(const model::ApiKey& key);
    [[nodiscard]] model::Device written_device(model::PhoneNumber number, bool is_new);
    [[nodiscard]] Result<void> check_cloud_free(model::PhoneNumber number,
                                                std::string_view phone_number_id);
    [[nodiscard]] Result<void> update_cloud(const model::Device& was, const DevicePatch& patch);
    void remove_lane(model::PhoneNumber device);
    [[nodiscard]] bool has_room(model::AccountId account, std::uint32_t devices_max);
    void settle(const model::Message& message, const model::Completion& completion,
                model::MessageState from);
    void flush();
    struct Held {
        model::Message message;
        model::Completion completion;
    };
    [[nodiscard]] Result<Held> find_held(model::MessageId message);
    void note_earlier_progress(const model::Message& message, const model::Completion& completion);
    void note_held(const Held& held);
    void add_undecided(std::vector<std::int64_t>& due, Timestamp until, std::size_t limit,
                       const ShardSet& shards);
    void add_undecided_in_turn(std::vector<std::int64_t>& due, Timestamp until, std::size_t limit,
                               const ShardSet& shards);

    Connection& connection_;
    MessageWriter& writer_;
    const SecretBox& secrets_;
    Condition& condition_;
    std::vector<RowChange> row_changes_;  // Of the running change.
    StoredPeople people_;
    StoredCampaigns campaigns_;
    StoredContacts contacts_;
    Retention retention_;
    Statement savepoint_;
    Statement roll_back_;
    Statement release_;
    // Messages that were handed over and could not be read; not tried again.
    std::unordered_set<std::int64_t> undecidable_;
    std::int64_t decided_to_ = 0;  // The device that last had its turn (undecided).
    // By device number: a bound on the number of the device's secrets, because counting them reads
    // them all. Insertions raise it, also those that are rolled back; at the limit the secrets are
    // counted again. A count that is rolled back is forgotten, because more secrets may be there.
    std::unordered_map<std::int64_t, std::int64_t> secrets_at_most_;
    std::vector<std::int64_t> secrets_counted_;  // Devices counted in the running change.
};

}  // namespace merpati::store::sql
