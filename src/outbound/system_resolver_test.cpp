#include "outbound/system_resolver.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace merpati::outbound {
namespace {

using namespace std::chrono_literals;

struct SystemResolverTest : ::testing::Test {
    Result<Addresses> resolve(const std::string& host) {
        std::optional<Result<Addresses>> answer;
        const auto guard = boost::asio::make_work_guard(io);
        resolver.resolve(host, io.get_executor(),
                         [&answer](Result<Addresses> got) { answer = std::move(got); });
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (!answer && std::chrono::steady_clock::now() < end) {
            io.run_one_for(50ms);
        }
        EXPECT_TRUE(answer);
        return answer ? std::move(*answer) : fail(ErrorCode::busy, "not answered");
    }

    boost::asio::io_context io;
    SystemResolver resolver;
};

TEST_F(SystemResolverTest, KnowsTheNamesThatTheMachineKnows) {
    const auto addresses = resolve("localhost");
    ASSERT_TRUE(addresses);
    EXPECT_TRUE(std::ranges::all_of(*addresses, [](const auto& one) { return one.is_loopback(); }));
    EXPECT_FALSE(addresses->empty());
}

TEST_F(SystemResolverTest, TellsThatANameDoesNotExist) {
    const auto addresses = resolve("does-not-exist.invalid");
    ASSERT_FALSE(addresses);
    EXPECT_TRUE(addresses.error().code == ErrorCode::unreachable ||
                addresses.error().code == ErrorCode::timeout);
}

TEST(SystemResolverEndTest, EndsWithLookUpsUnderWay) {
    boost::asio::io_context io;
    int answered = 0;
    {
        SystemResolver resolver;
        for (int count = 0; count < 20; ++count) {
            resolver.resolve("localhost", io.get_executor(), [&answered](auto) { ++answered; });
        }
    }
    io.run_for(200ms);
    EXPECT_LE(answered, 20);
}

}  // namespace
}  // namespace merpati::outbound
