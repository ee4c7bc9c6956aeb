// Accounts, keys, devices, and changes that fail alone.
#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;

struct TablesTest : StoreTest {
    model::Account account_record() {
        auto found = take(reader()->account(account));
        EXPECT_TRUE(found);
        return found ? std::move(*found) : model::Account{};
    }

    model::Device device_record() {
        return {.number = device,
                .account = account,
                .connector = model::ConnectorKind::simulator,
                .state = model::DeviceState::connected,
                .webhook_url = "https://example.com/device",
                .pace = {.gap_min = 2s, .jitter_max = 500ms, .per_day_max = 900},
                .created_at = clock.now(),
                .state_since = clock.now()};
    }

    Result<void> put(const model::Device& made) {
        return change([&](Tables& tables) { return tables.put_device(made); });
    }

    Result<std::int64_t> add_credit(std::int64_t amount) {
        Result<std::int64_t> balance = 0;
        const auto changed = change([&](Tables& tables) -> Result<void> {
            balance = tables.add_credit(account, amount);
            return balance ? Result<void>{} : fail(balance.error().code, balance.error().detail);
        });
        EXPECT_EQ(changed.has_value(), balance.has_value());
        return balance;
    }
};

TEST_P(TablesTest, KeepsEveryFieldOfAnAccount) {
    auto made = account_record();
    made.name = "Warung Siti";
    made.plan = model::Plan::trial;
    made.expires_at = clock.now() + 720h;
    made.rate = *model::RateChoice::parse("600/min");
    made.callback_url = "https://example.com/default";
    made.delivery = model::Delivery::at_most_once;
    made.devices_max = 3;
    made.webhook_secret = Bytes(32, std::byte{1});
    made.webhook_secret_previous = Bytes(32, std::byte{2});
    made.previous_secret_until = clock.now() + 24h;
    ASSERT_TRUE(change([&](Tables& tables) { return tables.update_account(made); }));

    const auto stored = account_record();
    EXPECT_EQ(stored.id, account);
    EXPECT_EQ(stored.name, made.name);
    EXPECT_EQ(stored.plan, made.plan);
    EXPECT_EQ(stored.expires_at, made.expires_at);
    EXPECT_EQ(stored.rate, made.rate);
    EXPECT_EQ(stored.callback_url, made.callback_url);
    EXPECT_EQ(stored.delivery, made.delivery);
    EXPECT_EQ(stored.devices_max, 3);
    EXPECT_EQ(stored.webhook_secret, made.webhook_secret);
    EXPECT_EQ(stored.webhook_secret_previous, made.webhook_secret_previous);
    EXPECT_EQ(stored.previous_secret_until, made.previous_secret_until);
    EXPECT_EQ(stored.created_at, clock.now());
}

TEST_P(TablesTest, UpdatingAnAccountLeavesItsCreditAlone) {
    account = create_account(10);
    auto stale = account_record();
    accepted();
    ASSERT_TRUE(change([&](Tables& tables) { return tables.update_account(stale); }));
    EXPECT_EQ(credit_of(account), 9);
}

TEST_P(TablesTest, NamesAnAccountThatIsNotThere) {
    const model::AccountId nobody{999};
    EXPECT_FALSE(take(reader()->account(nobody)));
    const auto set = change([&](Tables& tables) { return tables.set_credit(nobody, 1); });
    EXPECT_EQ(set.error().code, ErrorCode::not_found);
    const auto updated = change([&](Tables& tables) {
        model::Account stranger;
        stranger.id = nobody;
        return tables.update_account(stranger);
    });
    EXPECT_EQ(updated.error().code, ErrorCode::not_found);
    account = nobody;
    EXPECT_EQ(add_credit(5).error().code, ErrorCode::not_found);
}

TEST_P(TablesTest, AddsCreditToTheBalance) {
    EXPECT_EQ(take(add_credit(5)), 5);  // Was not counted before.
    EXPECT_EQ(take(add_credit(-2)), 3);
    EXPECT_EQ(add_credit(-4).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(add_credit(std::numeric_limits<std::int64_t>::max()).error().code,
              ErrorCode::invalid_argument);
    EXPECT_EQ(credit_of(account), 3);
}

TEST_P(TablesTest, ChangesOfABatchSeeTheCreditOfItsFinishes) {
    account = create_account(1);
    const auto made = accepted();
    WriteBatch batch;
    batch.finishes.push_back(finish_of(made, model::MessageState::failed));
    std::int64_t balance = 0;
    batch.changes.push_back({.run = [&](Tables& tables) -> Result<void> {
        balance = take(tables.add_credit(account, 10));
        return {};
    }});
    batch.accepts.push_back({.message = message()});
    write(batch);
    EXPECT_EQ(balance, 11);
    EXPECT_EQ(credit_of(account), 10);
}

TEST_P(TablesTest, KeepsEveryFieldOfAKey) {
    model::ApiKey key{.account = account,
                      .name = "toko",
                      .hint = "mpt_9fK2",
                      .digest = sha256("the key"),
                      .revision = model::Revision::b,
                      .created_at = clock.now()};
    ASSERT_TRUE(change([&](Tables& tables) -> Result<void> {
        key.id = take(tables.create_key(key));
        return {};
    }));
    key.name = "kasir";
    key.revision = std::nullopt;
    key.expires_at = clock.now() + 1h;
    key.revoked_at = clock.now() + 2h;
    ASSERT_TRUE(change([&](Tables& tables) { return tables.update_key(key); }));

    const auto keys = take(reader()->keys());
    ASSERT_EQ(keys.size(), 1);
    EXPECT_EQ(keys[0].id, key.id);
    EXPECT_EQ(keys[0].account, account);
    EXPECT_EQ(keys[0].name, "kasir");
    EXPECT_EQ(keys[0].hint, "mpt_9fK2");
    EXPECT_EQ(keys[0].digest, key.digest);
    EXPECT_EQ(keys[0].revision, std::nullopt);
    EXPECT_EQ(keys[0].created_at, clock.now());
    EXPECT_EQ(keys[0].expires_at, key.expires_at);
    EXPECT_EQ(keys[0].revoked_at, key.revoked_at);

    key.id = {99};
    const auto updated = change([&](Tables& tables) { return tables.update_key(key); });
    EXPECT_EQ(updated.error().code, ErrorCode::not_found);
}

TEST_P(TablesTest, KeepsEveryFieldOfADevice) {
    const auto made = device_record();
    ASSERT_TRUE(put(made));
    const auto devices = take(reader()->devices());
    ASSERT_EQ(devices.size(), 1);
    EXPECT_EQ(devices[0].number, device);
    EXPECT_EQ(devices[0].account, account);
    EXPECT_EQ(devices[0].connector, made.connector);
    EXPECT_EQ(devices[0].state, made.state);
    EXPECT_EQ(devices[0].webhook_url, made.webhook_url);
    EXPECT_EQ(devices[0].pace, made.pace);
    EXPECT_EQ(devices[0].created_at, made.created_at);
    EXPECT_EQ(devices[0].state_since, made.state_since);
}

TEST_P(TablesTest, PuttingADeviceAgainChangesIt) {
    auto made = device_record();
    ASSERT_TRUE(put(made));
    made.webhook_url = "https://example.com/other";
    ASSERT_TRUE(put(made));
    const auto devices = take(reader()->devices());
    ASSERT_EQ(devices.size(), 1);
    EXPECT_EQ(devices[0].webhook_url, "https://example.com/other");
}

TEST_P(TablesTest, ANumberBelongsToOneAccount) {
    ASSERT_TRUE(put(device_record()));
    const auto owner = account;
    account = create_account();
    EXPECT_EQ(put(device_record()).error().code, ErrorCode::conflict);
    const auto devices = take(reader()->devices());
    ASSERT_EQ(devices.size(), 1);
    EXPECT_EQ(devices[0].account, owner);
}

TEST_P(TablesTest, SetsADevicesState) {
    const auto set = [&](model::DeviceState state) {
        return change([&, state](Tables& tables) {
            return tables.set_device_state(device, state, clock.now());
        });
    };
    EXPECT_EQ(set(model::DeviceState::banned).error().code, ErrorCode::not_found);
    ASSERT_TRUE(put(device_record()));
    clock.advance(1min);
    ASSERT_TRUE(set(model::DeviceState::banned));
    const auto devices = take(reader()->devices());
    EXPECT_EQ(devices[0].state, model::DeviceState::banned);
    EXPECT_EQ(devices[0].state_since, clock.now());
}

TEST_P(TablesTest, RemovesADeviceOnlyWhenNothingWaitsInItsLane) {
    const auto remove = [&] {
        return change([&](Tables& tables) { return tables.remove_device(device); });
    };
    EXPECT_EQ(remove().error().code, ErrorCode::not_found);
    ASSERT_TRUE(put(device_record()));
    const auto made = accepted();
    EXPECT_EQ(remove().error().code, ErrorCode::conflict);
    ASSERT_TRUE(finish(finish_of(made)));
    EXPECT_TRUE(remove());
    EXPECT_TRUE(take(reader()->devices()).empty());
}

TEST_P(TablesTest, AFailedChangeIsUndoneAlone) {
    WriteBatch batch;
    const auto add = [&](std::int64_t amount, bool ends_well) {
        batch.changes.push_back({.run = [=, this](Tables& tables) -> Result<void> {
            take(tables.add_credit(account, amount));
            return ends_well ? Result<void>{} : fail(ErrorCode::refused, "changed its mind");
        }});
    };
    add(1, true);
    add(10, false);
    add(100, true);
    batch.accepts.push_back({.message = message()});
    write(batch);
    EXPECT_TRUE(batch.changes[0].result);
    ASSERT_FALSE(batch.changes[1].result);
    EXPECT_EQ(batch.changes[1].result.error().code, ErrorCode::refused);
    EXPECT_TRUE(batch.changes[2].result);
    EXPECT_EQ(batch.accepts[0].result, Accept::Result::stored);
    EXPECT_EQ(credit_of(account), 100);
}

TEST_P(TablesTest, AChangeThatBreaksARuleOfTheStoreIsUndoneAlone) {
    const model::ApiKey key{.account = account, .digest = sha256("one key")};
    WriteBatch batch;
    for (int count = 0; count < 2; ++count) {
        batch.changes.push_back({.run = [&](Tables& tables) -> Result<void> {
            auto created = tables.create_key(key);
            return created ? Result<void>{} : pass(created);
        }});
    }
    write(batch);
    EXPECT_TRUE(batch.changes[0].result);
    ASSERT_FALSE(batch.changes[1].result);
    EXPECT_EQ(batch.changes[1].result.error().code, ErrorCode::conflict);
    EXPECT_EQ(take(reader()->keys()).size(), 1);
}

TEST_P(TablesTest, KeepsWhatAnIdempotencyKeyStandsFor) {
    IdempotencyRecord record{.account = account,
                             .key = "add-device-1",
                             .fingerprint = sha256("body"),
                             .created_at = clock.now()};
    const auto put_record = [&] {
        return change([&](Tables& tables) { return tables.put_idempotency(record); });
    };
    ASSERT_TRUE(put_record());
    record.status = 200;
    record.answer = R"({"success":true})";
    ASSERT_TRUE(put_record());

    const auto check = [&](const std::optional<IdempotencyRecord>& stored) {
        ASSERT_TRUE(stored);
        EXPECT_EQ(stored->account, account);
        EXPECT_EQ(stored->key, "add-device-1");
        EXPECT_EQ(stored->fingerprint, record.fingerprint);
        EXPECT_EQ(stored->message, std::nullopt);
        EXPECT_EQ(stored->status, 200);
        EXPECT_EQ(stored->answer, record.answer);
        EXPECT_EQ(stored->created_at, clock.now());
    };
    check(take(reader()->idempotency(account, "add-device-1")));
    EXPECT_FALSE(take(reader()->idempotency(account, "add-device-2")));
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        check(take(tables.find_idempotency(account, "add-device-1")));
        EXPECT_FALSE(take(tables.find_idempotency(account, "add-device-2")));
        return {};
    }));
}

INSTANTIATE_TEST_SUITE_P(Engines, TablesTest, ::testing::ValuesIn(engines()), name_of);

TEST_P(TablesTest, KeepsWhatALaneMustKnowAfterARestart) {
    EXPECT_TRUE(take(reader()->lane_records()).empty());
    const auto since = clock.now();
    const auto set = [&](std::optional<Timestamp> down_since) {
        ASSERT_TRUE(
            change([&](Tables& tables) { return tables.set_down_since(device, down_since); }));
    };
    set(since);
    const SentRecord sent{.last_at = since, .jitter = 5ms, .day_ends_at = since + 14h, .of_day = 7};
    WriteBatch batch;
    for (const std::uint32_t of_day : {6U, 7U}) {
        auto& end = batch.reschedules.emplace_back();  // Of no message: only its lane is written.
        end.device = device;
        end.sent = sent;
        end.sent->of_day = of_day;
    }
    write(batch);
    reopen();
    auto records = take(reader()->lane_records());
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].device, device);
    EXPECT_EQ(records[0].down_since, since);
    EXPECT_EQ(records[0].sent, sent);
    set(std::nullopt);
    records = take(reader()->lane_records());
    EXPECT_EQ(records[0].down_since, std::nullopt);
    EXPECT_EQ(records[0].sent, sent);
    ASSERT_TRUE(change([&](Tables& tables) { return tables.forget_lane(device); }));
    EXPECT_TRUE(take(reader()->lane_records()).empty());
}

}  // namespace
}  // namespace merpati::store
