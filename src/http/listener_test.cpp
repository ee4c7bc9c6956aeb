#include "http/listener.hpp"

#include <barrier>
#include <cstdint>
#include <functional>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include "base/number.hpp"
namespace merpati::http {
namespace {

using Bound = Result<std::vector<BoundSocket>>;

TEST(ListenerTest, TheKernelDistributesClientsToAllCopies) {
    const auto bound = bind_network("127.0.0.1:0", 3);
    ASSERT_TRUE(bound) << bound.error().describe();
    boost::asio::io_context context;
    const auto port = parse_whole<std::uint16_t>(bound->front().address.substr(10)).value();
    std::vector<boost::asio::ip::tcp::socket> clients;
    while (clients.size() < 100) {
        clients.emplace_back(context).connect({boost::asio::ip::address_v4::loopback(), port});
    }
    for (const auto& copy : *bound) {
        EXPECT_EQ(copy.address, bound->front().address);
        const FileDescriptor client{::accept(copy.descriptor.get(), nullptr, nullptr)};
        EXPECT_TRUE(client);
    }
}

TEST(ListenerTest, AnAddressThatIsTakenIsRefused) {
    const auto bound = bind_network("127.0.0.1:0", 2);
    ASSERT_TRUE(bound) << bound.error().describe();
    EXPECT_FALSE(bind_network(bound->at(0).address, 2));
    EXPECT_FALSE(bind_network(bound->at(0).address, 1));
}

TEST(ListenerTest, TwoThatBindAtOnceDoNotShareAnAddress) {
    const auto address = bind_network("127.0.0.1:0", 1).value().front().address;
    for (int round = 0; round < 300; ++round) {
        std::barrier start{2};
        const auto bind = [&](Bound& bound) {
            start.arrive_and_wait();
            bound = bind_network(address, 2);
        };
        Bound one;
        Bound other;
        std::thread beside{bind, std::ref(other)};
        bind(one);
        beside.join();
        ASSERT_FALSE(one && other) << "in round " << round;
    }
}

}  // namespace
}  // namespace merpati::http
