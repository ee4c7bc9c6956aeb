#include "admission/checks.hpp"

#include <numeric>

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::admission {
namespace {

using namespace std::chrono_literals;
using model::DeviceState;

struct ChecksTest : ::testing::Test {
    testing::ManualClock clock;
    Directory directory;
    model::Account account{.id = {7}, .name = "Toko"};
    model::ApiKey key{.id = {1}, .account = {7}, .digest = sha256("mpt_secret")};
    model::Device device{.number = *model::PhoneNumber::parse("6281100000001"),
                         .account = {7},
                         .state = DeviceState::connected,
                         .state_since = clock.now()};

    ChecksTest() {
        directory.put_account(account);
        directory.put_key(key);
        directory.put_device(device);
    }

    bool opens(std::string_view authorization) {
        return authenticate(authorization, directory, clock.now()).has_value();
    }
};

TEST_F(ChecksTest, AKeyOpensItsAccount) {
    const auto entry = authenticate("Bearer mpt_secret", directory, clock.now());
    ASSERT_TRUE(entry);
    EXPECT_EQ(entry->account().name, "Toko");
    EXPECT_TRUE(opens("bearer mpt_secret"));
}

TEST_F(ChecksTest, EveryFaultOfAKeyIsRefused) {
    for (const auto* header : {"", "Bearer", "Bearer ", "Basic mpt_secret", "mpt_secret",
                               "Bearer mpt_secre", "Bearer mpt_secret ", "Bearer  mpt_secret"}) {
        EXPECT_FALSE(opens(header)) << header;
    }
}

TEST_F(ChecksTest, ARevokedKeyOpensNothingFromTheNextRequestOn) {
    key.revoked_at = clock.now();
    directory.put_key(key);
    EXPECT_FALSE(opens("Bearer mpt_secret"));
}

TEST_F(ChecksTest, ARotatedKeyOpensUntilItsOverlapEnds) {
    key.expires_at = clock.now() + 1h;
    directory.put_key(key);
    clock.advance(1h - 1ms);
    EXPECT_TRUE(opens("Bearer mpt_secret"));
    clock.advance(1ms);
    EXPECT_FALSE(opens("Bearer mpt_secret"));
}

TEST_F(ChecksTest, ValidityEndsAtItsMoment) {
    account.expires_at = clock.now() + 1ms;
    EXPECT_TRUE(check_validity(account, clock.now()));
    clock.advance(1ms);
    EXPECT_EQ(check_validity(account, clock.now()).error(), Refusal::account_expired);
}

TEST_F(ChecksTest, AnAccountsOwnRateBeatsTheServersAndNoneMeansNone) {
    const model::Rate server{.count = 50, .period = 1s};
    EXPECT_EQ(effective_rate(account, server), server);
    account.rate = *model::RateChoice::parse("6/min");
    EXPECT_EQ(effective_rate(account, server)->text(), "6/min");
    account.rate = *model::RateChoice::parse("none");
    EXPECT_FALSE(effective_rate(account, server));
}

TEST_F(ChecksTest, CallsOfTheCatalogueAreCountedApartAtTheLargerRate) {
    const auto allowed = [&](std::optional<model::Rate> server) {
        const auto verdict =
            check_call_rate(*directory.find_account({7}), server, clock.steady_now());
        return !verdict || verdict->allowed;
    };
    account.rate = {.kind = model::RateChoice::Kind::own, .rate = {.count = 1, .period = 60s}};
    directory.put_account(account);
    const model::Rate server{.count = 3, .period = 60s};
    for (int call = 0; call < 3; ++call) {
        EXPECT_TRUE(allowed(server));
    }
    EXPECT_FALSE(allowed(server));
    EXPECT_TRUE(allowed(std::nullopt));
    EXPECT_TRUE(check_rate(*directory.find_account({7}), server, clock.steady_now())->allowed);
    account.rate = {.kind = model::RateChoice::Kind::own, .rate = {.count = 4, .period = 60s}};
    directory.put_account(account);
    for (int call = 0; call < 4; ++call) {
        EXPECT_TRUE(allowed(server));
    }
    EXPECT_FALSE(allowed(server));
}

TEST_F(ChecksTest, AKeyOfAnExpiredAccountOnlyReads) {
    key.scopes = model::Scopes::all();
    directory.put_key(key);
    account.expires_at = clock.now() + 1h;
    directory.put_account(account);
    const auto now = [&] { return *authenticate("Bearer mpt_secret", directory, clock.now()); };
    EXPECT_TRUE(now().is_administrator());
    clock.advance(1h);
    EXPECT_FALSE(now().is_administrator());
    EXPECT_EQ(now().scopes_in({7}), model::reading_scopes);
    EXPECT_FALSE(now().permits_somewhere(model::Scope::send));
    key.scopes = {model::Scope::send, model::Scope::messages_read};
    directory.put_key(key);
    EXPECT_EQ(now().scopes_in({7}), model::Scopes{model::Scope::messages_read});
}

TEST_F(ChecksTest, AChangedAccountKeepsItsRateBucket) {
    const auto before = directory.find_account({7})->bucket;
    directory.put_account(account);
    EXPECT_EQ(directory.find_account({7})->bucket, before);
}

TEST_F(ChecksTest, AnAccountOfAnotherRateStartsWithAFullBucket) {
    const auto asks = [this](std::string_view rate) {
        account.rate = *model::RateChoice::parse(rate);
        directory.put_account(account);
        const auto entry = directory.find_account({7});
        const model::Rate server{.count = 7, .period = 1min};
        const auto verdict = check_rate(*entry, server, clock.steady_now());
        return verdict ? std::optional{verdict->remaining} : std::nullopt;
    };
    EXPECT_EQ(asks("1/min"), 0U);
    EXPECT_EQ(asks("50/s"), 49U);
    EXPECT_EQ(asks("3/min"), 2U);
    EXPECT_EQ(asks("3/min"), 1U);
    EXPECT_EQ(asks("none"), std::nullopt);
    EXPECT_EQ(asks("default"), 6U);
}

TEST_F(ChecksTest, ASenderIsFoundByItsOwnerAlone) {
    EXPECT_NE(find_sender("6281100000001", {7}, directory), nullptr);
    for (const auto* number : {"", "6281100000002", "+6281100000001", "06281100000001", "x"}) {
        EXPECT_EQ(find_sender(number, {7}, directory), nullptr) << number;
    }
    EXPECT_EQ(find_sender("6281100000001", {8}, directory), nullptr);
}

TEST_F(ChecksTest, DevicesAreCountedByState) {
    device.number = *model::PhoneNumber::parse("6281100000002");
    device.state = DeviceState::banned;
    directory.put_device(device);
    const auto counts = directory.devices_by_state();
    EXPECT_EQ(counts.at(static_cast<std::size_t>(DeviceState::connected)), 1U);
    EXPECT_EQ(counts.at(static_cast<std::size_t>(DeviceState::banned)), 1U);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), 2U);
}

TEST_F(ChecksTest, ADeviceThatIsReconnectingAcceptsForHalfAMinute) {
    EXPECT_TRUE(accepts_messages(device, clock.now()));
    device.state = DeviceState::reconnecting;
    EXPECT_TRUE(accepts_messages(device, clock.now() + 30s));
    EXPECT_FALSE(accepts_messages(device, clock.now() + 30s + 1ms));
    device.state = DeviceState::disconnected;
    EXPECT_FALSE(accepts_messages(device, clock.now()));
}

TEST(RecipientTest, NeedsACountryCodeOfTheList) {
    for (const auto* possible :
         {"6281234567890", "12025550123", "79161234567", "35312345678", "99890123456",
          "88212345678", "12345678", "80012345678", "80812345678", "87812345678", "88812345678",
          "97912345678", "99112345678", "38812345678"}) {
        EXPECT_TRUE(recipient_possible(possible)) << possible;
    }
    for (const auto* impossible : {"", "0812345678", "6281", "2101234567", "99912345678",
                                   "62812345678901234", "62abc4567890", "+6281234567890"}) {
        EXPECT_FALSE(recipient_possible(impossible)) << impossible;
    }
}

TEST(CountryCodeTest, IsOneOfTheListAsAWhole) {
    for (const auto* code : {"62", "1", "7", "353", "998"}) {
        EXPECT_TRUE(is_country_code(code)) << code;
    }
    for (const auto* other : {"", "0", "062", "628", "6", "+62", "6281", "210", "6x"}) {
        EXPECT_FALSE(is_country_code(other)) << other;
    }
}

TEST(CountryCodeTest, IsTheOneThatDigitsBeginWith) {
    EXPECT_EQ(country_code_of("6281234567890"), 62U);
    EXPECT_EQ(country_code_of("12025550123"), 1U);
    EXPECT_EQ(country_code_of("85212345678"), 852U);
    for (const auto* none : {"", "0812345678", "2101234567", "+62", "6"}) {
        EXPECT_EQ(country_code_of(none), 0U) << none;
    }
}

TEST(BearerOfBasicTest, IsThePasswordWhateverTheUserIs) {
    EXPECT_EQ(bearer_of_basic("Basic bGlzdG1vbms6bXB0X2tleQ=="), "Bearer mpt_key");
    EXPECT_EQ(bearer_of_basic("basic Om1wdF9rZXk="), "Bearer mpt_key");
    for (const auto* header : {"", "Basic", "Basic ", "Basic bXB0X2tleQ==", "Basic ???", "Bearer x",
                               "Basic bGlzdG1vbms6bXB0X2tleQ"}) {
        EXPECT_EQ(bearer_of_basic(header), std::nullopt) << header;
    }
}

}  // namespace
}  // namespace merpati::admission
