#include "api/keys_in_flight.hpp"

#include <gtest/gtest.h>

namespace merpati::api {
namespace {

struct KeysInFlightTest : ::testing::Test {
    using Hold = KeysInFlight::Hold;
    KeysInFlight keys;

    static store::IdempotencyRecord record(std::int64_t account, std::string key,
                                           std::string_view body = "{}") {
        store::IdempotencyRecord made;
        made.account = {account};
        made.key = std::move(key);
        made.fingerprint = sha256(body);
        return made;
    }
    bool is_free(const store::IdempotencyRecord& record) { return keys.take(record).has_value(); }
};

TEST_F(KeysInFlightTest, AKeyIsOneRequestsUntilItsHoldEnds) {
    {
        const auto first = keys.take(record(7, "pesanan-1", "a"));
        ASSERT_TRUE(first);
        const auto second = keys.take(record(7, "pesanan-1", "b"));
        ASSERT_FALSE(second);
        EXPECT_EQ(second.error(), sha256("a"));
    }
    EXPECT_TRUE(is_free(record(7, "pesanan-1")));
}

TEST_F(KeysInFlightTest, OtherKeysAndOtherAccountsAreFree) {
    const auto first = keys.take(record(7, "pesanan-1"));
    EXPECT_TRUE(is_free(record(7, "pesanan-2")));
    EXPECT_TRUE(is_free(record(8, "pesanan-1")));
}

TEST_F(KeysInFlightTest, AMovedHoldHoldsOn) {
    auto first = *keys.take(record(7, "pesanan-1"));
    Hold kept;
    kept = std::move(first);
    EXPECT_FALSE(is_free(record(7, "pesanan-1")));
    kept = Hold{};
    EXPECT_TRUE(is_free(record(7, "pesanan-1")));
}

TEST_F(KeysInFlightTest, AReleasedHoldDoesNotEndTheNext) {
    auto first = *keys.take(record(7, "pesanan-1"));
    first.release();
    const auto second = keys.take(record(7, "pesanan-1"));
    first.release();
    EXPECT_FALSE(is_free(record(7, "pesanan-1")));
}

}  // namespace
}  // namespace merpati::api
