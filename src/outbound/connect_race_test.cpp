#include "outbound/connect_race.hpp"

#include <chrono>
#include <list>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace merpati::outbound {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

Addresses addresses(std::initializer_list<const char*> texts) {
    Addresses made;
    for (const auto* text : texts) {
        made.push_back(asio::ip::make_address(text));
    }
    return made;
}

/// One port on three loopback addresses: 127.0.0.1 accepts, 127.0.0.2 refuses, and 127.0.0.3 does
/// not answer, because its backlog is full.
struct ConnectRaceTest : ::testing::Test {
    ConnectRaceTest()
        : alive(io, {asio::ip::make_address("127.0.0.1"), 0}),
          port(alive.local_endpoint().port()),
          dead(io) {
        dead.open(tcp::v4());
        dead.bind({asio::ip::make_address("127.0.0.3"), port});
        dead.listen(0);
        while (fill()) {
        }
    }

    /// Opens one more connection to the silent address; false once none is answered.
    bool fill() {
        auto& socket = fillers.emplace_back(io);
        bool connected = false;
        socket.async_connect({asio::ip::make_address("127.0.0.3"), port},
                             [&connected](error_code error) { connected = !error; });
        io.restart();
        io.run_for(100ms);
        if (!connected) {
            socket.close();
            io.restart();
            io.run_for(10ms);
        }
        return connected;
    }

    /// The address that was used, or the error's name.
    std::string race(const Addresses& tried, std::chrono::milliseconds delay) {
        std::optional<std::string> won;
        std::make_shared<ConnectRace>(io.get_executor(), tried, port, delay)
            ->start([&won](error_code error, const tcp::socket&, const asio::ip::address& address) {
                won = error ? error.message() : address.to_string();
            });
        io.restart();
        while (!won && io.run_one_for(20s) > 0) {
        }
        return won.value_or("nothing");
    }

    asio::io_context io;
    tcp::acceptor alive;
    std::uint16_t port;
    tcp::acceptor dead;
    std::list<tcp::socket> fillers;
};

TEST_F(ConnectRaceTest, GoesOnToTheNextAddressWhereOneIsSilent) {
    EXPECT_EQ(race(addresses({"127.0.0.3", "127.0.0.1"}), 10ms), "127.0.0.1");
    EXPECT_EQ(race(addresses({"127.0.0.3", "127.0.0.3", "127.0.0.1"}), 10ms), "127.0.0.1");
}

TEST_F(ConnectRaceTest, GoesOnAtOnceWhereOneRefuses) {
    EXPECT_EQ(race(addresses({"127.0.0.2", "127.0.0.1"}), 1h), "127.0.0.1");
}

TEST_F(ConnectRaceTest, TriesNoOtherAddressWhereTheFirstAnswers) {
    EXPECT_EQ(race(addresses({"127.0.0.1", "127.0.0.3"}), 1h), "127.0.0.1");
}

TEST_F(ConnectRaceTest, FailsWhenAllHaveFailed) {
    EXPECT_EQ(race(addresses({"127.0.0.2", "127.0.0.2"}), 1h), "Connection refused");
}

TEST_F(ConnectRaceTest, SaysNothingOnceItIsCancelled) {
    bool called = false;
    const auto cancelled = std::make_shared<ConnectRace>(
        io.get_executor(), addresses({"127.0.0.3", "127.0.0.1"}), port, 1h);
    cancelled->start([&called](auto&&...) { called = true; });
    cancelled->cancel();
    io.restart();
    EXPECT_EQ(io.run_for(1s), 2U) << "the connection and the timer end at once";
    EXPECT_FALSE(called);
}

TEST(InterleavedTest, TakesTheFamiliesInTurn) {
    EXPECT_EQ(interleaved(addresses({"::1", "::2", "::3", "127.0.0.1"})),
              addresses({"::1", "127.0.0.1", "::2", "::3"}));
    EXPECT_EQ(interleaved(addresses({"127.0.0.1", "127.0.0.2", "::1", "::2"})),
              addresses({"127.0.0.1", "::1", "127.0.0.2", "::2"}));
    EXPECT_EQ(interleaved(addresses({"127.0.0.1"})), addresses({"127.0.0.1"}));
    EXPECT_EQ(interleaved(Addresses(100, asio::ip::make_address("::1"))).size(),
              ConnectRace::attempts_max);
}

}  // namespace
}  // namespace merpati::outbound
