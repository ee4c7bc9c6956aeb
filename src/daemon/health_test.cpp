#include "daemon/health.hpp"

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::daemon {
namespace {

using namespace std::chrono_literals;

struct HealthTest : ::testing::Test {
    testing::ManualClock clock;
    std::string trouble;
    bool store_answers = true;
    bool scheduler_answers = true;
    int alive = 0;
    Health health{clock,
                  {.store = [this](auto answer) { hear(store_answers, std::move(answer)); },
                   .scheduler = [this](auto answer) { hear(scheduler_answers, std::move(answer)); },
                   .store_trouble = [this] { return trouble; }},
                  {.every = 2s, .patience = 10s},
                  telemetry::Log::none()};
    std::vector<std::move_only_function<void()>> unanswered;

    HealthTest() {
        health.on_alive = [this] { ++alive; };
        health.connectors_started();
        health.enter(Health::Stage::serving);
    }

    void hear(bool answers, std::move_only_function<void()> answer) {
        if (answers) {
            answer();
        } else {
            unanswered.push_back(std::move(answer));
        }
    }

    void check_for(Millis time) {
        for (; time > 0ms; time -= 2s) {
            health.check();
            clock.advance(2s);
        }
    }

    std::string unready() const {
        std::string all;
        for (const auto& [part, reason] : health.unready()) {
            all += std::string{part} + " " + reason + ";";
        }
        return all;
    }
};

TEST_F(HealthTest, IsReadyWhileAllAnswer) {
    check_for(1h);
    EXPECT_EQ(unready(), "");
    EXPECT_EQ(alive, 1800);
}

TEST_F(HealthTest, NamesTheThreadThatHangsAndFeedsTheWatchdogNoLonger) {
    store_answers = false;
    check_for(10s);
    EXPECT_EQ(unready(), "");
    check_for(2s);
    EXPECT_EQ(unready(), "store does not answer;");
    const auto fed = alive;
    check_for(1h);
    EXPECT_EQ(alive, fed);
    EXPECT_EQ(unanswered.size(), 1);  // It is asked once until it answers.

    unanswered.front()();
    store_answers = true;
    check_for(2s);
    EXPECT_EQ(unready(), "");
    EXPECT_EQ(alive, fed + 1);
}

TEST_F(HealthTest, NamesTheSchedulerToo) {
    scheduler_answers = false;
    check_for(20s);
    EXPECT_EQ(unready(), "scheduler does not answer;");
}

TEST_F(HealthTest, NamesAFullDiskButTheThreadsAreAlive) {
    trouble = "its disk is full";
    check_for(2s);
    EXPECT_EQ(unready(), "store its disk is full;");
    EXPECT_EQ(alive, 1);
    trouble.clear();
    check_for(2s);
    EXPECT_EQ(unready(), "");
}

TEST_F(HealthTest, SaysThatTheServerStartsOrStops) {
    health.enter(Health::Stage::stopping);
    EXPECT_EQ(unready(), "server is stopping;");
    const Health fresh{clock, {}, {}, telemetry::Log::none()};
    ASSERT_EQ(fresh.unready().size(), 2);
    EXPECT_EQ(fresh.unready()[0].reason, "is starting");
    EXPECT_EQ(fresh.unready()[1].part, "connectors");
}

TEST_F(HealthTest, SurvivesAnAnswerThatComesTooLate) {
    std::move_only_function<void()> late;
    {
        Health gone{clock,
                    {.store = [&](auto answer) { late = std::move(answer); },
                     .scheduler = [](auto) {},
                     .store_trouble = [] { return ""; }},
                    {},
                    telemetry::Log::none()};
        gone.on_alive = [this] { ++alive; };
        gone.check();
    }
    ASSERT_TRUE(late);
    const auto fed = alive;
    late();
    EXPECT_EQ(alive, fed);
}

}  // namespace
}  // namespace merpati::daemon
