#include "connector/cloud/sending/last_inbound.hpp"

#include <deque>
#include <memory>

#include <gtest/gtest.h>

#include "connector/conformance/connector_fixture.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::connector::cloud {
namespace {

struct LastInboundTest : ::testing::Test {
    LastInboundTest() { restart(); }

    /// As after a crash: what was not kept is gone.
    void restart() {
        planned.clear();
        inbound = std::make_unique<LastInbound>(LastInbound::Rooms{
            .clock = clock,
            .later = [](auto) {},
            .post = [](auto act) { act(); },
            .after = [this](auto, auto act) { planned.push_back(std::move(act)); },
            .keep_after = Millis{10'000}});
        inbound->begin(secrets);
    }
    void pass_time() {
        for (auto& act : std::exchange(planned, {})) {
            act();
        }
    }
    void note(const std::string& sender, const std::string& id) {
        clock.advance(Millis{1});
        inbound->note(number, sender, id);
    }
    std::string find(const std::string& recipient) {
        std::string found = "nobody answered";
        inbound->find(number, recipient, [&found](const std::string& id) { found = id; });
        return found;
    }
    static model::Device device() {
        model::Device made;
        made.number = model::PhoneNumber::from_stored(6281100000001);
        return made;
    }

    testing::ManualClock clock;
    MemorySecrets secrets;
    DeviceRef number = model::DeviceIdentity::of(device());
    std::deque<std::move_only_function<void()>> planned;
    std::unique_ptr<LastInbound> inbound;
};

TEST_F(LastInboundTest, TheLatestMessageOfAPersonIsFoundHoweverTheirNumberIsWritten) {
    EXPECT_EQ(find("6281234567890"), "");
    note("6281234567890", "wamid.1");
    note("6281234567891", "wamid.2");
    note("6281234567890", "wamid.3");
    EXPECT_EQ(find("+6281234567890"), "wamid.3");
    EXPECT_EQ(find("6281234567891"), "wamid.2");
}

TEST_F(LastInboundTest, ACrashForgetsOnlyWhatIsNotKeptYet) {
    note("6281234567890", "wamid.1");
    EXPECT_EQ(planned.size(), 1U);
    note("6281234567891", "wamid.2");
    EXPECT_EQ(planned.size(), 1U) << "both are kept at once";
    pass_time();
    note("6281234567890", "wamid.3");
    restart();
    EXPECT_EQ(find("6281234567890"), "wamid.1");
    EXPECT_EQ(find("6281234567891"), "wamid.2");
    note("6281234567890", "wamid.4");
    inbound->keep_all();
    restart();
    EXPECT_EQ(find("6281234567890"), "wamid.4");
    EXPECT_EQ(find("6281234567891"), "wamid.2");
}

TEST_F(LastInboundTest, WhoWritesBeforeTheEarlierOnesAreReadIsKeptWithThem) {
    note("1", "wamid.1");
    inbound->keep_all();
    restart();
    note("2", "wamid.2");
    pass_time();
    restart();
    EXPECT_EQ(find("1"), "wamid.1");
    EXPECT_EQ(find("2"), "wamid.2");
}

TEST_F(LastInboundTest, TheLastPeopleOfABusyNumberAreKeptAndNoMore) {
    constexpr auto all = LastInbound::pages_max * LastInbound::page_max;
    for (std::size_t person = 0; person < all + LastInbound::page_max; ++person) {
        note(std::to_string(person), "wamid." + std::to_string(person));
    }
    EXPECT_LE(planned.size(), 1U + LastInbound::pages_max);
    restart();
    EXPECT_EQ(find("0"), "");
    EXPECT_EQ(find(std::to_string(LastInbound::page_max)),
              "wamid." + std::to_string(LastInbound::page_max));
    const auto last = std::to_string(all + LastInbound::page_max - 1);
    EXPECT_EQ(find(last), "wamid." + last);
}

TEST_F(LastInboundTest, ALaterDeviceWithTheNumberKnowsNothingOfIt) {
    note("6281234567890", "wamid.1");
    inbound->forget(number.number);
    auto later = device();
    later.account = {2};
    number = model::DeviceIdentity::of(later);
    EXPECT_EQ(find("6281234567890"), "");
}

}  // namespace
}  // namespace merpati::connector::cloud
