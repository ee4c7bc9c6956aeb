#include "connector/cloud/webhook/clients.hpp"

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::connector::cloud {
namespace {

using namespace std::chrono_literals;
using Standing = PlatformWebhook::Standing;

struct ClientsTest : ::testing::Test {
    testing::ManualClock clock;
    Clients clients{clock};
};

TEST_F(ClientsTest, OneWhosePostWasVerifiedIsKnownForAWhile) {
    EXPECT_EQ(clients.standing_of("192.0.2.1"), Standing::stranger);
    clients.note_verified("192.0.2.1");
    EXPECT_EQ(clients.standing_of("192.0.2.1"), Standing::known);
    EXPECT_EQ(clients.standing_of("192.0.2.2"), Standing::stranger);
    clock.advance(Clients::known_for);
    EXPECT_EQ(clients.standing_of("192.0.2.1"), Standing::stranger);
}

TEST_F(ClientsTest, AStrangerWhoCostsTooMuchIsRefusedUntilItIsPaid) {
    clients.note_refused("192.0.2.1", Clients::debt_max);
    EXPECT_EQ(clients.standing_of("192.0.2.1"), Standing::stranger);
    clients.note_refused("192.0.2.1", Clients::paid_a_second);
    EXPECT_EQ(clients.standing_of("192.0.2.1"), Standing::refused);
    EXPECT_EQ(clients.standing_of("192.0.2.2"), Standing::stranger);
    clock.advance(1s);
    EXPECT_EQ(clients.standing_of("192.0.2.1"), Standing::stranger);
}

TEST_F(ClientsTest, AKnownOneIsNeverRefused) {
    clients.note_verified("192.0.2.1");
    clients.note_refused("192.0.2.1", 2 * Clients::debt_max);
    EXPECT_EQ(clients.standing_of("192.0.2.1"), Standing::stranger);
    clock.advance(20s);
    EXPECT_EQ(clients.standing_of("192.0.2.1"), Standing::known);
}

TEST_F(ClientsTest, ManyStrangersAreForgottenInTheirTurn) {
    clients.note_verified("192.0.2.1");
    for (std::size_t client = 0; client < 2 * Clients::remembered_max; ++client) {
        clients.note_refused(std::to_string(client), 2 * Clients::debt_max);
    }
    EXPECT_EQ(clients.standing_of("192.0.2.1"), Standing::known);
    EXPECT_EQ(clients.standing_of("0"), Standing::stranger);
}

}  // namespace
}  // namespace merpati::connector::cloud
