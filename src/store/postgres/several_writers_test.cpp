// Several processes that write one database at once.
#include <future>
#include <latch>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "store/nodes.hpp"
#include "store/people.hpp"
#include "store/postgres/several_writers_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_P(SeveralWritersTest, ATopUpElsewhereIsInTheBalanceAndInTheLedger) {
    account = create_account(10);
    accepted();
    EXPECT_TRUE(add_credit(*other, 5));
    accepted();
    EXPECT_TRUE(add_credit(*store, 1));
    EXPECT_TRUE(add_credit(*other, 1));
    clock.advance(1min);
    accepted();
    EXPECT_EQ(credit_of(account), 14);
    EXPECT_THAT(ledger_faults(), IsEmpty());
}

TEST_P(SeveralWritersTest, ManyChargesAndTopUpsAtOnceAddUp) {
    constexpr int each = 100;
    account = create_account(each);
    ASSERT_TRUE(add_device({.number = device_of(account), .account = account}));
    auto charging = std::async(std::launch::async, [&] {
        for (int count = 0; count < each; ++count) {
            EXPECT_EQ(accept_in(*store, *message()), Accept::Result::stored);
        }
    });
    for (int count = 0; count < each; ++count) {
        EXPECT_TRUE(add_credit(*other, 2));
    }
    charging.get();
    EXPECT_EQ(credit_of(account), 2 * each);
    EXPECT_THAT(ledger_faults(), IsEmpty());
}

TEST_P(SeveralWritersTest, ACreditIsSpentOnceByTwoThatChargeIt) {
    constexpr int each = 60;
    account = create_account(each);
    ASSERT_TRUE(add_device({.number = device_of(account), .account = account}));
    std::vector<model::Message> messages;
    for (int count = 0; count < 2 * each; ++count) {
        messages.push_back(*message());
    }
    const auto charge = [&](Store& process, int from) {
        int stored = 0;
        for (int place = from; place < 2 * each; place += 2) {
            stored += accept_in(process, messages[static_cast<std::size_t>(place)]) ==
                              Accept::Result::stored
                          ? 1
                          : 0;
        }
        return stored;
    };
    auto first = std::async(std::launch::async, [&] { return charge(*store, 0); });
    const auto second = charge(*other, 1);
    EXPECT_EQ(first.get() + second, each);
    EXPECT_EQ(credit_of(account), 0);
    EXPECT_THAT(ledger_faults(), IsEmpty());
}

TEST_P(SeveralWritersTest, OneOfTheLastTwoAdministratorsStays) {
    std::vector<model::PersonId> admins;
    ASSERT_TRUE(change([&](Tables& tables) -> Result<void> {
        for (const auto* email : {"ani@toko.example", "budi@toko.example"}) {
            admins.push_back(
                take(tables.people().create_person({.email = email, .is_admin = true})).id);
        }
        return {};
    }));
    const auto demote = [](Tables& tables, model::PersonId admin) -> Result<void> {
        auto& people = tables.people();
        if (take(people.count_administrators()) == 1) {
            return fail(ErrorCode::conflict, "the last one");
        }
        const auto updated = people.update_person(admin, {.is_admin = false});
        return updated ? Result<void>{} : pass(updated);
    };
    std::future<Result<void>> second;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        EXPECT_EQ(take(tables.people().count_administrators()), 2U);
        second = begin_in_other([&](Tables& others) { return demote(others, admins[1]); });
        return demote(tables, admins[0]);
    }));
    const auto refused = second.get();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
}

TEST_P(SeveralWritersTest, AnIdempotencyKeyIsClaimedByOne) {
    const IdempotencyRecord record{.key = "local monday", .created_at = clock.now()};
    bool other_claimed = true;
    std::future<Result<void>> second;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        EXPECT_TRUE(take(tables.claim_idempotency(record)));
        second = begin_in_other([&](Tables& others) -> Result<void> {
            other_claimed = take(others.claim_idempotency(record));
            return {};
        });
        return {};
    }));
    EXPECT_TRUE(second.get());
    EXPECT_FALSE(other_claimed);
}

TEST_P(SeveralWritersTest, ALinkSignsInOnce) {
    ASSERT_TRUE(change([&](Tables& tables) -> Result<void> {
        const auto person = take(tables.people().create_person({.email = "ani@toko.example"}));
        return tables.people().put_link(
            {.digest = sha256("link"), .person = person.id, .expires_at = clock.now() + 1h});
    }));
    std::optional<model::PersonId> first;
    std::optional<model::PersonId> second;
    std::future<Result<void>> signing_in;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        first = take(tables.people().take_link(sha256("link"), clock.now()));
        signing_in = begin_in_other([&](Tables& others) -> Result<void> {
            second = take(others.people().take_link(sha256("link"), clock.now()));
            return {};
        });
        return {};
    }));
    EXPECT_TRUE(signing_in.get());
    EXPECT_TRUE(first);
    EXPECT_FALSE(second);
}

TEST_P(SeveralWritersTest, ANumberThatTwoAddAtOnceIsTheFirstOnes) {
    const auto number = model::PhoneNumber::from_stored(6281100000007);
    const auto rival = create_account();
    Result<DeviceDecision> second;
    std::future<Result<void>> adding;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        const auto added = take(tables.add_device({.number = number, .account = account}, true));
        EXPECT_EQ(added.result, DeviceDecision::Result::added);
        adding = begin_in_other([&](Tables& others) -> Result<void> {
            second = others.add_device({.number = number, .account = rival}, true);
            return {};
        });
        return {};
    }));
    EXPECT_TRUE(adding.get());
    EXPECT_EQ(take(second).result, DeviceDecision::Result::owned_by_another);
}

TEST_P(SeveralWritersTest, OneDeviceTooManyIsRefusedWhoeverAddsIt) {
    ASSERT_TRUE(change([&](Tables& tables) -> Result<void> {
        AccountPatch patch;
        patch.devices_max = 1;
        take(tables.update_account(account, patch));
        return {};
    }));
    Result<DeviceDecision> second;
    std::future<Result<void>> adding;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        take(tables.add_device({.number = device, .account = account}, true));
        adding = begin_in_other([&](Tables& others) -> Result<void> {
            second = others.add_device(
                {.number = model::PhoneNumber::from_stored(6281100000008), .account = account},
                true);
            return {};
        });
        return {};
    }));
    EXPECT_TRUE(adding.get());
    EXPECT_EQ(take(second).result, DeviceDecision::Result::no_room);
}

TEST_P(SeveralWritersTest, WhoClaimsAShardForgetsWhatItRemembersOfIt) {
    take(store->nodes()->join({.name = "one"}, 10s));
    const auto unknown = *message();
    EXPECT_EQ(accept_in(*store, unknown), Accept::Result::sender_gone);
    EXPECT_TRUE(change_in(*other, [&](Tables& tables) -> Result<void> {
        take(tables.add_device({.number = unknown.device, .account = account}, true));
        return {};
    }));
    EXPECT_THAT(take(store->nodes()->claim(std::vector<Shard>{shard_of(account)})),
                ElementsAre(shard_of(account)));
    EXPECT_EQ(accept_in(*store, unknown), Accept::Result::stored);
}

struct CollisionTest : SeveralWritersTest {
    CollisionTest() { rival = create_account(); }

    static Result<void> rename(Tables& tables, model::AccountId one) {
        AccountPatch patch;
        patch.name = "Toko Budi";
        const auto updated = tables.update_account(one, patch);
        return updated ? Result<void>{} : pass(updated);
    }
    /// Accounts cannot be updated, because another transaction is in the way: the first `times`.
    void collide(int times) {
        shell.run_script(fmt::format(
            "CREATE SEQUENCE collisions; CREATE FUNCTION collide() RETURNS trigger LANGUAGE "
            "plpgsql AS $$ BEGIN IF nextval('collisions') <= {} THEN RAISE 'deadlock detected' "
            "USING ERRCODE = 'deadlock_detected'; END IF; RETURN NEW; END $$; "
            "CREATE TRIGGER collide BEFORE UPDATE ON account FOR EACH ROW EXECUTE FUNCTION "
            "collide()",
            times));
    }

    model::AccountId rival;
};

TEST_P(CollisionTest, OfTwoThatWaitForEachOtherBothAreWritten) {
    std::latch first_rows{2};
    const auto rename_both = [&](model::AccountId first, model::AccountId second) {
        return [&first_rows, first, second, is_again = false](Tables& tables) mutable {
            auto renamed = rename(tables, first);
            if (!std::exchange(is_again, true)) {
                first_rows.arrive_and_wait();
            }
            return renamed ? rename(tables, second) : std::move(renamed);
        };
    };
    auto opposite = std::async(std::launch::async,
                               [&] { return change_in(*other, rename_both(rival, account)); });
    EXPECT_TRUE(change_in(*store, rename_both(account, rival)));
    EXPECT_TRUE(opposite.get());
}

TEST_P(CollisionTest, ABatchThatCollidesIsWrittenAgainAsAWhole) {
    account = create_account(10);
    auto waiting = accepted();
    collide(2);
    WriteBatch batch;
    batch.finishes.push_back(finish_of(waiting));
    batch.changes.push_back({.run = [&](Tables& tables) { return rename(tables, rival); }});
    batch.changes.push_back(
        {.run = [](Tables&) -> Result<void> { return fail(ErrorCode::refused, "as it is"); }});
    batch.accepts.push_back({.message = message()});
    take(store->write(batch));
    EXPECT_TRUE(batch.finishes.front().finished);
    EXPECT_TRUE(batch.changes.front().result);
    EXPECT_EQ(batch.changes.back().result.error().code, ErrorCode::refused);
    EXPECT_EQ(batch.accepts.front().result, Accept::Result::stored);
    EXPECT_EQ(credit_of(account), 8);
    EXPECT_THAT(ledger_faults(), IsEmpty());
}

TEST_P(CollisionTest, ABatchThatCollidesAgainAndAgainIsRefused) {
    collide(1'000);
    WriteBatch batch;
    batch.changes.push_back({.run = [&](Tables& tables) { return rename(tables, rival); }});
    EXPECT_EQ(store->write(batch).error().code, ErrorCode::busy);
    EXPECT_EQ(batch.changes.front().result.error().code, ErrorCode::busy);
    EXPECT_EQ(shell.query_text("SELECT last_value FROM collisions"), "3");
}

struct SharedSearchTest : SeveralWritersTest {
    SharedSearchTest() {
        late.recipient = "6281200000001";
        EXPECT_TRUE(add_device({.number = device_of(account), .account = account}));
        clock.advance(1s);
        for (int count = 0; count < 8; ++count) {
            accepted();
        }
    }
    SummaryStep make_summary() {
        EXPECT_TRUE(change([](Tables& tables) { return tables.begin_summary(); }));
        return take(reader()->summarise(4, clock.now() + 1s, place));
    }
    bool put(const SummaryStep& step) {
        bool is_stored = false;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            is_stored = take(tables.put_summary(*step.summary));
            return {};
        }));
        return is_stored;
    }
    bool is_found() {
        return take(reader()->messages({.recipient = late.recipient})).records.size() == 1;
    }

    SummaryPlace place;
    model::Message late = *message();  // Its id is the lowest.
};

TEST_P(SharedSearchTest, AMessageOfAnotherProcessIsFoundWhoseIdWasSummarised) {
    for (auto step = make_summary(); step.summary; step = make_summary()) {
        EXPECT_TRUE(put(step));
    }
    EXPECT_EQ(accept_in(*other, late), Accept::Result::stored);
    EXPECT_TRUE(is_found());
}

TEST_P(SharedSearchTest, ASummaryIsNotStoredThatLacksAMessageOfAnotherProcess) {
    const auto step = make_summary();
    EXPECT_EQ(accept_in(*other, late), Accept::Result::stored);
    EXPECT_FALSE(put(step));
    EXPECT_TRUE(is_found());
    EXPECT_TRUE(put(make_summary()));
    EXPECT_TRUE(is_found());
}

INSTANTIATE_TEST_SUITE_P(Engine, SeveralWritersTest, ::testing::Values(postgres::engine()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Engine, CollisionTest, ::testing::Values(postgres::engine()), name_of);
INSTANTIATE_TEST_SUITE_P(Engine, SharedSearchTest, ::testing::Values(postgres::engine()), name_of);

}  // namespace
}  // namespace merpati::store
