// Nothing of a person comes back once the person was erased, whatever happens meanwhile.
#include "campaign/erasure.hpp"

#include <gmock/gmock.h>

#include "campaign/kept_erasures.hpp"
#include "campaign/runner_fixture.hpp"

namespace merpati::campaign {
namespace {

using namespace std::chrono_literals;
using model::RecipientState;

struct ErasureTest : RunnerTest {
    /// The first recipient of the campaigns here.
    static constexpr auto person = model::PhoneNumber::from_stored(6281000000001);

    store::Erasure wish_of(model::AccountId owner, model::PhoneNumber number) const {
        return {.account = owner, .number = number, .at = clock.now()};
    }
    void keep(const store::Erasure& erasure) {
        EXPECT_TRUE(world->change(
            [&](store::Tables& tables) { return tables.contacts().put_erasure(erasure); }));
    }
    Result<bool> erase() {
        const auto erasure = wish_of(account, person);
        keep(erasure);
        store::ReaderPool pool{*world->store};
        return erase_person({.change = change, .readers = pool, .clock = clock}, erasure);
    }
    /// Gives turns until nothing is due, or so many of them.
    void go_on(std::size_t turns = 1'000) {
        while (turns-- > 0 && kept->turn() == 0ms) {
        }
    }
    void begin_erasures() {
        readers = std::make_unique<store::ReaderPool>(*world->store);
        kept = std::make_unique<KeptErasures>(KeptErasures::Rooms{
            .change = change,
            .readers = *readers,
            .clock = clock,
            .ownership = ownership,
            .on_fault = [](const Error& error) { ADD_FAILURE() << error.describe(); }});
    }
    std::size_t wishes(model::AccountId owner) const {
        const auto reader = *world->store->open_reader();
        return reader->contacts().erasures(owner, clock.now() + 100h, 10)->size();
    }
    std::size_t wishes() const { return wishes(account); }
    std::string text_of(const model::MessageId& message) const {
        return (**(*world->store->open_reader())->message(message)).message.body;
    }

    int changes = 0;
    RunChange change = [this](auto run) {
        ++changes;
        return world->change(std::move(run));
    };
    admission::Ownership ownership;
    std::unique_ptr<store::ReaderPool> readers;
    std::unique_ptr<KeptErasures> kept;
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
    begin_erasures();
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
    begin_erasures();
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
    begin_erasures();
    go_on();
    EXPECT_EQ(text_of(all.front().id), "");
    EXPECT_EQ(text_of(all.back().id), "Halo Orang 1");
}

TEST_F(ErasureTest, ACopyThatIsBeingMadeTakesNothingOfThePerson) {
    add_account_and_device();
    const auto from = world->add_campaign(account, {device}, 3);
    const auto to =
        world->act([&](store::Tables& tables) { return begin_clone(tables, from, clock.now()); });
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
        world->act([&](store::Tables& tables) { return begin_clone(tables, from, clock.now()); });
    ASSERT_TRUE(copy_audience(change, *world->store, from, to->id, clock));
    EXPECT_TRUE(*erase());
    EXPECT_EQ(world->recipients(to->id).front().state, RecipientState::cancelled);
    EXPECT_TRUE(world->recipients(to->id).front().values.empty());
}

TEST_F(ErasureTest, AnAccountWithManyWishesHoldsUpNoOther) {
    constexpr std::int64_t many = 100'000;
    add_account_and_device();
    EXPECT_TRUE(world->change([&](store::Tables& tables) -> Result<void> {
        for (std::int64_t n = 0; n < many; ++n) {
            (void)tables.contacts().put_erasure(
                wish_of(account, model::PhoneNumber::from_stored(person.value() + n)));
        }
        return {};
    }));
    const auto other = world->add_account();
    keep(wish_of(other, person));
    begin_erasures();
    constexpr std::size_t few = 10;
    go_on(few);
    EXPECT_EQ(wishes(other), 0U);
    EXPECT_EQ(wishes(), 10U) << "the first ten of those that are left";
    keep(wish_of(other, person));
    clock.advance(KeptErasures::look_every);
    go_on(few);
    EXPECT_EQ(wishes(other), 0U) << "one that came meanwhile";
    EXPECT_EQ(kept->turn(), 0ms) << "the others are not finished yet";
}

TEST_F(ErasureTest, AWishIsTriedTheLessOftenTheLongerItsMessagesAreUnderWay) {
    add_account_and_device();
    world->platform->outcome_of = [](const auto&) { return std::nullopt; };
    ASSERT_TRUE(world->start_campaign(world->add_campaign(account, {device}, 1)));
    world->settle();
    EXPECT_FALSE(*erase());
    begin_erasures();
    const auto changes_in = [this](std::chrono::minutes time) {
        const auto before = changes;
        for (auto passed = 0min; passed < time; ++passed) {
            go_on();
            clock.advance(1min);
        }
        return changes - before;
    };
    EXPECT_GE(changes_in(10min), 10);
    changes_in(24h);
    EXPECT_LE(changes_in(60min), 4) << "a try an hour, which is two changes";
    const auto tried = changes;
    begin_erasures();  // As after a restart.
    go_on();
    EXPECT_EQ(changes, tried);
    world->platform->answer(world->platform->sent().front().id, PlayedPlatform::sent_outcome());
    world->settle();
    changes_in(60min);
    EXPECT_EQ(wishes(), 0U);
}

}  // namespace
}  // namespace merpati::campaign
