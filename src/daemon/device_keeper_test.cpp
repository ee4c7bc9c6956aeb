// Reports of connectors: durable before they are answered, counted once, a share for each device.
#include <future>
#include <latch>

#include "connector/unavailable.hpp"
#include "daemon/concurrency_fixture.hpp"
#include "devices/changes.hpp"
#include "devices/connector_door.hpp"

namespace merpati::daemon {
namespace {

using namespace std::chrono_literals;

struct DeviceKeeperTest : ConcurrencyFixture {
    DeviceKeeperTest() {
        for (const auto device : {first, second}) {
            post("/devices",
                 fmt::format(
                     R"({{"account":"{}","number":"{}","webhook":"https://a.example.com/"}})",
                     account, device.text()),
                 "number");
        }
    }

    static connector::InboundMessage inbound(model::PhoneNumber device, std::string id) {
        return {.device = device,
                .platform_id = std::move(id),
                .sender = "6281234567890",
                .type = "text",
                .text = "halo",
                .media = {},
                .at = {}};
    }
    /// Reports, and waits for the answer.
    Result<void> report(connector::InboundMessage message) {
        std::promise<Result<void>> promise;
        events.inbound(std::move(message),
                       [&](Result<void> done) { promise.set_value(std::move(done)); });
        return promise.get_future().get();
    }
    /// What `ask` answers through the function that it gets.
    template <class Ask>
    static Result<void> answer_of(const Ask& ask) {
        std::promise<Result<void>> promise;
        ask([&](Result<void> done) { promise.set_value(std::move(done)); });
        return promise.get_future().get();
    }
    /// Nothing is committed until `go` is counted down.
    void keep_the_store_busy(std::latch& go) {
        EXPECT_TRUE(committer.change_always(
            [&go](store::Tables&) -> Result<void> {
                go.wait();
                return {};
            },
            [](const Result<void>&) {}));
    }
    std::size_t received() {
        std::size_t count = 0;
        for (const auto& queued : (*store->open_reader())->callbacks({.limit = 1'000})->records) {
            count += queued.callback.body.contains("message.received") ? 1 : 0;
        }
        return count;
    }
    Result<std::optional<Bytes>> secret(model::PhoneNumber device) {
        std::promise<Result<std::optional<Bytes>>> promise;
        secrets.get(device, {"session"}, devices::StoredSecrets::get_bytes_max, [&](auto found) {
            promise.set_value(found ? Result<std::optional<Bytes>>{found->at(0).second}
                                    : std::unexpected(found.error()));
        });
        return promise.get_future().get();
    }
    Result<void> keep(
        model::PhoneNumber device, connector::DeviceSecrets::Values values,
        connector::DeviceSecrets::Others others = connector::DeviceSecrets::Others::stay) {
        std::promise<Result<void>> promise;
        secrets.put(device, std::move(values), others,
                    [&](Result<void> done) { promise.set_value(std::move(done)); });
        return promise.get_future().get();
    }

    const std::string account = post("/admin/accounts", R"({"name":"Toko"})", "id");
    const model::PhoneNumber first = model::PhoneNumber::from_stored(6281100000001);
    const model::PhoneNumber second = model::PhoneNumber::from_stored(6281100000002);
};

TEST_F(DeviceKeeperTest, AnInboundMessageIsStoredWhenItIsAnsweredAndCountsOnce) {
    EXPECT_TRUE(report(inbound(first, "in-1")));
    EXPECT_EQ(received(), 1U);
    EXPECT_TRUE(report(inbound(first, "in-1")));
    EXPECT_EQ(received(), 1U);
    EXPECT_TRUE(report(inbound(second, "in-1")));
    EXPECT_EQ(received(), 2U);
}

TEST_F(DeviceKeeperTest, WhatNoPlatformSaysIsRefused) {
    EXPECT_EQ(report(inbound(first, "")).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(report(inbound(first, "a\nb")).error().code, ErrorCode::invalid_argument);
    auto long_text = inbound(first, "in-1");
    long_text.text = std::string(connector::InboundMessage::text_bytes_max + 1, 'x');
    EXPECT_EQ(report(std::move(long_text)).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(report(inbound(model::PhoneNumber::from_stored(62811), "in-1")).error().code,
              ErrorCode::not_found);
    EXPECT_EQ(received(), 0U);
}

TEST_F(DeviceKeeperTest, AWorkerThatTellsItsCapabilitiesAllTheTimeWaitsOnce) {
    std::latch go{1};
    keep_the_store_busy(go);
    const auto before = committer.counts().waiting;
    for (int frame = 0; frame < 1'000; ++frame) {
        events.capabilities_changed();
    }
    EXPECT_LE(committer.counts().waiting, before + 1);
    go.count_down();
    EXPECT_TRUE(report(inbound(first, "in-1")));  // The store works again.
}

TEST_F(DeviceKeeperTest, ADeviceThatFloodsKeepsOutNoOther) {
    std::latch go{1};
    keep_the_store_busy(go);
    std::atomic<int> stored = 0;
    std::atomic<int> busy = 0;
    const auto count = [&](const Result<void>& done) { ++(done ? stored : busy); };
    for (int message = 0; message < 1'000; ++message) {
        events.inbound(inbound(first, fmt::format("in-{}", message)), count);
    }
    EXPECT_EQ(busy, 744);
    std::promise<Result<void>> honest;
    events.inbound(inbound(second, "in-1"),
                   [&](Result<void> done) { honest.set_value(std::move(done)); });
    go.count_down();
    EXPECT_TRUE(honest.get_future().get());
    EXPECT_EQ(stored, 256);
    EXPECT_EQ(received(), 257U);
    EXPECT_TRUE(report(inbound(first, "in-999")));  // A refused report may be made again.
    EXPECT_EQ(received(), 258U);
}

TEST_F(DeviceKeeperTest, AReportThatIsToBeStoredAfterItsAccountHasLeftIsNotStored) {
    std::latch go{1};
    keep_the_store_busy(go);
    std::promise<Result<void>> answer;
    events.inbound(inbound(first, "in-1"),
                   [&](Result<void> done) { answer.set_value(std::move(done)); });
    ownership.set(store::ShardSet::all().list(), admission::Stay::elsewhere);
    go.count_down();
    const auto stored = answer.get_future().get();
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().code, ErrorCode::elsewhere);
    EXPECT_EQ(received(), 0U);
}

TEST_F(DeviceKeeperTest, LongReportsThatWaitAreFewer) {
    std::latch go{1};
    keep_the_store_busy(go);
    int busy = 0;
    for (int message = 0; message < 10; ++message) {
        auto longest = inbound(first, fmt::format("in-{}", message));
        longest.text = std::string(200'000, 'x');
        events.inbound(std::move(longest), [&](const Result<void>& done) { busy += done ? 0 : 1; });
    }
    EXPECT_EQ(busy, 5);
    go.count_down();
    EXPECT_TRUE(report(inbound(first, "in-10")));
    EXPECT_EQ(received(), 6U);
}

TEST_F(DeviceKeeperTest, APairingStepOfADeviceThatIsNotThereIsNotKept) {
    const auto gone = model::PhoneNumber::from_stored(62811);
    events.pairing(gone, {.method = "qr", .payload = "QR", .expires_at = {}});
    EXPECT_FALSE(keeper.pairing(gone).under_way);
    events.pairing(first, {.method = "qr", .payload = std::string(20'000, 'x'), .expires_at = {}});
    EXPECT_FALSE(keeper.pairing(first).under_way);
    events.pairing(first, {.method = "qr", .payload = "QR", .expires_at = {}});
    EXPECT_TRUE(keeper.pairing(first).under_way);
}

TEST_F(DeviceKeeperTest, SecretsAreKeptForADeviceAlone) {
    EXPECT_EQ(*secret(first), std::nullopt);
    EXPECT_TRUE(keep(first, {{"session", Bytes{std::byte{7}}}, {"key", Bytes(9)}}));
    EXPECT_EQ(*secret(first), Bytes{std::byte{7}});
    EXPECT_EQ(*secret(second), std::nullopt);
    // All values or none are stored.
    EXPECT_EQ(keep(first, {{"session", Bytes{std::byte{8}}}, {"", Bytes(1)}}).error().code,
              ErrorCode::refused);
    EXPECT_EQ(*secret(first), Bytes{std::byte{7}});
    EXPECT_EQ(keep(model::PhoneNumber::from_stored(62811), {{"session", Bytes(1)}}).error().code,
              ErrorCode::not_found);
}

TEST_F(DeviceKeeperTest, SecretsAreReplacedInOneStepAndReadWithinALimit) {
    EXPECT_TRUE(keep(first, {{"session", Bytes{std::byte{7}}}, {"key", Bytes(9)}}));
    EXPECT_TRUE(keep(first, {{"new", Bytes(3)}}, connector::DeviceSecrets::Others::go));
    EXPECT_EQ(*secret(first), std::nullopt);
    for (const auto* name : {"session", "a", "b"}) {
        EXPECT_TRUE(keep(first, {{name, Bytes(400'000)}}));
    }
    std::promise<ErrorCode> refused;
    secrets.get(first, {"a", "b", "session"}, devices::StoredSecrets::get_bytes_max,
                [&](const auto& found) { refused.set_value(found.error().code); });
    EXPECT_EQ(refused.get_future().get(), ErrorCode::refused);
}

TEST_F(DeviceKeeperTest, AConnectorSpeaksForItsOwnDevicesAlone) {
    const auto stranger = doors.of("stranger");
    EXPECT_EQ(answer_of([&](auto stored) {
                  stranger.events.inbound(inbound(first, "in-1"), std::move(stored));
              })
                  .error()
                  .code,
              ErrorCode::not_found);
    EXPECT_EQ(answer_of([&](auto stored) {
                  stranger.events.late_status(
                      {.device = first, .platform_id = "out-1", .message = {}, .status = {}},
                      std::move(stored));
              })
                  .error()
                  .code,
              ErrorCode::not_found);
    EXPECT_EQ(answer_of([&](auto stored) {
                  stranger.events.device_state(first, model::DeviceState::banned, "palsu",
                                               std::move(stored));
              })
                  .error()
                  .code,
              ErrorCode::not_found);
    stranger.events.pairing(first, {.method = "qr", .payload = "QR", .expires_at = {}});
    EXPECT_FALSE(keeper.pairing(first).under_way);
    EXPECT_EQ(directory.find_device(first)->state, model::DeviceState::connected);
    EXPECT_EQ(received(), 0U);

    EXPECT_TRUE(keep(first, {{"session", Bytes(1)}}));
    std::promise<ErrorCode> refused;
    stranger.secrets.get(first, {"session"}, devices::StoredSecrets::get_bytes_max,
                         [&](const auto& found) { refused.set_value(found.error().code); });
    EXPECT_EQ(refused.get_future().get(), ErrorCode::not_found);
    EXPECT_EQ(answer_of([&](auto stored) {
                  stranger.secrets.put(first, {{"session", Bytes(2)}},
                                       connector::DeviceSecrets::Others::go, std::move(stored));
              })
                  .error()
                  .code,
              ErrorCode::not_found);
    EXPECT_EQ(*secret(first), Bytes(1));

    EXPECT_TRUE(answer_of([&](auto stored) {
        doors.of("checking").events.inbound(inbound(first, "in-1"), std::move(stored));
    }));
    EXPECT_EQ(received(), 1U);
}

TEST_F(DeviceKeeperTest, AnOutcomeOfAnotherConnectorsDeviceIsLeftOut) {
    platform->holds_outcomes = true;
    const auto key = post("/keys", fmt::format(R"({{"account":"{}"}})", account), "key");
    ASSERT_EQ(send(key, first.text()).status, 200);
    platform->sent.wait(0);
    const auto stored = [&] {
        return (*store->open_reader())->messages({.limit = 1})->records.at(0);
    };
    const auto id = stored().message.id;
    doors.of("stranger")
        .events.outcome(id, first, {.kind = model::Outcome::Kind::failed, .details = "palsu"});
    events.outcome(id, first,
                   {.kind = model::Outcome::Kind::sent, .code = model::StatusCode::sent});
    stop();
    ASSERT_TRUE(stored().completion);
    EXPECT_EQ(stored().completion->code, model::StatusCode::sent);
}

/// The connector's door found its device just before the number moved to another connector.
TEST_F(DeviceKeeperTest, AReportBelongsToTheDeviceThatItsConnectorHad) {
    auto before = *directory.find_device(first);
    before.connector = "stranger";
    before.created_at -= Millis{1};
    keeper.pairing(before, {.method = "qr", .payload = "QR", .expires_at = {}});
    EXPECT_FALSE(keeper.pairing(first).under_way);
    std::promise<Result<void>> received_by_it;
    keeper.inbound(before, inbound(first, "in-1"),
                   [&](Result<void> done) { received_by_it.set_value(std::move(done)); });
    EXPECT_EQ(received_by_it.get_future().get().error().code, ErrorCode::not_found);
    std::promise<Result<void>> late;
    keeper.late_status(before,
                       {.device = first, .platform_id = "out-1", .message = {}, .status = {}},
                       [&](Result<void> done) { late.set_value(std::move(done)); });
    EXPECT_EQ(late.get_future().get().error().code, ErrorCode::not_found);
    std::promise<void> state;
    keeper.device_state(before, model::DeviceState::banned, "diblokir",
                        [&](const Result<void>&) { state.set_value(); });
    state.get_future().get();
    EXPECT_EQ(directory.find_device(first)->state, model::DeviceState::connected);
    for (const auto& queued : (*store->open_reader())->callbacks({.limit = 100})->records) {
        EXPECT_TRUE(queued.callback.body.contains("device.connected")) << queued.callback.body;
    }
}

/// A connector that is late means a device that was removed; its number has a new owner.
TEST_F(DeviceKeeperTest, WhatConcernsAnEarlierDeviceOfTheNumberTouchesNoLaterOne) {
    auto earlier = model::DeviceIdentity::of(*directory.find_device(first));
    ASSERT_TRUE(keep(first, {{"session", Bytes(3)}}));
    earlier.created_at -= Millis{1};
    auto message = inbound(first, "in-1");
    message.device = earlier;
    EXPECT_EQ(report(std::move(message)).error().code, ErrorCode::not_found);
    EXPECT_EQ(received(), 0U);
    const auto put = [&](connector::DeviceSecrets::Others others) {
        return answer_of([&](auto stored) {
            secrets.put(earlier, {{"session", Bytes(1)}}, others, std::move(stored));
        });
    };
    EXPECT_EQ(put(connector::DeviceSecrets::Others::stay).error().code, ErrorCode::not_found);
    EXPECT_EQ(put(connector::DeviceSecrets::Others::go).error().code, ErrorCode::not_found);
    EXPECT_EQ(secret(first).value(), Bytes(3));
    EXPECT_EQ(answer_of([&](auto stored) {
                  events.device_state(earlier, model::DeviceState::banned, "diblokir",
                                      std::move(stored));
              })
                  .error()
                  .code,
              ErrorCode::not_found);
    events.pairing(earlier, {.method = "qr", .payload = "QR", .expires_at = {}});
    EXPECT_FALSE(keeper.pairing(first).under_way);
    EXPECT_EQ(directory.find_device(first)->state, model::DeviceState::connected);
}

TEST_F(DeviceKeeperTest, APairingDoesNotOutliveTheProcess) {
    EXPECT_TRUE(answer_of([&](auto stored) {
        events.device_state(first, model::DeviceState::pairing, "menunggu", std::move(stored));
    }));
    ASSERT_EQ(directory.find_device(first)->state, model::DeviceState::pairing);
    ASSERT_TRUE(keeper.start());                  // As after a restart.
    EXPECT_TRUE(report(inbound(first, "in-1")));  // Is committed after the state.
    const auto device = directory.find_device(first);
    EXPECT_EQ(device->state, model::DeviceState::disconnected);
    EXPECT_FALSE(device->state_reason.empty());
    EXPECT_EQ(directory.find_device(second)->state, model::DeviceState::connected);
}

TEST_F(DeviceKeeperTest, WhatIsReportedOfADeviceThatBecameAnotherIsNotStored) {
    std::latch go{1};
    EXPECT_TRUE(committer.change_always(
        [&](store::Tables& tables) -> Result<void> {
            go.wait();
            const auto was = tables.find_device(first);
            EXPECT_TRUE(tables.remove_device(first));
            auto next = **was;
            next.created_at += Millis{1};
            EXPECT_TRUE(tables.add_device(next, true));
            return {};
        },
        [](const Result<void>& done) { EXPECT_TRUE(done); }));
    std::promise<Result<void>> late;
    events.inbound(inbound(first, "in-1"),
                   [&](Result<void> done) { late.set_value(std::move(done)); });
    go.count_down();
    EXPECT_EQ(late.get_future().get().error().code, ErrorCode::not_found);
    EXPECT_EQ(received(), 0U);
}

TEST_F(DeviceKeeperTest, APairingCanBeReadUntilItEnds) {
    events.pairing(first, {.method = "qr", .payload = "satu", .expires_at = {}});
    EXPECT_TRUE(keeper.pairing(first).under_way);
    EXPECT_EQ(keeper.pairing(first).payload, "satu");
    EXPECT_FALSE(keeper.pairing(second).under_way);
    std::promise<void> stored;
    events.device_state(first, model::DeviceState::logged_out, "dikeluarkan",
                        [&](const Result<void>&) { stored.set_value(); });
    stored.get_future().get();
    EXPECT_FALSE(keeper.pairing(first).under_way);
    EXPECT_EQ(keeper.pairing(first).reason, "dikeluarkan");
    EXPECT_EQ(directory.find_device(first)->state, model::DeviceState::logged_out);
}

TEST_F(DeviceKeeperTest, APairingThatIsTakenUpAgainGoesOnWithItsStep) {
    std::promise<void> stored;
    events.device_state(first, model::DeviceState::pairing, "menunggu",
                        [&](const Result<void>&) { stored.set_value(); });
    stored.get_future().get();
    events.pairing(first, {.method = "qr", .payload = "satu", .expires_at = clock.wall_now() + 1h});
    EXPECT_TRUE(keeper.pair(first, "", std::nullopt));
    EXPECT_EQ(keeper.pairing(first).payload, "satu");
    EXPECT_EQ(directory.find_device(first)->state, model::DeviceState::pairing);
    events.pairing(first, {.method = "qr", .payload = "dua", .expires_at = clock.wall_now() - 1s});
    EXPECT_TRUE(keeper.pair(first, "", std::nullopt));
    EXPECT_EQ(keeper.pairing(first).payload, "");  // The connector was asked again.
}

TEST_F(DeviceKeeperTest, AStepExpiresByTheWallClock) {
    clock.begin(-2h, {});  // As after the wall clock was set forward by two hours.
    std::promise<void> stored;
    events.device_state(first, model::DeviceState::pairing, "menunggu",
                        [&](const Result<void>&) { stored.set_value(); });
    stored.get_future().get();
    events.pairing(first, {.method = "qr", .payload = "satu", .expires_at = clock.wall_now() - 1s});
    EXPECT_TRUE(keeper.pair(first, "", std::nullopt));
    EXPECT_EQ(keeper.pairing(first).payload, "");  // The connector was asked again.
}

struct MovingTest : DeviceKeeperTest {
    using Exported = api::manage::DeviceControl::Exported;

    ErrorCode connect_code(Exported exported = Exported::refuse) {
        const auto connected = keeper.connect(first, exported);
        return connected ? ErrorCode::busy : connected.error().code;
    }
    void mark_exported() {
        ASSERT_TRUE(committer.change_and_wait([&](store::Tables& tables) -> Result<void> {
            const auto marked = tables.update_device(first, {.exported_at = clock.now()});
            return marked ? Result<void>{} : pass(marked);
        }));
    }
};

TEST_F(MovingTest, ADeviceWhoseConnectorDidNotStartIsMovedLater) {
    ASSERT_TRUE(keeper.disconnect(first));
    const connector::Unavailable unavailable{platform->capabilities(), events};
    const auto refused = devices::check_still(*directory.find_device(first), unavailable);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_TRUE(refused.error().detail.contains("it did not start")) << refused.error().detail;
}

TEST_F(MovingTest, NobodyConnectsOrPairsADeviceWhileItIsMoved) {
    EXPECT_EQ(keeper.keep_still(first).error().code, ErrorCode::conflict) << "it is connected";
    ASSERT_TRUE(keeper.disconnect(first));
    platform->holds_settling = true;
    auto moving = std::async(std::launch::async, [&] { return keeper.keep_still(first); });
    platform->is_settling.wait(false);
    EXPECT_EQ(connect_code(), ErrorCode::conflict) << "its connector still writes";
    platform->settle({});
    {
        const auto still = moving.get();
        ASSERT_TRUE(still);
        EXPECT_EQ(connect_code(), ErrorCode::conflict);
        EXPECT_EQ(keeper.pair(first, "", std::nullopt).error().code, ErrorCode::conflict);
        EXPECT_EQ(keeper.keep_still(first).error().code, ErrorCode::conflict);
        EXPECT_TRUE(keeper.connect(second, Exported::refuse));
    }
    EXPECT_TRUE(keeper.connect(first, Exported::refuse));
}

TEST_F(MovingTest, WhatTheConnectorDoesNotSettleIsNotMoved) {
    ASSERT_TRUE(keeper.disconnect(first));
    platform->holds_settling = true;
    auto moving = std::async(std::launch::async, [&] { return keeper.keep_still(first); });
    platform->is_settling.wait(false);
    platform->settle(fail(ErrorCode::busy, "not in time"));
    EXPECT_EQ(moving.get().error().code, ErrorCode::busy);
    EXPECT_TRUE(keeper.connect(first, Exported::refuse));
}

TEST_F(MovingTest, AnExportedDeviceIsConnectedOnlyByWhoSaysSo) {
    ASSERT_TRUE(keeper.disconnect(first));
    mark_exported();
    const auto refused = keeper.connect(first, Exported::refuse);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_TRUE(refused.error().detail.contains("--force")) << refused.error().detail;
    EXPECT_EQ(directory.find_device(first)->state, model::DeviceState::disconnected);
    const auto connected = keeper.connect(first, Exported::connect);
    ASSERT_TRUE(connected);
    EXPECT_EQ(connected->state, model::DeviceState::connected);
    EXPECT_FALSE(connected->exported_at);
}

TEST_F(MovingTest, AnExportedDeviceIsPairedAnewWithoutItsOldSecrets) {
    EXPECT_TRUE(keep(first, {{"session", Bytes(1)}}));
    ASSERT_TRUE(keeper.disconnect(first));
    mark_exported();
    EXPECT_TRUE(keeper.pair(first, "", std::nullopt));
    EXPECT_FALSE(*secret(first));
    EXPECT_FALSE(directory.find_device(first)->exported_at);
}

TEST_F(MovingTest, APairingThatCannotBeginChangesNothing) {
    const auto pair_code = [&](model::PhoneNumber number) {
        return keeper.pair(number, "sms", model::QueueChoice::send).error().code;
    };
    EXPECT_TRUE(keep(first, {{"session", Bytes(1)}}));
    ASSERT_TRUE(keeper.disconnect(first));
    ASSERT_TRUE(keeper.disconnect(second));
    mark_exported();
    for (const auto number : {first, second}) {
        EXPECT_EQ(keeper.check_pairing(number, "sms").error().code, ErrorCode::refused);
        EXPECT_EQ(pair_code(number), ErrorCode::refused);
        EXPECT_FALSE(directory.find_device(number)->after_pairing) << "nothing is planned";
    }
    EXPECT_EQ(*secret(first), Bytes(1));
    EXPECT_TRUE(directory.find_device(first)->exported_at);
    EXPECT_TRUE(keeper.check_pairing(first, ""));
    const auto still = keeper.keep_still(second);
    EXPECT_EQ(keeper.check_pairing(second, "").error().code, ErrorCode::conflict);
    EXPECT_EQ(keeper.check_pairing(model::PhoneNumber::from_stored(62811), "").error().code,
              ErrorCode::not_found);
}

}  // namespace
}  // namespace merpati::daemon
