#include "devices/status_reports.hpp"

#include <algorithm>
#include <latch>

#include <fmt/format.h>

#include "devices/late_statuses_fixture.hpp"

namespace merpati::devices {
namespace {

using model::MessageState;
using model::Progress;

struct StatusReportsTest : LateStatusesFixture {
    model::Device stored_device() {
        std::optional<model::Device> found;
        change([&](store::Tables& tables) -> Result<void> {
            found = *tables.find_device(device);
            return {};
        });
        return *found;
    }
    void report(const model::Device& of, std::string platform_id, Timestamp at) {
        reports.take(of,
                     {.device = of.number,
                      .platform_id = std::move(platform_id),
                      .message = {},
                      .status = {.progress = Progress::sent,
                                 .code = model::StatusCode::sent,
                                 .details = {},
                                 .at = at}},
                     [this](Result<void> done) {
                         answers.push_back(std::move(done));
                         answered->count_down();
                     });
    }
    /// Nothing is committed before `act` has made its `count` reports. Waits for their answers.
    void at_once(std::ptrdiff_t count, const std::function<void()>& act) {
        answered = std::make_unique<std::latch>(count);
        std::latch go{1};
        EXPECT_TRUE(committer->change_always(
            [&go](store::Tables&) -> Result<void> {
                go.wait();
                return {};
            },
            [](const Result<void>&) {}));
        act();
        go.count_down();
        answered->wait();
    }

    ReportLimits limits;
    StatusReports reports{{.late_statuses = *statuses,
                           .ownership = ownership,
                           .committer = *committer,
                           .limits = limits,
                           .log = telemetry::Log::none()}};
    std::unique_ptr<std::latch> answered;
    std::vector<Result<void>> answers;
};

TEST_F(StatusReportsTest, ManyStatusesAreFewChanges) {
    constexpr std::size_t count = 200;
    static_assert(count > StatusReports::batch_max);
    const auto of = stored_device();
    const auto before = committer->counts().operations;
    at_once(count, [&] {
        for (std::size_t number = 0; number < count; ++number) {
            report(of, fmt::format("wamid.{}", number), clock.now());
        }
    });
    constexpr std::size_t kept_back_by = 1;
    EXPECT_EQ(committer->counts().operations - before, kept_back_by + 2);
    ASSERT_EQ(answers.size(), count);
    EXPECT_TRUE(std::ranges::all_of(answers, [](const auto& done) { return done.has_value(); }));
}

TEST_F(StatusReportsTest, AStatusThatCannotBeStoredFailsAlone) {
    const auto first = hand_over("wamid.1");
    const auto damaged = hand_over("wamid.2");
    const auto last = hand_over("wamid.3");
    const auto of = stored_device();
    const auto no_time = clock.now() + std::chrono::years{20'000};
    at_once(3, [&] {
        report(of, "wamid.1", clock.now());
        report(of, "wamid.2", no_time);
        report(of, "wamid.3", clock.now());
    });
    ASSERT_EQ(answers.size(), 3U);
    EXPECT_TRUE(answers[0]);
    EXPECT_FALSE(answers[1]);
    EXPECT_TRUE(answers[2]);
    EXPECT_EQ(ended.size(), 2U);
    EXPECT_EQ(state(first), MessageState::sent);
    EXPECT_EQ(state(damaged), MessageState::handed_over);
    EXPECT_EQ(state(last), MessageState::sent);
}

TEST_F(StatusReportsTest, AStatusOfADeviceThatWasRemovedIsNotStored) {
    const auto id = hand_over("wamid.1");
    const auto now = stored_device();
    auto earlier = now;
    earlier.created_at -= Millis{1};
    at_once(2, [&] {
        report(earlier, "wamid.1", clock.now());
        report(now, "wamid.2", clock.now());
    });
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(answers[0].error().code, ErrorCode::not_found);
    EXPECT_TRUE(answers[1]);
    EXPECT_EQ(state(id), MessageState::handed_over);
}

TEST_F(StatusReportsTest, AStatusThatIsToBeStoredAfterItsAccountHasLeftIsNotStored) {
    const auto id = hand_over("wamid.1");
    const auto known = stored_device();
    at_once(1, [&] {
        report(known, "wamid.1", clock.now());
        const auto shard = store::shard_of(owner);
        ownership.set({&shard, 1}, admission::Stay::elsewhere);
    });
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0].error().code, ErrorCode::elsewhere);
    EXPECT_EQ(state(id), MessageState::handed_over);
}

TEST_F(StatusReportsTest, TooManyOfADeviceAreRefusedAsBusyUntilTheyAreStored) {
    constexpr std::size_t waiting = 256;
    const auto of = stored_device();
    at_once(waiting + 1, [&] {
        for (std::size_t number = 0; number < waiting; ++number) {
            report(of, fmt::format("wamid.{}", number), clock.now());
        }
        report(of, "wamid.more", clock.now());
        EXPECT_EQ(answers.at(0).error().code, ErrorCode::busy);
    });
    at_once(1, [&] { report(of, "wamid.more", clock.now()); });
    ASSERT_EQ(answers.size(), waiting + 2);
    EXPECT_TRUE(answers.back());
}

}  // namespace
}  // namespace merpati::devices
