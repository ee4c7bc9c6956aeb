// Accounts, keys, devices, and changes that fail alone.
#include <array>

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
                .connector = "simulator",
                .state = model::DeviceState::connected,
                .webhook_url = "https://example.com/device",
                .pace = {.gap_min = 2s, .jitter_max = 500ms, .per_day_max = 900},
                .created_at = clock.now(),
                .state_since = clock.now()};
    }

    Result<model::Account> update(const AccountPatch& patch) {
        Result<model::Account> updated;
        (void)change([&](Tables& tables) -> Result<void> {
            updated = tables.update_account(account, patch);
            return updated ? Result<void>{} : pass(updated);
        });
        return updated;
    }

    /// Runs one change, and returns the rows that the store reports for it.
    std::vector<RowChange> rows_of(std::move_only_function<Result<void>(Tables&)> run) {
        WriteBatch batch;
        batch.changes.push_back({.run = std::move(run)});
        write_as_it_is(batch);
        return std::move(batch.row_changes);
    }

    model::KeyId create_key(std::string_view text, std::optional<Timestamp> expires_at = {}) {
        model::KeyId id;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            id = take(tables.create_key({.account = account,
                                         .name = "toko",
                                         .hint = "mpt_9fK2",
                                         .digest = sha256(text),
                                         .revision = model::Revision::b,
                                         .scopes = {model::Scope::messages_read},
                                         .created_at = clock.now(),
                                         .expires_at = expires_at}));
            return {};
        }));
        return id;
    }
    std::size_t live_keys() {
        std::size_t count = 0;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            count = take(tables.count_live_keys(account, clock.now()));
            return {};
        }));
        return count;
    }

    Result<std::int64_t> add_credit(std::int64_t amount) {
        Result<std::int64_t> balance = 0;
        const auto changed = change([&](Tables& tables) -> Result<void> {
            balance = tables.add_credit(account, amount, {});
            return balance ? Result<void>{} : fail(balance.error().code, balance.error().detail);
        });
        EXPECT_EQ(changed.has_value(), balance.has_value());
        return balance;
    }
};

TEST_P(TablesTest, KeepsEveryFieldOfAnAccount) {
    const auto old_secret = account_record().webhook_secret;
    const auto updated = take(update({.name = "Warung Siti",
                                      .plan = model::Plan::trial,
                                      .expires_at = clock.now() + 720h,
                                      .rate = *model::RateChoice::parse("600/min"),
                                      .callback_url = "https://example.com/default",
                                      .delivery = model::Delivery::at_most_once,
                                      .devices_max = 3,
                                      .callback_batch = model::CallbackBatch{100, 200ms}}));
    ASSERT_TRUE(change([&](Tables& tables) {
        return tables.rotate_webhook_secret(account, Bytes(32, std::byte{1}), clock.now() + 24h);
    }));
    EXPECT_EQ(updated.name, "Warung Siti");

    const auto stored = account_record();
    EXPECT_EQ(stored.id, account);
    EXPECT_EQ(stored.name, "Warung Siti");
    EXPECT_EQ(stored.plan, model::Plan::trial);
    EXPECT_EQ(stored.expires_at, clock.now() + 720h);
    EXPECT_EQ(stored.rate.text(), "600/min");
    EXPECT_EQ(stored.callback_url, "https://example.com/default");
    EXPECT_EQ(stored.delivery, model::Delivery::at_most_once);
    EXPECT_EQ(stored.devices_max, 3);
    EXPECT_EQ(stored.callback_batch, (model::CallbackBatch{100, 200ms}));
    EXPECT_EQ(stored.webhook_secret, Bytes(32, std::byte{1}));
    EXPECT_EQ(stored.webhook_secret_previous, old_secret);
    EXPECT_EQ(stored.previous_secret_until, clock.now() + 24h);
    EXPECT_EQ(stored.created_at, clock.now());
}

TEST_P(TablesTest, OnlyTheGivenFieldsOfAnAccountChange) {
    account = create_account(10);
    accepted();
    ASSERT_TRUE(update({.name = "Warung Siti", .expires_at = clock.now() + 1h}));
    ASSERT_TRUE(update({.plan = model::Plan::free}));
    ASSERT_TRUE(update({.devices_max = 7}));
    ASSERT_TRUE(update({.callback_batch = model::CallbackBatch{20, 0ms}}));
    EXPECT_EQ(account_record().expires_at, clock.now() + 1h);
    ASSERT_TRUE(update({.expires_at = std::optional<Timestamp>{}}));
    ASSERT_TRUE(update({}));
    EXPECT_EQ(account_record().callback_batch, (model::CallbackBatch{20, 0ms}));
    ASSERT_TRUE(update({.callback_batch = std::optional<model::CallbackBatch>{}}));

    const auto stored = account_record();
    EXPECT_EQ(stored.name, "Warung Siti");
    EXPECT_EQ(stored.plan, model::Plan::free);
    EXPECT_EQ(stored.devices_max, 7);
    EXPECT_EQ(stored.callback_batch, std::nullopt);
    EXPECT_EQ(stored.expires_at, std::nullopt);
    EXPECT_EQ(stored.callback_url, "");
    EXPECT_EQ(stored.credit, 9);
}

TEST_P(TablesTest, WritersOfDifferentFieldsBothStayThoughNeitherSawTheOther) {
    ASSERT_TRUE(add_device(device_record()));
    const auto key = create_key("the key");
    WriteBatch batch;
    const auto add = [&](std::move_only_function<Result<void>(Tables&)> run) {
        batch.changes.push_back({.run = std::move(run)});
    };
    const auto discard = [](const auto& result) -> Result<void> {
        return result ? Result<void>{} : std::unexpected(result.error());
    };
    add([&](Tables& tables) {
        return discard(tables.update_account(account, {.name = "Warung Siti"}));
    });
    add([&](Tables& tables) {
        return discard(tables.update_account(account, {.callback_url = "https://example.com/new"}));
    });
    add([&](Tables& tables) { return tables.set_credit(account, 5, {}); });
    add([&](Tables& tables) {
        return tables.rotate_webhook_secret(account, Bytes(32, std::byte{1}), clock.now());
    });
    add([&](Tables& tables) {
        return discard(tables.set_device_state(DeviceIdentity::of(device_record()),
                                               model::DeviceState::banned, "", clock.now()));
    });
    add([&](Tables& tables) {
        auto asked = device_record();
        asked.webhook_url = "https://example.com/other";
        return discard(tables.add_device(asked, true));
    });
    add([&](Tables& tables) { return discard(tables.expire_key(key, clock.now() + 1h)); });
    add([&](Tables& tables) { return discard(tables.revoke_key(key, clock.now())); });
    write_as_it_is(batch);
    for (const auto& change : batch.changes) {
        EXPECT_TRUE(change.result);
    }

    const auto stored = account_record();
    EXPECT_EQ(stored.name, "Warung Siti");
    EXPECT_EQ(stored.callback_url, "https://example.com/new");
    EXPECT_EQ(stored.credit, 5);
    EXPECT_EQ(stored.webhook_secret, Bytes(32, std::byte{1}));
    const auto devices = take(reader()->devices());
    ASSERT_EQ(devices.size(), 1);
    EXPECT_EQ(devices[0].state, model::DeviceState::banned);
    EXPECT_EQ(devices[0].webhook_url, "https://example.com/other");
    EXPECT_EQ(devices[0].pace, device_record().pace);
    const auto keys = take(reader()->keys());
    ASSERT_EQ(keys.size(), 1);
    EXPECT_EQ(keys[0].expires_at, clock.now() + 1h);
    EXPECT_EQ(keys[0].revoked_at, clock.now());
}

TEST_P(TablesTest, NamesAnAccountThatIsNotThere) {
    const model::AccountId unknown{999};
    EXPECT_FALSE(take(reader()->account(unknown)));
    const auto set = change([&](Tables& tables) { return tables.set_credit(unknown, 1, {}); });
    EXPECT_EQ(set.error().code, ErrorCode::not_found);
    account = unknown;
    EXPECT_EQ(add_credit(5).error().code, ErrorCode::not_found);
    EXPECT_EQ(update({.name = "x"}).error().code, ErrorCode::not_found);
    EXPECT_EQ(add_device(device_record()).error().code, ErrorCode::not_found);
}

TEST_P(TablesTest, AddsCreditToTheBalance) {
    EXPECT_EQ(take(add_credit(5)), 5);  // Credit was not counted before.
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
        balance = take(tables.add_credit(account, 10, {}));
        return {};
    }});
    batch.accepts.push_back({.message = message()});
    write(batch);
    EXPECT_EQ(balance, 11);
    EXPECT_EQ(credit_of(account), 10);
}

TEST_P(TablesTest, KeepsEveryFieldOfAKey) {
    const auto id = create_key("the key", clock.now() + 1h);
    const auto keys = take(reader()->keys());
    ASSERT_EQ(keys.size(), 1);
    EXPECT_EQ(keys[0].id, id);
    EXPECT_EQ(keys[0].account, account);
    EXPECT_EQ(keys[0].name, "toko");
    EXPECT_EQ(keys[0].hint, "mpt_9fK2");
    EXPECT_EQ(keys[0].digest, sha256("the key"));
    EXPECT_EQ(keys[0].revision, model::Revision::b);
    EXPECT_EQ(keys[0].created_at, clock.now());
    EXPECT_EQ(keys[0].expires_at, clock.now() + 1h);
    EXPECT_EQ(keys[0].revoked_at, std::nullopt);
}

TEST_P(TablesTest, AKeyEndsAtTheEarliestMomentThatWasDecided) {
    const auto id = create_key("the key");
    const auto expire = [&](Timestamp at) {
        std::optional<Timestamp> end;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            end = take(tables.expire_key(id, at)).expires_at;
            return {};
        }));
        return end;
    };
    EXPECT_EQ(expire(clock.now() + 2h), clock.now() + 2h);
    EXPECT_EQ(expire(clock.now() + 1h), clock.now() + 1h);
    EXPECT_EQ(expire(clock.now() + 3h), clock.now() + 1h);
    const auto unknown = change([](Tables& tables) -> Result<void> {
        auto expired = tables.expire_key({99}, {});
        return expired ? Result<void>{} : pass(expired);
    });
    EXPECT_EQ(unknown.error().code, ErrorCode::not_found);
}

TEST_P(TablesTest, ARevokedKeyStaysRevokedFromItsFirstMomentOn) {
    const auto id = create_key("the key");
    const auto first = clock.now();
    for (int time = 0; time < 2; ++time) {
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            EXPECT_EQ(take(tables.revoke_key(id, clock.now())).revoked_at, first);
            return {};
        }));
        clock.advance(1min);
    }
    const auto unknown = change([](Tables& tables) -> Result<void> {
        auto revoked = tables.revoke_key({99}, {});
        return revoked ? Result<void>{} : pass(revoked);
    });
    EXPECT_EQ(unknown.error().code, ErrorCode::not_found);
}

TEST_P(TablesTest, CountsTheKeysOfAnAccountThatWork) {
    create_key("one");
    create_key("two", clock.now() + 1h);
    const auto third = create_key("three");
    EXPECT_EQ(live_keys(), 3);
    ASSERT_TRUE(change([&](Tables& tables) -> Result<void> {
        take(tables.revoke_key(third, clock.now()));
        return {};
    }));
    EXPECT_EQ(live_keys(), 2);
    clock.advance(1h);
    EXPECT_EQ(live_keys(), 1);
    account = create_account();
    EXPECT_EQ(live_keys(), 0);
}

TEST_P(TablesTest, AFailedChangeIsUndoneAlone) {
    WriteBatch batch;
    const auto add = [&](std::int64_t amount, bool ends_well) {
        batch.changes.push_back({.run = [=, this](Tables& tables) -> Result<void> {
            take(tables.add_credit(account, amount, {}));
            return ends_well ? Result<void>{} : fail(ErrorCode::refused, "changed its mind");
        }});
    };
    add(1, true);
    add(10, false);
    add(100, true);
    batch.accepts.push_back({.message = message()});
    write(batch);
    EXPECT_EQ(batch.row_changes.size(), 2);
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

TEST_P(TablesTest, ReportsTheRowsThatAChangeWrote) {
    const auto added = rows_of([&](Tables& tables) -> Result<void> {
        take(tables.add_device(device_record(), true));
        take(tables.set_device_state(DeviceIdentity::of(device_record()),
                                     model::DeviceState::connected, "", clock.now()));
        return tables.add_callback({.id = ids.next(), .account = account});
    });
    ASSERT_EQ(added.size(), 2);  // The device had that state already.
    EXPECT_TRUE(std::get<DeviceWritten>(added[0]).is_new);
    EXPECT_EQ(std::get<model::Callback>(added[1]).account, account);

    const auto changed = rows_of([&](Tables& tables) -> Result<void> {
        take(tables.set_device_state(DeviceIdentity::of(device_record()),
                                     model::DeviceState::banned, "", clock.now()));
        take(tables.update_account(account, {.name = "Warung Siti"}));
        take(tables.create_key({.account = account, .digest = sha256("key")}));
        return tables.remove_device(device);
    });
    ASSERT_EQ(changed.size(), 4);
    EXPECT_FALSE(std::get<DeviceWritten>(changed[0]).is_new);
    EXPECT_EQ(std::get<model::Account>(changed[1]).name, "Warung Siti");
    EXPECT_EQ(std::get<model::ApiKey>(changed[2]).digest, sha256("key"));
    EXPECT_EQ(std::get<DeviceRemoved>(changed[3]).device.state, model::DeviceState::banned);
}

TEST_P(TablesTest, AnIdempotencyKeyIsClaimedOnceUntilItExpires) {
    IdempotencyRecord record{
        .account = account, .key = "monday", .fingerprint = sha256("a"), .created_at = clock.now()};
    const auto claim = [&] {
        bool claimed = false;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            claimed = take(tables.claim_idempotency(record));
            return {};
        }));
        return claimed;
    };
    EXPECT_TRUE(claim());
    record.fingerprint = sha256("b");
    EXPECT_FALSE(claim());
    EXPECT_EQ(take(reader()->idempotency(account, "monday"))->fingerprint, sha256("a"));
    record.created_at += IdempotencyRecord::kept;
    EXPECT_TRUE(claim());
    EXPECT_EQ(take(reader()->idempotency(account, "monday"))->fingerprint, sha256("b"));
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

INSTANTIATE_TEST_SUITE_P(Engines, TablesTest, ::testing::ValuesIn(engines_and_cuts()), name_of);

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
        auto& end =
            batch.reschedules.emplace_back();  // Of no message: only its SentRecord is written.
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
    const std::array devices{device};
    const auto starts = take(reader()->lane_starts(devices));
    ASSERT_EQ(starts.size(), 1);
    ASSERT_TRUE(starts.front().record);
    EXPECT_EQ(starts.front().record->down_since, records.front().down_since);
    EXPECT_EQ(starts.front().record->sent, records.front().sent);
    const auto record = take(reader()->lane_record(device));
    ASSERT_TRUE(record);
    EXPECT_EQ(record->device, device);
    EXPECT_EQ(record->down_since, since);
    EXPECT_EQ(record->sent, sent);
    set(std::nullopt);
    records = take(reader()->lane_records());
    EXPECT_EQ(records[0].down_since, std::nullopt);
    EXPECT_EQ(records[0].sent, sent);
    ASSERT_TRUE(change([&](Tables& tables) { return tables.forget_lane(device, account); }));
    EXPECT_TRUE(take(reader()->lane_records()).empty());
    EXPECT_FALSE(take(reader()->lane_record(device)));
}

/// Its process may die between the removal and what follows it, and another node add the number.
TEST_P(TablesTest, ADeviceThatIsAddedAnewHasNothingOfTheLaneOfTheFormer) {
    const auto set = [&] {
        ASSERT_TRUE(
            change([&](Tables& tables) { return tables.set_down_since(device, clock.now()); }));
    };
    EXPECT_TRUE(add_device(device_record()));
    set();
    ASSERT_TRUE(change([&](Tables& tables) { return tables.remove_device(device); }));
    EXPECT_FALSE(take(reader()->lane_record(device)));
    set();  // An outage that was noted before.
    EXPECT_TRUE(add_device(device_record()));
    EXPECT_FALSE(take(reader()->lane_record(device)));
}

TEST_P(TablesTest, ALaneIsNotForgottenOnceItsNumberIsAnotherAccounts) {
    const auto other = create_account();
    auto theirs = device_record();
    theirs.account = other;
    EXPECT_TRUE(add_device(theirs));
    ASSERT_TRUE(change([&](Tables& tables) { return tables.set_down_since(device, clock.now()); }));
    ASSERT_TRUE(change([&](Tables& tables) { return tables.forget_lane(device, account); }));
    EXPECT_TRUE(take(reader()->lane_record(device)));
    ASSERT_TRUE(change([&](Tables& tables) { return tables.forget_lane(device, other); }));
    EXPECT_FALSE(take(reader()->lane_record(device)));
}

}  // namespace
}  // namespace merpati::store
