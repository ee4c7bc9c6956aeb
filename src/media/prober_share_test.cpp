// Probes of one account while the hosts of another do not answer.
#include <gtest/gtest.h>

#include "media/host_fixture.hpp"
#include "media/prober.hpp"
#include "media/samples_fixture.hpp"

namespace merpati::media {
namespace {

using enum ProbeVerdict;
using outbound::ScriptedReply;
using namespace std::chrono_literals;

constexpr model::AccountId shop{1};
constexpr model::AccountId neighbour{2};

struct ProberShareTest : HostTest {
    ~ProberShareTest() override {
        client.close();
        core.close();
    }
    void SetUp() override {
        serve("/hang", [](const std::string&) { return ScriptedReply{.again = "x", .pause = 1h}; });
        serve("/a", answer("200 OK", "Content-Type: image/png\r\n", sample("photo.png")));
    }

    std::shared_ptr<std::optional<ProbeVerdict>> ask(model::AccountId account,
                                                     const std::string& text) {
        auto verdict = std::make_shared<std::optional<ProbeVerdict>>();
        core.probe(account, text, model::Revision::a,
                   [verdict](ProbeVerdict result) { *verdict = result; });
        return verdict;
    }
    ProbeVerdict probed(model::AccountId account, const std::string& text) {
        const auto verdict = ask(account, text);
        run_until([&] { return verdict->has_value(); });
        return verdict->value_or(undecided);
    }
    void ask_many(int hosts, int each) {
        for (int number = 0; number < hosts * each; ++number) {
            scripts["/hang?" + std::to_string(number)] = scripts["/hang"];
            static_cast<void>(
                ask(neighbour, url("/hang?" + std::to_string(number),
                                   "bad" + std::to_string(number % hosts) + ".test")));
        }
    }

    Prober core{io.get_executor(), tools, {.kept_max = 50}};
};

TEST_F(ProberShareTest, HostsThatHangTakeNoSlotOfAnotherAccount) {
    ask_many(100, 20);
    // The clock stands still, so a probe that has to wait for one of them would never end.
    EXPECT_EQ(probed(shop, url("/a")), acceptable);
    EXPECT_LE(core.counts().in_flight, 4U);
}

TEST_F(ProberShareTest, ASharedHostThatHangsForOneAccountIsHealthyForAnother) {
    ask_many(1, 20);
    EXPECT_EQ(probed(shop, url("/a", "bad0.test")), acceptable);
}

TEST_F(ProberShareTest, AUrlThatWaitsInOneAccountsLineIsProbedForAnother) {
    static_cast<void>(ask(neighbour, url("/hang")));
    const auto waits = ask(neighbour, url("/a"));
    EXPECT_EQ(probed(shop, url("/a")), acceptable);
    EXPECT_FALSE(waits->has_value());
}

TEST_F(ProberShareTest, AnswersOfAnAccountAreNotLostToOneThatAsksForMany) {
    EXPECT_EQ(probed(shop, url("/a")), acceptable);
    for (int number = 0; number < 100; ++number) {
        EXPECT_EQ(probed(neighbour, url("/missing?" + std::to_string(number))), inaccessible);
    }
    const auto before = heads.size();
    EXPECT_EQ(probed(shop, url("/a")), acceptable);
    EXPECT_EQ(heads.size(), before);
}

}  // namespace
}  // namespace merpati::media
