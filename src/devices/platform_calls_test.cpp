// Downloads and number checks: a connector that lies or hangs affects only its own account.
#include "devices/platform_calls.hpp"

#include <deque>
#include <filesystem>
#include <fstream>
#include <future>
#include <semaphore>
#include <vector>

#include <gtest/gtest.h>

#include "outbound/address_policy.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::devices {
namespace {

using namespace std::chrono_literals;
using media::ReceivedFilePtr;

/// Writes the bytes that the reference names, and reports any size.
class Liar final : public connector::Connector {
public:
    [[nodiscard]] connector::CapabilitiesPtr capabilities() const override { return abilities; }
    [[nodiscard]] model::DeviceState first_state(model::PhoneNumber) const override { return {}; }
    Result<void> start(connector::ConnectorEvents&, connector::DeviceSecrets&) override {
        return {};
    }
    void stop() override {}
    void start_device(const model::Device&, std::string_view) override {}
    void answer_pairing(model::PhoneNumber, std::string_view, Settled settled) override {
        settled({});
    }
    void stop_device(model::PhoneNumber) override {}
    void forget_device(model::PhoneNumber) override {}
    void send(const connector::SendRequest&) override {}

    void fetch_media(connector::MediaRequest request, MediaFetched done) override {
        if (request.reference == "hang") {
            hanging.push_back(std::move(done));
            asked.release();
            return;
        }
        std::ofstream file{request.path};
        file << request.reference << std::flush;
        last_path = request.path;
        if (keeps) {
            kept = std::move(file);
        } else {
            file.close();
        }
        done(said.value_or(request.reference.size()));
    }
    void check_number(model::PhoneNumber, std::string, NumberChecked done) override {
        ++checks;
        if (holds_checks) {
            held_checks.push_back(std::move(done));
        } else {
            done(check_fails ? fail(*check_fails, "the platform says no")
                             : Result<bool>{registered});
        }
    }
    /// Answers the check that was held first.
    void answer_check(Result<bool> answer) {
        auto done = std::move(held_checks.front());
        held_checks.pop_front();
        done(std::move(answer));
    }

    std::optional<std::uint64_t> said;
    bool keeps = false;
    std::ofstream kept;
    std::filesystem::path last_path;
    std::vector<MediaFetched> hanging;
    std::counting_semaphore<> asked{0};
    int checks = 0;
    bool registered = true;
    std::optional<ErrorCode> check_fails;
    bool holds_checks = false;  // Until `answer_check`.
    std::deque<NumberChecked> held_checks;
    connector::CapabilitiesPtr abilities = std::make_shared<const connector::Capabilities>(
        connector::Capabilities{.number_check = true, .media_fetch = true});
};

struct PlatformCallsTest : ::testing::Test {
    PlatformCallsTest() {
        auto made = std::make_unique<Liar>();
        liar = made.get();
        connectors.add("liar", std::move(made));
        EXPECT_TRUE(media_fetcher.start());
    }
    ~PlatformCallsTest() override {
        liar->hanging.clear();
        media_fetcher.stop();
    }

    static model::Device device(std::int64_t number, std::int64_t account) {
        model::Device made;
        made.number = model::PhoneNumber::from_stored(number);
        made.account = {account};
        made.connector = "liar";
        return made;
    }
    std::future<Result<ReceivedFilePtr>> begin(const model::Device& of, std::string reference,
                                               std::uint64_t bytes) {
        auto promise = std::make_shared<std::promise<Result<ReceivedFilePtr>>>();
        calls.fetch_media(of,
                          {.id = {},
                           .device = of.number,
                           .platform_id = "I1",
                           .mime = {},
                           .bytes = bytes,
                           .name = {},
                           .reference = std::move(reference)},
                          [promise](auto file) { promise->set_value(std::move(file)); });
        return promise->get_future();
    }
    Result<ReceivedFilePtr> fetch(std::string reference, std::uint64_t bytes = 0) {
        return begin(device(6281100000001, 1), std::move(reference), bytes).get();
    }
    using Checked = Result<api::manage::PlatformControl::NumberCheck>;
    std::future<Checked> begin_check(const std::string& number, const model::Device& of) {
        auto promise = std::make_shared<std::promise<Checked>>();
        calls.check_number(of, number,
                           [promise](auto found) { promise->set_value(std::move(found)); });
        return promise->get_future();
    }
    Checked check(const std::string& number, const model::Device& of) {
        return begin_check(number, of).get();
    }

    testing::TemporaryFolder folder;
    testing::ManualClock clock;
    outbound::AddressPolicy policy{{}};
    connector::Connectors connectors;
    Liar* liar = nullptr;
    media::MediaFetcher media_fetcher{
        clock, policy, {}, {.cache = {.folder = folder.path() / "media", .bytes_max = 4'096}}};
    PlatformCalls calls{{.clock = clock,
                         .connectors = connectors,
                         .media_fetcher = media_fetcher,
                         .bytes_max = 4'096,
                         .log = telemetry::Log::none()}};
};

TEST_F(PlatformCallsTest, AFileIsReadAndGone) {
    const auto file = fetch("gambar", 6);
    ASSERT_TRUE(file);
    EXPECT_EQ((*file)->read(0, 100).value(), "gambar");
    EXPECT_FALSE(std::filesystem::exists(liar->last_path));
}

TEST_F(PlatformCallsTest, AConnectorThatLiesIsFoundOut) {
    liar->said = 5;
    EXPECT_EQ(fetch("gambar").error().code, ErrorCode::unreachable);
    liar->said = 6;
    EXPECT_EQ(fetch("gambar", 3).error().code, ErrorCode::unreachable);
    EXPECT_EQ(fetch("gambar", 5'000).error().code, ErrorCode::refused);
}

TEST_F(PlatformCallsTest, AConnectorThatKeepsTheFileIsRefused) {
    liar->keeps = true;
    EXPECT_EQ(fetch("gambar", 6).error().code, ErrorCode::unreachable);
    liar->keeps = false;
    EXPECT_TRUE(fetch("gambar", 6));
}

TEST_F(PlatformCallsTest, ADeviceWhoseDownloadsHangKeepsOutNoOther) {
    std::vector<std::future<Result<ReceivedFilePtr>>> hanging;
    const auto bad = device(6281100000002, 2);
    for (std::size_t one = 0; one < PlatformCalls::of_device_max; ++one) {
        hanging.push_back(begin(bad, "hang", 10));
        liar->asked.acquire();
    }
    EXPECT_EQ(begin(bad, "gambar", 6).get().error().code, ErrorCode::too_many_requests);
    EXPECT_TRUE(fetch("gambar", 6));
    for (auto& one : liar->hanging) {
        one(fail(ErrorCode::timeout, "it did not answer"));
    }
    for (auto& one : hanging) {
        EXPECT_EQ(one.get().error().code, ErrorCode::timeout);
    }
    hanging.clear();
    liar->hanging.clear();
    EXPECT_TRUE(begin(bad, "gambar", 6).get());
}

TEST_F(PlatformCallsTest, ADeviceAsksAboutFewNumbersAndNeverTwice) {
    const auto first = device(6281100000001, 1);
    for (std::size_t one = 0; one < NumberChecks::burst; ++one) {
        EXPECT_TRUE(check(std::to_string(6281200000000 + one), first));
    }
    EXPECT_EQ(check("6281299999999", first).error().code, ErrorCode::too_many_requests);
    EXPECT_TRUE(check("6281200000000", first)->registered) << "it is known";
    EXPECT_TRUE(check("6281299999999", device(6281100000003, 1)));
    const auto asked = liar->checks;
    EXPECT_TRUE(check("6281299999999", first)) << "another device of the account has asked";
    EXPECT_EQ(liar->checks, asked);
    EXPECT_FALSE(check("6281288888888", first));
    clock.advance(1min);
    EXPECT_TRUE(check("6281288888888", first));
    EXPECT_FALSE(check("6281277777777", first));
    clock.advance(24h);
    EXPECT_TRUE(check("6281288888888", first));
    EXPECT_EQ(liar->checks, asked + 2) << "what is a day old is asked anew";
}

TEST_F(PlatformCallsTest, ANumberThatIsNotRegisteredIsAskedAboutAgainSooner) {
    const auto first = device(6281100000001, 1);
    liar->registered = false;
    EXPECT_FALSE(check("6281200000000", first)->registered);
    liar->registered = true;
    clock.advance(NumberChecks::unregistered_for - 1ms);
    EXPECT_FALSE(check("6281200000000", first)->registered);
    clock.advance(1ms);
    EXPECT_TRUE(check("6281200000000", first)->registered);
}

TEST_F(PlatformCallsTest, ChecksOfOneNumberAtTheSameTimeShareOneQuestion) {
    const auto first = device(6281100000001, 1);
    const auto second = device(6281100000002, 1);
    liar->holds_checks = true;
    std::vector<std::future<Checked>> checks;
    for (std::size_t one = 0; one < NumberChecks::burst + 10; ++one) {
        checks.push_back(begin_check("6281200000000", one % 2 == 0 ? first : second));
    }
    EXPECT_EQ(liar->checks, 1);
    auto stranger = begin_check("6281200000000", device(6281100000003, 2));
    EXPECT_EQ(liar->checks, 2) << "another account learns nothing of it";
    liar->answer_check(true);
    for (auto& one : checks) {
        EXPECT_TRUE(one.get()->registered);
    }
    liar->answer_check(false);
    EXPECT_FALSE(stranger.get()->registered);
    liar->holds_checks = false;
    for (std::size_t one = 1; one < NumberChecks::burst; ++one) {
        EXPECT_TRUE(check(std::to_string(6281200000000 + one), first)) << "one turn was used";
    }
}

TEST_F(PlatformCallsTest, ADeviceThatFailsDoesNotFailTheChecksOfOthers) {
    liar->holds_checks = true;
    const auto first = device(6281100000001, 1);
    const auto second = device(6281100000002, 1);
    auto failed = begin_check("6281200000000", first);
    auto failed_too = begin_check("6281200000000", first);
    auto asked_itself = begin_check("6281200000000", second);
    liar->answer_check(fail(ErrorCode::conflict, "the device is not connected"));
    EXPECT_EQ(failed.get().error().code, ErrorCode::conflict);
    EXPECT_EQ(failed_too.get().error().code, ErrorCode::conflict);
    EXPECT_EQ(liar->checks, 2);
    liar->answer_check(true);
    EXPECT_TRUE(asked_itself.get()->registered);
}

TEST_F(PlatformCallsTest, ANumberThatIsNoneIsAskedAboutOnce) {
    const auto first = device(6281100000001, 1);
    liar->check_fails = ErrorCode::invalid_argument;
    for (std::size_t one = 0; one < NumberChecks::burst + 1; ++one) {
        EXPECT_EQ(check("6281200000000", first).error().code, ErrorCode::invalid_argument);
    }
    EXPECT_EQ(liar->checks, 1);
    clock.advance(NumberChecks::registered_for);
    EXPECT_EQ(check("6281200000000", first).error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(liar->checks, 2);
    liar->check_fails = ErrorCode::unreachable;
    EXPECT_FALSE(check("6281200000001", first));
    liar->check_fails.reset();
    EXPECT_TRUE(check("6281200000001", first)) << "a failure of the platform is not kept";
}

TEST_F(PlatformCallsTest, AnotherConnectorOfTheAccountIsAskedItself) {
    connectors.add("other", std::make_unique<Liar>());
    auto second = device(6281100000002, 1);
    EXPECT_TRUE(check("6281200000000", second)->registered);
    second.connector = "other";
    dynamic_cast<Liar*>(connectors.find("other"))->registered = false;
    EXPECT_FALSE(check("6281200000000", second)->registered);
}

TEST_F(PlatformCallsTest, AConnectorThatChecksNoNumbersIsNotAsked) {
    liar->abilities = std::make_shared<const connector::Capabilities>();
    EXPECT_EQ(check("6281200000000", device(6281100000001, 1)).error().code, ErrorCode::refused);
    EXPECT_EQ(liar->checks, 0);
}

TEST_F(PlatformCallsTest, ADeviceIsNotForgottenForTheManyThatAskToo) {
    const auto first = device(6281100000001, 1);
    for (std::size_t one = 0; one < NumberChecks::burst; ++one) {
        EXPECT_TRUE(check(std::to_string(6281200000000 + one), first));
    }
    for (std::int64_t other = 1; other <= 1'100; ++other) {
        EXPECT_TRUE(check("6281200000000", device(first.number.value() + other, 1 + other)));
    }
    EXPECT_EQ(check("6281299999999", first).error().code, ErrorCode::too_many_requests);
}

}  // namespace
}  // namespace merpati::devices
