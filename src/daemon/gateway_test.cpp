// The whole gateway, on a machine whose wall clock is set while it runs.
#include "daemon/gateway.hpp"

#include <atomic>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "daemon/gateway_fixture.hpp"
#include "store/store.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::daemon {
namespace {

using namespace std::chrono_literals;

constexpr auto delay = 3s;
constexpr auto deadline = 30s;  // Far below the steps of the clock.

/// The machine's clocks; the test can set the wall clock.
class SetClock final : public Clock {
public:
    [[nodiscard]] Timestamp now() const noexcept override {
        return system_.now() + Millis{set_by_.load()};
    }
    [[nodiscard]] SteadyTime steady_now() const noexcept override { return system_.steady_now(); }
    void set_by(Millis step) { set_by_ += step.count(); }

private:
    SystemClock system_;
    std::atomic<std::int64_t> set_by_ = 0;
};

/// The simulator's log as a pipe, so that a test can wait for an attempt to send.
class AttemptPipe {
public:
    explicit AttemptPipe(const std::string& path) {
        EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
        file_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
        EXPECT_GE(file_, 0);
    }
    ~AttemptPipe() { ::close(file_); }
    AttemptPipe(const AttemptPipe&) = delete;
    AttemptPipe& operator=(const AttemptPipe&) = delete;

    [[nodiscard]] bool wait_for_attempt() const {
        pollfd waiting{.fd = file_, .events = POLLIN, .revents = 0};
        return ::poll(&waiting, 1, std::chrono::milliseconds{deadline}.count()) == 1;
    }

private:
    int file_ = -1;
};

struct GatewayClockTest : ::testing::TestWithParam<std::chrono::hours> {
    /// Stores a message that is due after `delay`, as an earlier process left it.
    void accept_message() {
        const auto device = model::PhoneNumber::from_stored(6281100000001);
        auto opened =
            store::open_store({.url = settings.store.url, .key_file = *settings.store.key_file});
        ASSERT_TRUE(opened) << opened.error().describe();
        store::WriteBatch senders;
        senders.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
            const auto account = tables.create_account(
                {.name = "toko", .webhook_secret = Bytes(32), .created_at = clock.now()});
            if (!account) {
                return pass(account);
            }
            const auto added = tables.add_device({.number = device,
                                                  .account = *account,
                                                  .connector = "simulator",
                                                  .state = model::DeviceState::connected,
                                                  .created_at = clock.now()},
                                                 false);
            return added ? Result<void>{} : pass(added);
        }});
        ASSERT_TRUE((*opened)->write(senders));
        ASSERT_TRUE(senders.changes.front().result);
        store::WriteBatch batch;
        auto& accept = batch.accepts.emplace_back(std::make_unique<model::Message>());
        accepted_at = clock.steady_now();
        accept.message->id = ids.next();
        accept.message->account = {1};
        accept.message->device = device;
        accept.message->recipient = "6281234567890";
        accept.message->body = "Halo";
        accept.message->accepted_at = clock.now();
        accept.message->due_at = clock.now() + delay;
        ASSERT_TRUE((*opened)->write(batch));
        ASSERT_EQ(accept.result, store::Accept::Result::stored);
    }

    testing::TemporaryFolder folder;
    SetClock clock;
    SystemRandom random;
    UuidSource ids{clock, random};
    config::Settings settings = settings_in(folder);
    AttemptPipe attempts{folder.file("attempts")};
    Gateway gateway{clock, random, settings, {}, telemetry::Log::none()};
    SteadyTime accepted_at;
};

TEST_P(GatewayClockTest, AClockThatIsSetDelaysNothingAndSendsNothingEarly) {
    accept_message();
    const auto started = gateway.start();
    ASSERT_TRUE(started) << started.error().describe();
    clock.set_by(GetParam());
    EXPECT_TRUE(attempts.wait_for_attempt());
    EXPECT_GE(clock.steady_now() - accepted_at, delay - 1ms);  // Stored times are whole ones.
    gateway.stop();
}

INSTANTIATE_TEST_SUITE_P(BackAndForward, GatewayClockTest, ::testing::Values(-24h, 24h),
                         [](const auto& info) { return info.param < 0h ? "Back" : "Forward"; });

TEST(GatewayTest, AConnectorThatDoesNotStartStopsNothingElse) {
    const testing::TemporaryFolder folder;
    const SystemClock clock;
    SystemRandom random;
    auto settings = settings_in(folder);
    settings.simulator.log = folder.path();  // A folder, which cannot be opened as a log.
    Gateway gateway{clock, random, settings, {}, telemetry::Log::none()};
    EXPECT_TRUE(gateway.start());
    gateway.stop();
}

/// Calls `on_asked` at each question for the time.
class AskedClock final : public Clock {
public:
    [[nodiscard]] Timestamp now() const noexcept override { return system_.now(); }
    [[nodiscard]] SteadyTime steady_now() const noexcept override {
        return system_.steady_now() + on_asked(++asked_);
    }
    std::function<Millis(int asked)> on_asked = [](int) { return Millis{0}; };

private:
    SystemClock system_;
    mutable std::atomic<int> asked_ = 0;
};

struct GatewayLockTest : ::testing::Test {
    testing::TemporaryFolder folder;
    AskedClock clock;
    SystemRandom random;
    config::Settings settings = settings_in(folder);
    Gateway gateway{clock, random, settings, {}, telemetry::Log::none()};
    // As a command that works on the store of a stopped server.
    std::unique_ptr<store::Store> command =
        *store::open_store({.url = settings.store.url, .key_file = *settings.store.key_file});
};

TEST_F(GatewayLockTest, WaitsForACommandThatHasTheStoreOpen) {
    clock.on_asked = [this](int asked) {
        if (asked == 2) {
            command.reset();
        }
        return Millis{0};
    };
    const auto started = gateway.start();
    EXPECT_TRUE(started) << started.error().describe();
    gateway.stop();
}

TEST_F(GatewayLockTest, DoesNotWaitForever) {
    clock.on_asked = [](int asked) { return Millis{std::chrono::minutes{asked}}; };
    const auto started = gateway.start();
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, ErrorCode::busy);
}

struct GatewayRestartTest : GatewayClockTest {};

TEST_P(GatewayRestartTest, AClockThatWasSetBackBetweenTwoRunsDelaysNothing) {
    accept_message();
    clock.set_by(GetParam());
    ASSERT_TRUE(gateway.start());
    EXPECT_TRUE(attempts.wait_for_attempt());
    gateway.stop();
}

INSTANTIATE_TEST_SUITE_P(Back, GatewayRestartTest, ::testing::Values(-24h));

}  // namespace
}  // namespace merpati::daemon
