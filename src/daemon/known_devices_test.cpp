// What a connector is told of its devices besides requests to connect and disconnect them.
#include <gmock/gmock.h>

#include "daemon/concurrency_fixture.hpp"

namespace merpati::daemon {
namespace {

using ::testing::ElementsAre;

struct KnownDevicesTest : ConcurrencyFixture {
    KnownDevicesTest() {
        post("/devices", fmt::format(R"({{"account":"{}","number":"{}"}})", account, number.text()),
             "number");
    }
    void update(store::DevicePatch patch) {
        EXPECT_TRUE(committer.change_and_wait([&](store::Tables& tables) -> Result<void> {
            const auto updated = tables.update_device(number, patch);
            return updated ? Result<void>{} : pass(updated);
        }));
    }
    /// What was said since the last call.
    std::vector<std::string> news() {
        EXPECT_TRUE(committer.change_and_wait([](store::Tables&) -> Result<void> { return {}; }));
        auto all = platform->told_of(number);
        std::vector<std::string> fresh{all.begin() + static_cast<std::ptrdiff_t>(heard), all.end()};
        heard = all.size();
        return fresh;
    }

    std::size_t heard = 0;
    const model::PhoneNumber number = model::PhoneNumber::from_stored(6281100000001);
    const std::string account = post("/admin/accounts", R"({"name":"Toko"})", "id");
};

TEST_F(KnownDevicesTest, ADeviceIsNamedBeforeItIsStartedAndAfterEachChange) {
    EXPECT_THAT(news(), ElementsAre("connected", "started"));
    update({.webhook_url = "https://toko.example.com/"});
    EXPECT_THAT(news(), ElementsAre("connected"));
    EXPECT_EQ(call(http::Method::post, "/devices/6281100000001/disconnect").status, 200);
    EXPECT_EQ(news().back(), "disconnected");
    EXPECT_TRUE(keeper.start());
    EXPECT_THAT(news(), ElementsAre("disconnected")) << "named at a start, but not connected";
}

TEST_F(KnownDevicesTest, NewAccessStartsAConnectedDeviceAgain) {
    news();
    update({.cloud = store::DevicePatch::Cloud{.phone_number_id = "1055", .waba_id = {}}});
    EXPECT_THAT(news(), ElementsAre("connected", "started"));
    EXPECT_EQ(call(http::Method::post, "/devices/6281100000001/disconnect").status, 200);
    news();
    update({.cloud = store::DevicePatch::Cloud{}});
    EXPECT_THAT(news(), ElementsAre("disconnected")) << "a person has disconnected it";
}

}  // namespace
}  // namespace merpati::daemon
