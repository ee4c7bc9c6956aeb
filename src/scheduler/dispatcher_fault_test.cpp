// Faults: lanes that must not starve, outcomes reported twice, a store that cannot be read.
#include <algorithm>

#include "model/texts.hpp"
#include "scheduler/dispatcher_fixture.hpp"
#include "scheduler/platform_text.hpp"
#include "scheduler/watched_reader_fixture.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using Kind = model::Outcome::Kind;

struct FaultTest : DispatcherFixture {
    model::Device other_device(const char* number) {
        auto other = device;
        other.number = *model::PhoneNumber::parse(number);
        return other;
    }
    std::unique_ptr<model::Message> message_of(const model::Device& sender) {
        auto made = message();
        made->device = sender.number;
        return made;
    }
};

TEST_F(FaultTest, APassingFailureReportedTwiceIsRescheduledOnce) {
    start();
    const auto id = accept(message());
    std::vector<Event> twice;
    for (int report = 0; report < 2; ++report) {
        twice.emplace_back(
            Reported{.message = id, .outcome = {.kind = Kind::retry, .details = "sibuk"}});
    }
    dispatcher->step(twice);
    flush();
    settle();
    EXPECT_EQ(stored(id).attempts, 1U);
    EXPECT_EQ(dispatcher->counts().retries_total, 1U);
}

TEST_F(FaultTest, AnOutcomeOfAMessageThatIsNotBeingSentIsIgnored) {
    start();
    const auto id = accept(message(1s));
    report_sent(id);
    EXPECT_EQ(state(id), MessageState::pending);
    advance(1s);
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(FaultTest, DetailsAreNeverEmptyAndNeverLong) {
    start();
    const auto silent = accept(message());
    const auto refused = accept(message());
    const auto wordy = accept(message());
    post(Reported{.message = silent,
                  .outcome = {.kind = Kind::sent, .code = model::StatusCode::sent}});
    post(Reported{.message = refused, .outcome = {.kind = Kind::failed}});
    std::string text(5'000, 'x');
    text.insert(254, "é€");
    post(Reported{.message = wordy,
                  .outcome = {.kind = Kind::failed, .details = text, .platform_id = text}});
    EXPECT_EQ(stored(silent).completion->details, model::details::sent);
    EXPECT_EQ(stored(refused).completion->details, model::details::failed);
    EXPECT_EQ(stored(wordy).completion->details, std::string(254, 'x') + "é");
    EXPECT_LE(stored(wordy).completion->platform_id.size(), platform_text_max);
}

TEST_F(FaultTest, SlowLanesThatFillAllMemoryStarveNoOther) {
    options.memory_max = 32;
    connector->abilities.window = 1;
    device.pace.gap_min = 1min;
    const auto other = other_device("6289876543211");
    for (int count = 0; count < 64; ++count) {
        (void)commit(message());
    }
    start();
    post(DeviceChanged{.device = device});  // Takes what memory there is.
    auto changed = other;
    changed.pace = {};
    post(DeviceChanged{.device = changed});
    const auto quick = accept(message_of(other));
    const auto also = accept(message_of(other));
    report_sent(quick);
    EXPECT_EQ(connector->sent.back(), also);
}

TEST_F(FaultTest, LanesThePlatformKeepsWaitingStarveNoOther) {
    options.memory_max = 32;
    connector->abilities.window = 1;
    for (int count = 0; count < 64; ++count) {
        (void)commit(message());
    }
    start();
    post(DeviceChanged{.device = device});  // Takes what memory there is.
    const auto other = other_device("6289876543211");
    post(DeviceChanged{.device = other});
    const auto quick = accept(message_of(other));
    EXPECT_EQ(connector->sent.back(), quick);
    EXPECT_LE(dispatcher->counts().messages_in_memory, 32U + 2 * LaneMemory::reserve);
}

/// A lane whose memory is full of campaign messages, which wait for the gap.
struct FullLaneTest : FaultTest {
    Watch watch;

    FullLaneTest() {
        options.lane_memory_max = 8;
        device.pace.gap_min = 5s;
        wrap_reader = [this](std::unique_ptr<store::Reader> real) {
            return std::make_unique<WatchedReader>(std::move(real), watch);
        };
        for (int count = 0; count < 20; ++count) {
            auto one = message();
            one->source = model::Source::campaign;
            (void)commit(std::move(one));
        }
    }
    /// A read just before the next send fills the memory.
    void start_full() {
        start();
        for (int tenth = 0; tenth < 1'000; ++tenth) {
            report_sent(connector->sent.back());
            if (dispatcher->counts().messages_in_memory == options.lane_memory_max) {
                return;
            }
            advance(100ms);
        }
        FAIL() << "the lane's memory is never full";
    }
};

TEST_F(FullLaneTest, AnApiMessageIsKeptInMemoryAndGoesNext) {
    start_full();
    const auto reads = watch.reads;
    const auto api = accept(message());
    EXPECT_EQ(watch.reads, reads);
    advance(5s);
    EXPECT_EQ(connector->sent.back(), api);
    EXPECT_LE(dispatcher->counts().messages_in_memory, options.lane_memory_max);
}

TEST_F(FullLaneTest, AnApiMessageOnDiskIsReadAndGoesNext) {
    start_full();
    auto stored = commit(message());
    post(QueuedOnDisk{.device = device.number, .due = stored->due_at});
    advance(5s);
    EXPECT_EQ(connector->sent.back(), stored->id);
}

TEST_F(FaultTest, ALowerGapHoldsAtOnceAndARaisedCapToo) {
    device.pace = {.gap_min = 1h, .per_day_max = 1};
    start();
    (void)accept(message());
    const auto second = accept(message());
    advance(1s);
    EXPECT_EQ(connector->sent.size(), 1U);
    device.pace = {.gap_min = 1s};
    post(DeviceChanged{.device = device});
    EXPECT_EQ(connector->sent.back(), second);
}

TEST_F(FaultTest, AClockThatIsSetBackStretchesNoGap) {
    device.pace.gap_min = 2s;
    start();
    (void)accept(message());
    const auto second = accept(message());
    clock.set_wall(clock.now() - 1h);
    settle();
    const auto third = accept(message());
    advance(2s);
    EXPECT_EQ(connector->sent.back(), second);
    advance(2s);
    EXPECT_EQ(connector->sent.back(), third);
}

TEST_F(FaultTest, AClockThatIsSetChangesNoDelay) {
    for (const Millis step : {Millis{-1h}, Millis{1h}}) {
        if (dispatcher == nullptr) {
            start();
        }
        const auto before = accept(message(10s));  // On disk alone.
        const auto soon = accept(message(1s));     // In memory.
        const auto sends = connector->sent.size();
        clock.set_wall(clock.now() + step);
        settle();
        EXPECT_EQ(connector->sent.size(), sends);
        advance(1s);
        EXPECT_EQ(connector->sent.back(), soon);
        const auto after = accept(message(10s));
        advance(8s);
        EXPECT_EQ(connector->sent.back(), soon);
        advance(1s);
        EXPECT_EQ(connector->sent.back(), before);
        advance(1s);
        EXPECT_EQ(connector->sent.back(), after);
        for (const auto& id : {before, soon, after}) {
            report_sent(id);
        }
    }
}

TEST_F(FaultTest, AnEndIsDatedByTheWallClock) {
    start();
    const auto id = accept(message());
    clock.set_wall(clock.now() - 1h);
    report_sent(id);
    EXPECT_EQ(stored(id).completion->finished_at, clock.now());
}

struct BrokenReadTest : FaultTest {
    Watch watch{.broken = true};
    std::vector<std::string> troubles;

    BrokenReadTest() {
        options.on_store_error = [this](const Error& error) { troubles.push_back(error.detail); };
        wrap_reader = [this](std::unique_ptr<store::Reader> real) {
            return std::make_unique<WatchedReader>(std::move(real), watch);
        };
    }
};

TEST_F(BrokenReadTest, AFailedReadIsReportedAndRepeatedOnceASecond) {
    const auto id = commit(message())->id;
    start();
    EXPECT_EQ(watch.reads, 1);
    for (int tenth = 0; tenth < 100; ++tenth) {
        advance(100ms);
        post(DeviceChanged{.device = device});  // Nor does an event bring it forward.
    }
    EXPECT_GE(watch.reads, 10);
    EXPECT_LE(watch.reads, 12);
    EXPECT_EQ(troubles.size(), static_cast<std::size_t>(watch.reads));
    EXPECT_EQ(troubles.front(), "disk I/O error");
    watch.broken = false;
    advance(1s);
    EXPECT_EQ(connector->sent, std::vector{id});
}

TEST_F(BrokenReadTest, ALaneThatCannotBeReadDelaysNoOther) {
    const auto other = other_device("6289876543211");
    watch.broken_lane = device.number;  // The lower number, so its timer comes first.
    ASSERT_LT(device.number, other.number);
    for (int count = 0; count < 2; ++count) {
        (void)commit(message());
        (void)commit(message_of(other));
    }
    start();
    post(DeviceChanged{.device = other});
    EXPECT_EQ(connector->sent.size(), 2U);
    advance(1s);
    EXPECT_EQ(connector->sent.size(), 2U);
    watch.broken = false;
    advance(1s);
    EXPECT_EQ(connector->sent.size(), 4U);
}

TEST_F(BrokenReadTest, AFailedReadOfADownLaneIsTriedAgainOnceASecondToo) {
    options.give_up = 1h;
    device.state = model::DeviceState::disconnected;
    const auto id = commit(message())->id;
    start();
    advance(1h);
    watch.reads = 0;
    for (int tenth = 0; tenth < 50; ++tenth) {
        advance(100ms);
    }
    EXPECT_GE(watch.reads, 5);
    EXPECT_LE(watch.reads, 6);
    watch.broken = false;
    advance(1s);
    EXPECT_EQ(state(id), MessageState::failed);
}

}  // namespace
}  // namespace merpati::scheduler
