// Devices: limits, owners, states, and messages whose sender has gone.
#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using Decided = DeviceDecision::Result;

struct DeviceTest : StoreTest {
    model::Device wanted(std::int64_t number = 6281100000001) {
        return {
            .number = model::PhoneNumber::from_stored(number),
            .account = account,
            .connector = "simulator",
            .state = model::DeviceState::connected,
            .webhook_url = "https://example.com/device",
            .pace = {.gap_min = 2s, .jitter_max = 500ms, .per_day_max = 900, .warm_up_days = 3},
            .created_at = clock.now(),
            .state_since = clock.now(),
            .state_reason = "dihubungkan",
            .pause = model::Pause{.reason = model::PauseReason::paired_again, .since = clock.now()},
            .resumed_at = clock.now() - 1h,
            .after_pairing = model::QueueChoice::send,
            .notified = model::DeviceState::connected};
    }
    /// A device of the official platform.
    model::Device official(std::int64_t number = 6281100000001, std::string id = "1055") {
        auto made = wanted(number);
        made.connector = "cloud";
        made.cloud = {.phone_number_id = std::move(id), .waba_id = "207"};
        return made;
    }
    Result<model::Device> update(model::PhoneNumber number, const DevicePatch& patch) {
        Result<model::Device> updated = fail(ErrorCode::store_failed, "the change did not run");
        (void)change([&](Tables& tables) -> Result<void> {
            updated = tables.update_device(number, patch);
            return updated ? Result<void>{} : pass(updated);
        });
        return updated;
    }
    Decided add(const model::Device& made, bool webhook_given = true) {
        return take(add_device(made, webhook_given)).result;
    }
    Result<void> remove() {
        return change([&](Tables& tables) { return tables.remove_device(device); });
    }
    Result<std::optional<model::Device>> set_state(const DeviceIdentity& which,
                                                   model::DeviceState state) {
        Result<std::optional<model::Device>> set;
        (void)change([&](Tables& tables) -> Result<void> {
            set = tables.set_device_state(which, state, "kata platform", clock.now());
            return set ? Result<void>{} : pass(set);
        });
        return set;
    }
    std::vector<model::Device> devices() { return take(reader()->devices()); }

    Accept::Result accept_as_it_is(std::unique_ptr<model::Message> message) {
        WriteBatch batch;
        batch.accepts.push_back({.message = std::move(message)});
        write_as_it_is(batch);
        return batch.accepts.front().result;
    }
};

TEST_P(DeviceTest, EveryFieldIsKept) {
    const auto made = wanted();
    ASSERT_EQ(add(made), Decided::added);
    ASSERT_EQ(devices().size(), 1);
    const auto stored = devices()[0];
    EXPECT_EQ(stored.number, device);
    EXPECT_EQ(stored.account, account);
    EXPECT_EQ(stored.connector, made.connector);
    EXPECT_EQ(stored.state, made.state);
    EXPECT_EQ(stored.webhook_url, made.webhook_url);
    EXPECT_EQ(stored.pace, made.pace);
    EXPECT_EQ(stored.created_at, made.created_at);
    EXPECT_EQ(stored.state_since, made.state_since);
    EXPECT_EQ(stored.state_reason, made.state_reason);
    EXPECT_EQ(stored.pause, made.pause);
    EXPECT_EQ(stored.resumed_at, made.resumed_at);
    EXPECT_EQ(stored.after_pairing, made.after_pairing);
    EXPECT_EQ(stored.notified, made.notified);
}

TEST_P(DeviceTest, TheEndOfARestrictionIsPartOfItsState) {
    ASSERT_EQ(add(wanted()), Decided::added);
    const auto restrict_until = [&](std::optional<Timestamp> until) {
        Result<std::optional<model::Device>> set;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            set = tables.set_device_state(DeviceIdentity::of(wanted()),
                                          model::DeviceState::restricted, "kata platform",
                                          clock.now() + 1s, until);
            return {};
        }));
        return take(std::move(set)).has_value();
    };
    EXPECT_TRUE(restrict_until(clock.now() + 1h));
    EXPECT_FALSE(restrict_until(clock.now() + 1h));
    EXPECT_TRUE(restrict_until(clock.now() + 2h));
    EXPECT_EQ(devices()[0].restricted_until, clock.now() + 2h);
    EXPECT_EQ(devices()[0].state_since, clock.now() + 1s);
    ASSERT_TRUE(set_state(DeviceIdentity::of(wanted()), model::DeviceState::connected));
    EXPECT_EQ(devices()[0].restricted_until, std::nullopt);
}

TEST_P(DeviceTest, AddingItAgainChangesTheGivenWebhookAndNothingElse) {
    ASSERT_EQ(add(wanted()), Decided::added);
    ASSERT_TRUE(set_state(DeviceIdentity::of(wanted()), model::DeviceState::disconnected));
    auto again = wanted();
    again.webhook_url = "";
    EXPECT_EQ(add(again, false), Decided::known);
    EXPECT_EQ(devices()[0].webhook_url, "https://example.com/device");
    again.webhook_url = "https://example.com/other";
    EXPECT_EQ(add(again, true), Decided::known);
    ASSERT_EQ(devices().size(), 1);
    EXPECT_EQ(devices()[0].webhook_url, "https://example.com/other");
    EXPECT_EQ(devices()[0].state, model::DeviceState::disconnected);
}

TEST_P(DeviceTest, OnlyWhatIsGivenChanges) {
    ASSERT_EQ(add(wanted()), Decided::added);
    const auto paced = update(device, {.pace = {.gap_min = 5s, .warm_up_days = 0}});
    ASSERT_TRUE(paced);
    EXPECT_EQ(paced->pace, (model::Pace{.gap_min = 5s, .jitter_max = 500ms, .per_day_max = 900}));
    EXPECT_EQ(paced->webhook_url, wanted().webhook_url);
    ASSERT_TRUE(update(device, {.webhook_url = ""}));
    EXPECT_EQ(devices()[0].pace, paced->pace);
    EXPECT_EQ(devices()[0].webhook_url, "");
    EXPECT_EQ(devices()[0].state, wanted().state);
    EXPECT_EQ(devices()[0].pause, wanted().pause);
    EXPECT_EQ(devices()[0].notified, wanted().notified);
    ASSERT_TRUE(
        update(device, {.pause = std::optional<model::Pause>{}, .resumed_at = clock.now()}));
    EXPECT_EQ(devices()[0].pause, std::nullopt);
    EXPECT_EQ(devices()[0].resumed_at, clock.now());
    EXPECT_EQ(devices()[0].after_pairing, model::QueueChoice::send);
    ASSERT_TRUE(update(device, {.after_pairing = std::optional<model::QueueChoice>{},
                                .notified = std::optional<model::DeviceState>{}}));
    EXPECT_EQ(devices()[0].after_pairing, std::nullopt);
    EXPECT_EQ(devices()[0].notified, std::nullopt);
    EXPECT_EQ(devices()[0].resumed_at, clock.now());
    const auto nobody = model::PhoneNumber::from_stored(6281100000009);
    EXPECT_EQ(update(nobody, {.webhook_url = ""}).error().code, ErrorCode::not_found);
}

TEST_P(DeviceTest, WhatTheOfficialPlatformCallsItIsKept) {
    ASSERT_EQ(add(official()), Decided::added);
    EXPECT_EQ(devices()[0].cloud, official().cloud);
    ASSERT_TRUE(update(device, {.fallback_template = "pesan:id"}));
    ASSERT_TRUE(update(device, {.cloud = DevicePatch::Cloud{.phone_number_id = "1056"}}));
    EXPECT_EQ(devices()[0].cloud,
              (model::CloudNumber{
                  .phone_number_id = "1056", .waba_id = "207", .fallback_template = "pesan:id"}));
    ASSERT_TRUE(
        update(device, {.cloud = DevicePatch::Cloud{.waba_id = ""}, .fallback_template = ""}));
    EXPECT_EQ(devices()[0].cloud, (model::CloudNumber{.phone_number_id = "1056"}));
}

TEST_P(DeviceTest, ADeviceWithoutAnIdOfThePlatformGetsItBeforeAnythingElseThere) {
    ASSERT_EQ(add(wanted()), Decided::added);
    EXPECT_EQ(update(device, {.fallback_template = "pesan:id"}).error().code, ErrorCode::refused);
    EXPECT_EQ(update(device, {.cloud = DevicePatch::Cloud{}}).error().code, ErrorCode::refused);
    EXPECT_EQ(devices()[0].cloud, std::nullopt);
    ASSERT_TRUE(update(device, {.cloud = DevicePatch::Cloud{.phone_number_id = "1055"}}));
    EXPECT_EQ(devices()[0].cloud, (model::CloudNumber{.phone_number_id = "1055"}));
}

TEST_P(DeviceTest, AnIdOfThePlatformBelongsToOneDeviceUntilThatIsRemoved) {
    const auto other = model::PhoneNumber::from_stored(6281100000002);
    ASSERT_EQ(add(official()), Decided::added);
    EXPECT_EQ(add_device(official(6281100000002)).error().code, ErrorCode::conflict);
    ASSERT_EQ(devices().size(), 1);
    ASSERT_EQ(add(official(6281100000002, "1056")), Decided::added);
    const auto taken = update(other, {.webhook_url = "https://example.com/other",
                                      .cloud = DevicePatch::Cloud{.phone_number_id = "1055"}});
    EXPECT_EQ(taken.error().code, ErrorCode::conflict);
    EXPECT_EQ(devices()[1].webhook_url, wanted().webhook_url);
    EXPECT_TRUE(update(device, {.cloud = DevicePatch::Cloud{.phone_number_id = "1055"}}));
    ASSERT_TRUE(remove());
    EXPECT_TRUE(update(other, {.cloud = DevicePatch::Cloud{.phone_number_id = "1055"}}));
}

TEST_P(DeviceTest, OnlyNewAccessToThePlatformIsReportedAsSuch) {
    ASSERT_EQ(add(official()), Decided::added);
    WriteBatch batch;
    for (const auto& patch :
         {DevicePatch{.webhook_url = ""}, DevicePatch{.fallback_template = "pesan:id"},
          DevicePatch{.cloud = DevicePatch::Cloud{}}}) {
        batch.changes.push_back({.run = [&, patch](Tables& tables) -> Result<void> {
            take(tables.update_device(device, patch));
            return {};
        }});
    }
    write(batch);
    std::vector<bool> reported;
    for (const auto& row : batch.row_changes) {
        reported.push_back(std::get<DeviceWritten>(row).has_new_access);
    }
    EXPECT_EQ(reported, (std::vector{false, false, true}));
}

TEST_P(DeviceTest, ANumberBelongsToOneAccount) {
    ASSERT_EQ(add(wanted()), Decided::added);
    const auto owner = account;
    account = create_account();
    const auto decision = take(add_device(wanted()));
    EXPECT_EQ(decision.result, Decided::owned_by_another);
    EXPECT_EQ(decision.device.account, owner);
    ASSERT_EQ(devices().size(), 1);
    EXPECT_EQ(devices()[0].account, owner);
}

TEST_P(DeviceTest, AnAccountHasNoMoreDevicesThanItsLimit) {
    WriteBatch batch;
    std::vector<Decided> decided(4);
    batch.changes.push_back({.run = [&](Tables& tables) -> Result<void> {
        take(tables.update_account(account, {.devices_max = 2}));
        return {};
    }});
    for (int count = 0; count < 4; ++count) {
        batch.changes.push_back({.run = [&, count](Tables& tables) -> Result<void> {
            decided[static_cast<std::size_t>(count)] =
                take(tables.add_device(wanted(6281100000001 + count), true)).result;
            return {};
        }});
    }
    write(batch);
    EXPECT_EQ(decided,
              (std::vector{Decided::added, Decided::added, Decided::no_room, Decided::no_room}));
    EXPECT_EQ(devices().size(), 2);
    EXPECT_EQ(add(wanted()), Decided::known);
    ASSERT_TRUE(remove());
    EXPECT_EQ(add(wanted(6281100000009)), Decided::added);
}

TEST_P(DeviceTest, AStateIsSetOnceAndOnlyOfTheDeviceThatIsMeant) {
    const auto which = DeviceIdentity::of(wanted());
    EXPECT_EQ(set_state(which, model::DeviceState::banned).error().code, ErrorCode::not_found);
    ASSERT_EQ(add(wanted()), Decided::added);
    clock.advance(1min);
    EXPECT_EQ(take(set_state(which, model::DeviceState::connected)), std::nullopt);
    const auto banned = take(set_state(which, model::DeviceState::banned));
    ASSERT_TRUE(banned);
    EXPECT_EQ(banned->state, model::DeviceState::banned);
    EXPECT_EQ(devices()[0].state, model::DeviceState::banned);
    EXPECT_EQ(devices()[0].state_since, clock.now());
    EXPECT_EQ(devices()[0].state_reason, "kata platform");

    ASSERT_TRUE(remove());
    ASSERT_EQ(add(wanted()), Decided::added);  // Another device with the same number.
    EXPECT_EQ(set_state(which, model::DeviceState::banned).error().code, ErrorCode::not_found);
    EXPECT_EQ(devices()[0].state, model::DeviceState::connected);
}

TEST_P(DeviceTest, IsRemovedOnlyWhenNothingWaitsInItsLane) {
    const auto has_queue = [&] {
        bool has = false;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            has = take(tables.has_queue(device));
            return {};
        }));
        return has;
    };
    EXPECT_EQ(remove().error().code, ErrorCode::not_found);
    ASSERT_EQ(add(wanted()), Decided::added);
    EXPECT_FALSE(has_queue());
    const auto made = accepted();
    EXPECT_TRUE(has_queue());
    EXPECT_EQ(remove().error().code, ErrorCode::conflict);
    ASSERT_TRUE(finish(finish_of(made)));
    EXPECT_TRUE(remove());
    EXPECT_TRUE(devices().empty());
}

TEST_P(DeviceTest, ItsQueueIsCountedWithItsOldestMessage) {
    EXPECT_EQ(take(reader()->queue_of(device, 10)).count, 0);
    EXPECT_EQ(take(reader()->queue_of(device, 10)).oldest, std::nullopt);
    const auto oldest = accepted_due(clock.now() + 1h);
    clock.advance(1s);
    const auto due = accepted();
    const auto queue = take(reader()->queue_of(device, 10));
    EXPECT_EQ(queue.count, 2);
    EXPECT_EQ(queue.oldest, oldest.id);
    EXPECT_EQ(queue.oldest_accepted_at, oldest.accepted_at);
    EXPECT_EQ(queue.due_from, due.due_at);
    EXPECT_FALSE(queue.has_more);
    const auto cut = take(reader()->queue_of(device, 1));
    EXPECT_EQ(cut.count, 1) << "no further than it was asked to look";
    EXPECT_TRUE(cut.has_more);
    ASSERT_TRUE(finish(finish_of(oldest)));
    EXPECT_EQ(take(reader()->queue_of(device, 10)).oldest, due.id);
    EXPECT_EQ(take(reader()->queue_of(model::PhoneNumber::from_stored(62811), 10)).count, 0);
}

TEST_P(DeviceTest, AMessageWhoseSenderHasGoneIsRefused) {
    account = create_account(5);
    device = device_of(account);
    EXPECT_EQ(accept_as_it_is(message()), Accept::Result::sender_gone);
    ASSERT_EQ(add(wanted(device.value())), Decided::added);
    EXPECT_EQ(accept_as_it_is(message()), Accept::Result::stored);

    auto of_another = message();
    of_another->account = create_account();
    EXPECT_EQ(accept_as_it_is(std::move(of_another)), Accept::Result::sender_gone);
    EXPECT_EQ(credit_of(account), 4);
    EXPECT_EQ(take(reader()->waiting_messages(100'000)), 1);
}

TEST_P(DeviceTest, AMessageIsRefusedInTheBatchThatRemovesItsSender) {
    ASSERT_EQ(add(wanted()), Decided::added);
    WriteBatch batch;
    batch.changes.push_back({.run = [&](Tables& tables) { return tables.remove_device(device); }});
    batch.accepts.push_back({.message = message()});
    write_as_it_is(batch);
    EXPECT_TRUE(batch.changes[0].result);
    EXPECT_EQ(batch.accepts[0].result, Accept::Result::sender_gone);
    EXPECT_EQ(take(reader()->waiting_messages(100'000)), 0);
}

TEST_P(DeviceTest, AHeldMessageIsNotReleasedToADeviceOfAnotherAccount) {
    ASSERT_EQ(add(wanted()), Decided::added);
    const auto made = accepted();
    ASSERT_TRUE(finish(finish_of(made, model::MessageState::held)));
    const auto release = [&] {
        return change([&](Tables& tables) {
            return tables.release_message(made.id, clock.now(), clock.now());
        });
    };
    ASSERT_TRUE(remove());
    EXPECT_EQ(release().error().code, ErrorCode::refused);
    const auto owner = account;
    account = create_account();
    ASSERT_EQ(add(wanted()), Decided::added);
    EXPECT_EQ(release().error().code, ErrorCode::refused);
    EXPECT_EQ(take(reader()->waiting_messages(100'000)), 0);

    ASSERT_TRUE(remove());
    account = owner;
    ASSERT_EQ(add(wanted()), Decided::added);
    EXPECT_TRUE(release());
    EXPECT_EQ(take(reader()->waiting_messages(100'000)), 1);
}

INSTANTIATE_TEST_SUITE_P(Engines, DeviceTest, ::testing::ValuesIn(engines_and_cuts()), name_of);

}  // namespace
}  // namespace merpati::store
