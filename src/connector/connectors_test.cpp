#include "connector/connectors.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <gtest/gtest.h>

#include "connector/conformance/connector_fixture.hpp"
#include "connector/unavailable.hpp"

namespace merpati::connector {
namespace {

using namespace std::chrono_literals;

/// A barrier with a deadline.
class Meeting {
public:
    explicit Meeting(int guests) : missing_(guests) {}

    bool arrive() {
        std::unique_lock lock{mutex_};
        --missing_;
        arrived_.notify_all();
        return arrived_.wait_for(lock, 10s, [this] { return missing_ <= 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    int missing_;
};

/// Its `stop` waits until the others stop too.
class EndsWithOthers final : public Connector {
public:
    EndsWithOthers(Meeting& meeting, bool& met) : meeting_(meeting), met_(met) {}

    void stop() override { met_ = meeting_.arrive(); }

    [[nodiscard]] CapabilitiesPtr capabilities() const override {
        return std::make_shared<const Capabilities>();
    }
    [[nodiscard]] model::DeviceState first_state(model::PhoneNumber /*device*/) const override {
        return model::DeviceState::connected;
    }
    [[nodiscard]] Result<void> start(ConnectorEvents& /*events*/,
                                     DeviceSecrets& /*secrets*/) override {
        return {};
    }
    void start_device(const model::Device& /*device*/, std::string_view /*method*/) override {}
    void answer_pairing(model::PhoneNumber /*device*/, std::string_view /*answer*/,
                        Settled settled) override {
        settled({});
    }
    void stop_device(model::PhoneNumber /*device*/) override {}
    void forget_device(model::PhoneNumber /*device*/) override {}
    void send(const SendRequest& /*request*/) override {}

private:
    Meeting& meeting_;
    bool& met_;
};

TEST(ConnectorsTest, OneThatHangsAtItsEndDoesNotHoldUpTheOthers) {
    Meeting meeting{3};
    std::array<bool, 3> met{};
    Connectors connectors;
    for (std::size_t index = 0; index < met.size(); ++index) {
        connectors.add("platform" + std::to_string(index),
                       std::make_unique<EndsWithOthers>(meeting, met.at(index)));
    }
    connectors.stop();
    for (const bool all : met) {
        EXPECT_TRUE(all);
    }
}

TEST(UnavailableTest, QuestionsAreAnsweredThatTheConnectorDidNotStart) {
    Recorder events;
    Unavailable connector{std::make_shared<const Capabilities>(), events};
    int answers = 0;
    const auto expect_why = [&](const auto& answer) {
        ++answers;
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().code, ErrorCode::unreachable);
        EXPECT_EQ(answer.error().detail, "the device's connector did not start");
    };
    connector.fetch_media({}, expect_why);
    connector.check_number({}, "6281234567890", expect_why);
    EXPECT_EQ(answers, 2);
}

}  // namespace
}  // namespace merpati::connector
