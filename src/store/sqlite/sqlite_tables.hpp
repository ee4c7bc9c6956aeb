// The rare writes, on SQLite.
#pragma once

#include "store/secret_box.hpp"
#include "store/sqlite/connection.hpp"
#include "store/sqlite/message_writer.hpp"
#include "store/tables.hpp"

namespace merpati::store::sqlite {

/// Runs each Change in a savepoint of its own, inside the batch's transaction.
class SqliteTables final : public Tables {
public:
    SqliteTables(Connection& connection, MessageWriter& writer, const SecretBox& secrets)
        : connection_(connection), writer_(writer), secrets_(secrets) {}

    /// Undoes what a failed change has written. Throws Failure when the store itself failed.
    void apply(Change& change);

    Result<model::AccountId> create_account(const model::Account& account) override;
    Result<void> update_account(const model::Account& account) override;
    Result<void> set_credit(model::AccountId account, std::optional<std::int64_t> credit) override;
    Result<std::int64_t> add_credit(model::AccountId account, std::int64_t amount) override;
    Result<model::KeyId> create_key(const model::ApiKey& key) override;
    Result<void> update_key(const model::ApiKey& key) override;
    Result<void> put_device(const model::Device& device) override;
    Result<void> set_device_state(model::PhoneNumber device, model::DeviceState state,
                                  Timestamp since) override;
    Result<void> remove_device(model::PhoneNumber device) override;
    Result<void> set_down_since(model::PhoneNumber device, std::optional<Timestamp> since) override;
    Result<void> forget_lane(model::PhoneNumber device) override;
    Result<void> add_callback(const model::Callback& callback) override;
    Result<void> replay_callback(model::EventId event, Timestamp now) override;
    Result<void> release_message(model::MessageId message, Timestamp now) override;
    Result<void> fail_message(model::MessageId message, const model::Completion& completion,
                              const std::optional<model::Callback>& callback) override;
    Result<std::optional<IdempotencyRecord>> find_idempotency(model::AccountId account,
                                                              std::string_view key) override;
    Result<void> put_idempotency(const IdempotencyRecord& record) override;
    Result<void> set_clock_offset(Millis offset) override;
    Result<std::size_t> prune(const PruneLimits& limits) override;

private:
    [[nodiscard]] Result<void> changed_one(const char* what);
    [[nodiscard]] Result<model::Message> find_held(model::MessageId message);
    [[nodiscard]] std::size_t prune_messages(const PruneLimits& limits);
    [[nodiscard]] std::size_t prune_callbacks(const PruneLimits& limits);

    Connection& connection_;
    MessageWriter& writer_;
    const SecretBox& secrets_;
    // Where retention's walks stand; 0: at the start.
    std::int64_t messages_walked_to_ = 0;
    std::int64_t callbacks_walked_to_ = 0;
};

}  // namespace merpati::store::sqlite
