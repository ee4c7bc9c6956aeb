// A reader that a test looks over the shoulder of.
#pragma once

#include <memory>

#include "store/reader.hpp"

namespace merpati::scheduler {

struct Watch {
    bool broken = false;  // Reads of lanes fail.
    int reads = 0;        // Reads of lanes.
};

/// Answers as the store's own reader, counts what is read, or fails.
class WatchedReader : public store::Reader {
public:
    WatchedReader(std::unique_ptr<store::Reader> real, Watch& watch)
        : real_(std::move(real)), watch_(watch) {}

    Result<std::vector<store::LaneSummary>> lanes() override { return real_->lanes(); }
    Result<std::vector<store::LaneRecord>> lane_records() override { return real_->lane_records(); }
    Result<std::vector<store::QueuedMessage>> load_lane(model::PhoneNumber device,
                                                        model::Source source, Timestamp before,
                                                        std::size_t limit,
                                                        const store::Known& known) override {
        ++watch_.reads;
        if (watch_.broken) {
            return fail(ErrorCode::store_failed, "disk I/O error");
        }
        return real_->load_lane(device, source, before, limit, known);
    }
    Result<std::optional<Timestamp>> next_due(model::PhoneNumber device, model::Source source,
                                              Timestamp from) override {
        return real_->next_due(device, source, from);
    }
    // The rest is not asked by the dispatcher.
    Result<std::vector<model::Account>> accounts() override { return real_->accounts(); }
    Result<std::vector<model::ApiKey>> keys() override { return real_->keys(); }
    Result<std::vector<model::Device>> devices() override { return real_->devices(); }
    Result<std::optional<model::Account>> account(model::AccountId id) override {
        return real_->account(id);
    }
    Result<std::int64_t> last_sequence() override { return real_->last_sequence(); }
    Result<Millis> clock_offset() override { return real_->clock_offset(); }
    Result<std::vector<model::AccountId>> callback_accounts() override {
        return real_->callback_accounts();
    }
    Result<std::vector<store::OriginSummary>> callback_origins(model::AccountId account,
                                                               std::optional<std::int64_t> after,
                                                               std::size_t limit) override {
        return real_->callback_origins(account, after, limit);
    }
    Result<std::vector<store::QueuedCallback>> load_callbacks(const store::Endpoint& endpoint,
                                                              Timestamp before, std::size_t limit,
                                                              const store::Known& known) override {
        return real_->load_callbacks(endpoint, before, limit, known);
    }
    Result<std::optional<Timestamp>> next_callback_due(const store::Endpoint& endpoint,
                                                       Timestamp from) override {
        return real_->next_callback_due(endpoint, from);
    }
    Result<std::optional<store::MessageRecord>> message(model::MessageId id) override {
        return real_->message(id);
    }
    Result<std::vector<store::MessageRecord>> messages(
        const store::MessageFilter& filter) override {
        return real_->messages(filter);
    }
    Result<std::optional<store::QueuedCallback>> callback(model::EventId id) override {
        return real_->callback(id);
    }
    Result<std::vector<store::QueuedCallback>> callbacks(
        const store::CallbackFilter& filter) override {
        return real_->callbacks(filter);
    }
    Result<std::optional<store::IdempotencyRecord>> idempotency(model::AccountId account,
                                                                std::string_view key) override {
        return real_->idempotency(account, key);
    }
    Result<std::uint64_t> waiting_messages() override { return real_->waiting_messages(); }

private:
    std::unique_ptr<store::Reader> real_;
    Watch& watch_;
};

}  // namespace merpati::scheduler
