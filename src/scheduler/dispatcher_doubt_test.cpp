// Messages whose platform may have them: how their end says so.
#include <string>

#include "model/texts.hpp"
#include "scheduler/dispatcher_fixture.hpp"

namespace merpati::scheduler {
namespace {

using namespace std::chrono_literals;
using Kind = model::Outcome::Kind;
using model::MessageState;
using model::StatusCode;

struct DoubtTest : DispatcherFixture {
    DoubtTest() { connector->abilities.recognises_repeats = true; }

    [[nodiscard]] std::string details(const model::MessageId& id) {
        const auto record = stored(id);
        EXPECT_TRUE(record.completion);
        return record.completion ? record.completion->details : std::string{};
    }
    /// Reports `kind` for each attempt until the message ends.
    void report_until_the_end(const model::MessageId& id, Kind kind) {
        for (int attempt = 0; state(id) == MessageState::pending && attempt < 1'000; ++attempt) {
            const auto before = connector->sent.size();
            advance(15min);
            if (connector->sent.size() > before) {
                report(id, kind);
            }
        }
        EXPECT_EQ(state(id), MessageState::failed);
    }
    static std::string in_doubt(std::string_view text) {
        return std::string{model::details::unknown} + ": " + std::string{text};
    }
};

TEST_F(DoubtTest, AMessageThatIsGivenUpSaysThatAnAttemptMayHaveReachedThePlatform) {
    start();
    const auto id = accept(message());
    report(id, Kind::unknown);
    report_until_the_end(id, Kind::unknown);
    EXPECT_EQ(details(id), in_doubt(std::string{model::details::gave_up} + ": kata platform"));
}

TEST_F(DoubtTest, LaterFailuresAndARestartOfTheGatewayDoNotChangeThat) {
    start();
    const auto id = accept(message());
    report(id, Kind::unknown);
    restart();
    advance(10s);
    ASSERT_EQ(connector->sent, std::vector{id});
    report(id, Kind::retry);
    restart();
    report_until_the_end(id, Kind::retry);
    EXPECT_EQ(details(id), in_doubt(std::string{model::details::gave_up} + ": kata platform"));
}

TEST_F(DoubtTest, NorDoesAPersonWhoMakesItDue) {
    start();
    const auto id = accept(message());
    report(id, Kind::unknown);
    auto record = stored(id);
    post(HastenRequested{
        .message = {.message = std::make_unique<model::Message>(std::move(record.message)),
                    .queued_at = record.queued_at},
        .done = [](const Result<void>& done) { EXPECT_TRUE(done); }});
    restart();
    ASSERT_EQ(connector->sent, std::vector{id});
    report(id, Kind::retry);
    report_until_the_end(id, Kind::retry);
    EXPECT_TRUE(details(id).starts_with(model::details::unknown)) << details(id);
}

TEST_F(DoubtTest, NorADeviceThatGoesDownOrACancellation) {
    start();
    const auto expired = accept(message());
    const auto cancelled = accept(message());
    report(expired, Kind::unknown);
    report(cancelled, Kind::unknown);
    auto record = stored(cancelled);
    post(CancelRequested{
        .message = {.message = std::make_unique<model::Message>(std::move(record.message)),
                    .queued_at = record.queued_at},
        .done = [](const Result<void>& done) { EXPECT_TRUE(done); }});
    EXPECT_EQ(details(cancelled), in_doubt(model::details::cancelled));
    device.state = model::DeviceState::disconnected;
    post(DeviceChanged{.device = device});
    advance(options.give_up + 2h);
    EXPECT_EQ(details(expired), in_doubt(model::details::device_down));
}

TEST_F(DoubtTest, ARefusalOfTheFileLeavesTheDoubtAndARefusalOfTheRecipientEndsIt) {
    start();
    const auto file = accept(message());
    const auto recipient = accept(message());
    report(file, Kind::unknown);
    report(recipient, Kind::unknown);
    advance(10s);
    report(file, Kind::failed, StatusCode::media_refused);
    report(recipient, Kind::failed, StatusCode::recipient_unregistered);
    EXPECT_EQ(details(file), in_doubt("kata platform"));
    EXPECT_EQ(details(recipient), "kata platform");
}

TEST_F(DoubtTest, AMessageThatThePlatformNeverTookSaysNothingOfTheKind) {
    start();
    const auto id = accept(message());
    report(id, Kind::retry);
    report_until_the_end(id, Kind::retry);
    EXPECT_EQ(details(id), std::string{model::details::gave_up} + ": kata platform");
}

TEST_F(DoubtTest, AMessageThatThePlatformAcceptsCarriesTheDoubtToItsLateReport) {
    start();
    const auto id = accept(message());
    report(id, Kind::unknown);
    advance(10s);
    post(Reported{.message = id, .outcome = {.kind = Kind::accepted, .platform_id = "wamid.1"}});
    EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
        const auto found = tables.find_platform_message(device.number, "wamid.1");
        EXPECT_TRUE(found && *found && (**found).perhaps_sent);
        return {};
    }));
}

TEST_F(DoubtTest, AMessageThatIsSentAfterAllSaysNothingOfTheKind) {
    start();
    const auto id = accept(message());
    report(id, Kind::unknown);
    advance(10s);
    report_sent(id);
    EXPECT_EQ(state(id), MessageState::sent);
    EXPECT_EQ(details(id), "kata platform");
}

}  // namespace
}  // namespace merpati::scheduler
