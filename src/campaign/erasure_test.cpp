// Nothing of a person comes back once the person was erased, whatever happens meanwhile.
#include "campaign/erasure.hpp"

#include <gmock/gmock.h>

#include "campaign/runner_fixture.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;
using model::RecipientState;

struct ErasureTest : RunnerTest {
    /// The first recipient of the campaigns here.
    static constexpr auto person = model::PhoneNumber::from_stored(6281000000001);

    Result<bool> erase() {
        const store::Erasure erasure{.account = account, .number = person, .at = clock.now()};
        EXPECT_TRUE(world->change(
            [&](store::Tables& tables) { return tables.campaigns().put_erasure(erasure); }));
        return erase_person(change, *world->store, erasure, clock);
    }
    void go_on() {
        continue_erasures(change, *world->store, clock,
                          [](const Error& error) { ADD_FAILURE() << error.describe(); });
    }
    std::size_t wishes() const {
        return (*world->store->open_reader())->campaigns().erasures({}, 10)->size();
    }
    std::string text_of(const model::MessageId& message) const {
        return (**(*world->store->open_reader())->message(message)).message.body;
    }

    RunChange change = [this](auto run) { return world->change(std::move(run)); };
};

TEST_F(ErasureTest, AMessageThatIsUnderWayIsErasedOnceItHasEnded) {
    add_account_and_device();
    world->platform->outcome_of = [](const auto&) { return std::nullopt; };
    const auto id = world->add_campaign(account, {device}, 2);
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    EXPECT_FALSE(*erase());
    EXPECT_EQ(wishes(), 1U);
    const auto message = world->platform->sent().front().id;
    EXPECT_EQ(text_of(message), "Halo Orang 1") << "it must be sent as it is";
    world->platform->answer(message, PlayedPlatform::sent_outcome());
    world->settle();
    restart();
    go_on();
    EXPECT_EQ(text_of(message), "");
    EXPECT_EQ(wishes(), 0U);
    EXPECT_EQ(world->recipients(id).front().values, std::vector<std::string>{});
    EXPECT_EQ(world->recipients(id).back().values, std::vector<std::string>{"Orang 2"});
}

TEST_F(ErasureTest, AMessageThatReturnsToItsCampaignIsNotSent) {
    add_account_and_device(3s);
    const auto id = world->add_campaign(account, {device}, 3, -2);  // The person is the last one.
    ASSERT_TRUE(world->start_campaign(id));
    world->settle();
    EXPECT_FALSE(*erase());
    ASSERT_TRUE(world->pause_campaign(id));
    world->settle();
    ASSERT_TRUE(world->resume_campaign(id));
    world->advance_by_seconds(200);
    EXPECT_EQ(world->state(id), "finished");
    EXPECT_THAT(world->platform->recipients(), ::testing::Not(::testing::Contains(person.text())));
    EXPECT_EQ(world->count(id, RecipientState::cancelled), 1);
    go_on();
    EXPECT_EQ(wishes(), 0U);
    world->expect_exact(id);
}

TEST_F(ErasureTest, LaterMessagesAreNotMeant) {
    add_account_and_device();
    world->platform->outcome_of = [](const auto&) { return std::nullopt; };
    ASSERT_TRUE(world->start_campaign(world->add_campaign(account, {device}, 1)));
    world->settle();
    EXPECT_FALSE(*erase());
    clock.advance(1s);
    ASSERT_TRUE(world->start_campaign(world->add_campaign(account, {device}, 1)));
    world->settle();
    const auto all = world->platform->sent();
    ASSERT_EQ(all.size(), 2U);
    for (const auto& one : all) {
        world->platform->answer(one.id, PlayedPlatform::sent_outcome());
    }
    world->settle();
    go_on();
    EXPECT_EQ(text_of(all.front().id), "");
    EXPECT_EQ(text_of(all.back().id), "Halo Orang 1");
}

TEST_F(ErasureTest, ACopyThatIsBeingMadeTakesNothingOfThePerson) {
    add_account_and_device();
    const auto from = world->add_campaign(account, {device}, 3);
    const auto to =
        world->act([&](store::Tables& tables) { return clone(tables, from, clock.now()); });
    ASSERT_TRUE(to);
    bool erased = false;
    const RunChange erasing_first = [&](auto run) {
        if (!std::exchange(erased, true)) {  // The rows have been read.
            EXPECT_TRUE(*erase());
        }
        return world->change(std::move(run));
    };
    const auto copied = copy_audience(erasing_first, *world->store, from, to->id, clock);
    ASSERT_TRUE(copied) << copied.error().describe();
    EXPECT_EQ(copied->rows, 3U);
    EXPECT_EQ(copied->invalid, 1U);
    const auto rows = world->recipients(to->id);
    EXPECT_FALSE(rows.front().number);
    EXPECT_EQ(rows.front().original, "");
    EXPECT_TRUE(rows.front().values.empty());
    EXPECT_EQ(rows.back().values, std::vector<std::string>{"Orang 3"});
}

TEST_F(ErasureTest, ACopyThatWasMadeIsErasedToo) {
    add_account_and_device();
    const auto from = world->add_campaign(account, {device}, 3);
    const auto to =
        world->act([&](store::Tables& tables) { return clone(tables, from, clock.now()); });
    ASSERT_TRUE(copy_audience(change, *world->store, from, to->id, clock));
    EXPECT_TRUE(*erase());
    EXPECT_EQ(world->recipients(to->id).front().state, RecipientState::cancelled);
    EXPECT_TRUE(world->recipients(to->id).front().values.empty());
}

}  // namespace
}  // namespace merpati::campaign
