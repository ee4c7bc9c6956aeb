// Webhook notices of devices that lose their connection: true ones, each once.
#include "devices/lost_devices.hpp"

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/uuid.hpp"
#include "devices/changes.hpp"
#include "devices/restrictions.hpp"
#include "store/conformance/repeating_store.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::devices {
namespace {

using namespace std::chrono_literals;
using model::DeviceState;
using model::PauseReason;
using model::QueueChoice;

/// Passes everything on, except the next `fail_next` lasting changes, which fail.
class FailingStore final : public store::Store {
public:
    explicit FailingStore(store::Store& inner) : inner_(inner) {}

    std::atomic<int> fail_next = 0;

    Result<void> write(store::WriteBatch& batch) override {
        for (auto& change : batch.changes) {
            if (change.lasting && fail_next > 0) {
                --fail_next;
                change.run = [](store::Tables&) -> Result<void> {
                    return fail(ErrorCode::damaged, "a page cannot be read");
                };
            }
        }
        return inner_.write(batch);
    }
    Result<std::unique_ptr<store::Reader>> open_reader() override { return inner_.open_reader(); }
    Result<void> maintain(bool is_idle) override { return inner_.maintain(is_idle); }
    Result<void> checkpoint() override { return inner_.checkpoint(); }
    void look_at_disk() override { inner_.look_at_disk(); }
    Sha256 fingerprint(std::string_view text) const override { return inner_.fingerprint(text); }
    const store::Condition& condition() const noexcept override { return inner_.condition(); }
    std::uint64_t bytes_on_disk() const override { return inner_.bytes_on_disk(); }
    Result<void> backup(const std::filesystem::path& file) override { return inner_.backup(file); }

private:
    store::Store& inner_;
};

struct LostDevicesTest : ::testing::Test {
    LostDevicesTest() {
        committer.on_row_changed = [this](store::RowChange&& change) {
            if (const auto* written = std::get_if<store::DeviceWritten>(&change)) {
                lost.follow(written->device);
            }
        };
        committer.start();
        change([&](store::Tables& tables) -> Result<void> {
            add(tables, *tables.create_account({}), number);
            return {};
        });
    }

    static void add(store::Tables& tables, model::AccountId account, model::PhoneNumber device) {
        EXPECT_TRUE(tables.add_device({.number = device,
                                       .account = account,
                                       .connector = "linked",
                                       .state = DeviceState::connected,
                                       .webhook_url = "https://toko.example.com/",
                                       .notified = DeviceState::connected},
                                      true));
    }

    void change(std::move_only_function<Result<void>(store::Tables&)> run) {
        EXPECT_TRUE(committer.change_and_wait(std::move(run)));
    }
    void report(DeviceState state, std::string_view reason = "kata platform") {
        report(number, state, reason);
    }
    void report(model::PhoneNumber of, DeviceState state, std::string_view reason) {
        change([&](store::Tables& tables) -> Result<void> {
            const auto identity = store::DeviceIdentity::of(**tables.find_device(of));
            EXPECT_TRUE(record_state(tables, notices, identity, state, reason, clock.wall_now()));
            return {};
        });
    }
    void pass_time(Millis time) {
        machine.advance(time);
        lost.notify();
        change([](store::Tables&) -> Result<void> { return {}; });  // Waits for that of `notify`.
    }
    void accept() {
        auto message = std::make_unique<model::Message>();
        message->id = ids.next();
        message->account = device().account;
        message->device = number;
        message->recipient = "6281234567890";
        message->accepted_at = message->due_at = clock.now();
        EXPECT_TRUE(committer.accept({.message = std::move(message)}, [](store::Accept&&) {}));
        change([](store::Tables&) -> Result<void> { return {}; });
    }
    void plan(std::optional<QueueChoice> choice) {
        change([&](store::Tables& tables) { return plan_pairing(tables, number, choice); });
    }
    model::Device device() { return (*store->open_reader())->devices()->at(0); }

    /// The stored webhook notices, oldest first: "disconnected reconnecting: kata platform".
    std::vector<std::string> told() {
        std::vector<std::string> all;
        for (const auto& queued : (*store->open_reader())->callbacks({.limit = 100})->records) {
            const auto& body = queued.callback.body;
            const auto value = [&](std::string_view name) {
                const auto at = body.find("\"" + std::string{name} + "\":\"");
                const auto from = at + name.size() + 4;
                return at == std::string::npos ? std::string{}
                                               : body.substr(from, body.find('"', from) - from);
            };
            const auto reason = value("reason");
            all.insert(all.begin(), value("event").substr(7) + " " + value("state") +
                                        (reason.empty() ? "" : ": " + reason));
        }
        return all;
    }

    const model::PhoneNumber number = model::PhoneNumber::from_stored(6281100000001);
    testing::TemporaryFolder folder;
    testing::ManualClock machine;
    QueueClock clock{machine};
    testing::FixedRandom random;
    UuidSource ids{clock, random};
    Notices notices{clock, ids};
    std::unique_ptr<store::Store> store =
        store::open_repeating_store({.url = "sqlite:" + folder.file("merpati.db")});
    FailingStore failing{*store};
    store::Committer committer{
        clock, failing, {}, [](const Error& error) { ADD_FAILURE() << error.describe(); }};
    LostDevices lost{{.clock = clock,
                      .notices = notices,
                      .committer = committer,
                      .log = telemetry::Log::none()}};
};

TEST_F(LostDevicesTest, AWorkerThatRestartsNowAndThenIsToldToNobody) {
    for (int restart = 0; restart < 20; ++restart) {
        report(DeviceState::reconnecting, "Proses konektor berhenti");
        pass_time(20s);
        report(DeviceState::connected);
        pass_time(200s);
    }
    pass_time(1h);
    EXPECT_EQ(told(), std::vector<std::string>{});
}

TEST_F(LostDevicesTest, ADeviceThatComesAndGoesIsTold) {
    const auto lose = [&](int times) {
        for (int loss = 0; loss < times; ++loss) {
            report(DeviceState::reconnecting, "Koneksi terputus");
            pass_time(8s);
            report(DeviceState::connected);
            pass_time(2s);
        }
    };
    lose(3);
    EXPECT_EQ(told(), std::vector<std::string>{});
    lose(1);
    const std::string lost =
        "disconnected reconnecting: Koneksi terputus; sudah 4 kali terputus dalam waktu singkat";
    EXPECT_EQ(told(), (std::vector<std::string>{lost, "connected connected"}));
}

TEST_F(LostDevicesTest, ADeviceThatComesAndGoesForEverIsToldMoreAndMoreRarely) {
    const auto lose_for = [&](int minutes) {
        for (int loss = 0; loss < minutes * 3; ++loss) {
            report(DeviceState::reconnecting, "Koneksi terputus");
            pass_time(10s);
            report(DeviceState::connected);
            pass_time(10s);
        }
    };
    lose_for(60);
    EXPECT_GE(told().size(), 2U * 5);
    EXPECT_LE(told().size(), 2U * 10);
    const auto before = told().size();
    pass_time(LostDevices::calm_after);
    lose_for(2);
    EXPECT_EQ(told().size(), before + 2);
}

TEST_F(LostDevicesTest, OneThatStaysGoneIsToldOnceWithItsReasonAndOnceThatItIsBack) {
    report(DeviceState::reconnecting, "Proses konektor berhenti");
    pass_time(29'999ms);
    EXPECT_EQ(told(), std::vector<std::string>{});
    pass_time(1ms);
    const std::vector<std::string> lost_once{"disconnected reconnecting: Proses konektor berhenti"};
    EXPECT_EQ(told(), lost_once);
    pass_time(1h);
    report(DeviceState::reconnecting, "Konektor tidak dapat dijalankan");
    pass_time(1h);
    EXPECT_EQ(told(), lost_once);
    report(DeviceState::connected);
    report(DeviceState::connected);
    EXPECT_EQ(told(), (std::vector<std::string>{lost_once[0], "connected connected"}));
}

TEST_F(LostDevicesTest, ANoticeThatCannotBeStoredIsStoredLaterAndKeepsNoOtherBack) {
    const auto second = model::PhoneNumber::from_stored(6281100000002);
    change([&](store::Tables& tables) -> Result<void> {
        add(tables, (*tables.find_device(number))->account, second);
        return {};
    });
    report(number, DeviceState::reconnecting, "Proses konektor berhenti");
    report(second, DeviceState::reconnecting, "Proses konektor berhenti");
    failing.fail_next = 1;
    pass_time(30s);
    EXPECT_EQ(told().size(), 1U);
    pass_time(LostDevices::retry_after);
    EXPECT_EQ(told().size(), 2U);
    pass_time(1h);
    EXPECT_EQ(told().size(), 2U);
}

TEST_F(LostDevicesTest, WhyItIsDownForGoodIsToldAtOnceAndOnce) {
    for (const auto state : {DeviceState::logged_out, DeviceState::replaced, DeviceState::banned}) {
        report(DeviceState::reconnecting);
        report(state);
        report(DeviceState::reconnecting);
        report(state);
        pass_time(1h);
    }
    EXPECT_EQ(told(), (std::vector<std::string>{"disconnected logged_out: kata platform",
                                                "disconnected replaced: kata platform",
                                                "disconnected banned: kata platform"}));
}

struct RestrictionsTest : LostDevicesTest {
    RestrictionsTest() {
        committer.on_row_changed = [this](store::RowChange&& change) {
            if (const auto* written = std::get_if<store::DeviceWritten>(&change)) {
                restrictions.follow(written->device);
            }
        };
    }
    void restrict(Millis lasts) {
        change([&](store::Tables& tables) -> Result<void> {
            const auto identity = store::DeviceIdentity::of(**tables.find_device(number));
            EXPECT_TRUE(record_state(tables, notices, identity, DeviceState::restricted, "dibatasi",
                                     clock.wall_now(), clock.wall_now() + lasts));
            return {};
        });
    }
    void pass(Millis time) {
        machine.advance(time);
        restrictions.end();
        change([](store::Tables&) -> Result<void> { return {}; });  // Waits for that of `end`.
    }

    Restrictions restrictions{{.clock = clock,
                               .notices = notices,
                               .committer = committer,
                               .log = telemetry::Log::none()}};
};

TEST_F(RestrictionsTest, OneEndsAtItsEndAndBothAreTold) {
    restrict(1h);
    pass(1h - 1ms);
    EXPECT_EQ(device().state, DeviceState::restricted);
    pass(1ms);
    EXPECT_EQ(device().state, DeviceState::connected);
    EXPECT_EQ(device().restricted_until, std::nullopt);
    pass(1h);
    EXPECT_EQ(told(),
              (std::vector<std::string>{"restricted restricted: dibatasi", "connected connected"}));
}

TEST_F(RestrictionsTest, OneThatIsProlongedEndsLaterAndTheNewEndIsTold) {
    restrict(1h);
    restrict(1h);
    EXPECT_EQ(told().size(), 1U);
    restrict(2h);
    EXPECT_EQ(told().size(), 2U);
    pass(1h);
    EXPECT_EQ(device().state, DeviceState::restricted);
    pass(1h);
    EXPECT_EQ(device().state, DeviceState::connected);
}

TEST_F(RestrictionsTest, OneEndsAfterARestart) {
    restrict(1h);
    restrictions.forget(number);    // A restart forgets what is in memory,
    restrictions.follow(device());  // and begins with what is stored.
    pass(1h);
    EXPECT_EQ(device().state, DeviceState::connected);
}

TEST_F(RestrictionsTest, OneGoesOnAfterALostConnectionAndIsToldOnce) {
    restrict(2h);
    report(DeviceState::reconnecting);
    EXPECT_EQ(device().restricted_until, clock.wall_now() + 2h);
    pass(3h);
    EXPECT_EQ(device().state, DeviceState::reconnecting);
    machine.advance(-3h);
    restrict(2h);
    EXPECT_EQ(told(), std::vector<std::string>{"restricted restricted: dibatasi"});
    report(DeviceState::disconnected);
    EXPECT_EQ(device().restricted_until, std::nullopt);
}

TEST_F(LostDevicesTest, ARestrictedDeviceIsLostLikeAConnectedOne) {
    report(DeviceState::restricted, "dibatasi");
    report(DeviceState::reconnecting);
    pass_time(30s);
    report(DeviceState::restricted, "dibatasi");
    EXPECT_EQ(told(), (std::vector<std::string>{"restricted restricted: dibatasi",
                                                "disconnected reconnecting: kata platform",
                                                "restricted restricted: dibatasi"}));
}

TEST_F(LostDevicesTest, ADeviceThatWasLostBeforeARestartIsToldAfterIt) {
    report(DeviceState::reconnecting, "Gateway dimulai ulang; menunggu konektor");
    lost.forget(number);    // A restart forgets what is in memory,
    lost.follow(device());  // and begins with what is stored.
    pass_time(30s);
    ASSERT_EQ(told().size(), 1U);
    lost.forget(number);
    lost.follow(device());
    pass_time(1h);
    EXPECT_EQ(told().size(), 1U);
}

TEST_F(LostDevicesTest, WhatIsDueIsDecidedWhenItIsStored) {
    report(DeviceState::reconnecting);
    const auto before = device();
    report(DeviceState::connected);
    machine.advance(1s);
    report(DeviceState::reconnecting);
    change([&](store::Tables& tables) {
        return record_loss(tables, notices, store::DeviceIdentity::of(before), before.state_since);
    });
    EXPECT_EQ(told(), std::vector<std::string>{});
}

TEST_F(LostDevicesTest, MessagesThatWaitForADeviceThatIsPairedAgainAreHeld) {
    accept();
    report(DeviceState::logged_out);
    plan(std::nullopt);
    report(DeviceState::pairing);
    report(DeviceState::reconnecting);  // The platform restarts the connection.
    EXPECT_EQ(device().pause, std::nullopt);
    report(DeviceState::connected);
    const auto paired = device();
    ASSERT_TRUE(paired.pause);
    EXPECT_EQ(paired.pause->reason, PauseReason::paired_again);
    EXPECT_EQ(paired.after_pairing, std::nullopt);
    EXPECT_EQ(
        told().back(),
        "connected connected: Dipasangkan ulang; pesan yang menunggu ditahan sampai perangkat "
        "dilanjutkan");
}

TEST_F(LostDevicesTest, APairingThatNobodyAskedForHoldsTheQueueToo) {
    accept();
    report(DeviceState::disconnected);
    report(DeviceState::pairing);
    report(DeviceState::connected);
    EXPECT_TRUE(device().pause);
}

TEST_F(LostDevicesTest, NothingIsHeldWhereNothingWaitsOrSomebodyChoseToSend) {
    report(DeviceState::logged_out);
    report(DeviceState::pairing);
    report(DeviceState::connected);
    EXPECT_FALSE(device().pause);
    accept();
    report(DeviceState::logged_out);
    plan(QueueChoice::send);
    report(DeviceState::pairing);
    plan(std::nullopt);  // Pairing continues: the choice stays.
    report(DeviceState::connected);
    EXPECT_FALSE(device().pause);
    EXPECT_EQ(told().back(), "connected connected");
}

TEST_F(LostDevicesTest, AChoiceCountsForItsPairingAlone) {
    accept();
    report(DeviceState::logged_out);
    plan(QueueChoice::send);
    report(DeviceState::pairing);
    report(DeviceState::disconnected, "Kode QR kedaluwarsa");
    plan(std::nullopt);
    report(DeviceState::pairing);
    report(DeviceState::connected);
    EXPECT_TRUE(device().pause);
}

TEST_F(LostDevicesTest, AConnectionThatComesBackIsNoPairing) {
    accept();
    plan(std::nullopt);  // It is connected.
    for (const auto state : {DeviceState::reconnecting, DeviceState::connected,
                             DeviceState::disconnected, DeviceState::connected}) {
        report(state);
    }
    EXPECT_FALSE(device().pause);
}

TEST_F(LostDevicesTest, APauseThatSomebodyAskedForStaysTheirs) {
    accept();
    change([&](store::Tables& tables) -> Result<void> {
        EXPECT_TRUE(tables.update_device(number, {.pause = model::Pause{}}));
        return {};
    });
    report(DeviceState::logged_out);
    report(DeviceState::pairing);
    report(DeviceState::connected);
    EXPECT_EQ(device().pause->reason, PauseReason::asked);
}

}  // namespace
}  // namespace merpati::devices
