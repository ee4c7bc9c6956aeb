// People, memberships, sessions, links, second factors and the audit log.
#include "store/people.hpp"

#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::Role;

struct PeopleTest : StoreTest {
    template <class Value>
    Value in_change(std::move_only_function<Result<Value>(PeopleTables&)> run) {
        Value value{};
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            value = take(run(tables.people()));
            return {};
        }));
        return value;
    }
    Result<void> run(std::move_only_function<Result<void>(PeopleTables&)> body) {
        return change([&](Tables& tables) { return body(tables.people()); });
    }
    std::vector<RowChange> rows_of(std::move_only_function<Result<void>(PeopleTables&)> body) {
        WriteBatch batch;
        batch.changes.push_back({.run = [&](Tables& tables) { return body(tables.people()); }});
        write_as_it_is(batch);
        return std::move(batch.row_changes);
    }

    model::Person create(std::string_view email = "ani@toko.example") {
        return in_change<model::Person>([&](PeopleTables& people) {
            return people.create_person({.email = std::string{email},
                                         .is_admin = false,
                                         .password_hash = "$argon2id$x",
                                         .memberships = {},
                                         .created_at = clock.now()});
        });
    }
    model::Person with_role(const model::Person& person, Role role) {
        return in_change<model::Person>([&](PeopleTables& people) {
            return people.put_membership(person.id,
                                         {.account = account, .role = role, .since = clock.now()});
        });
    }
    model::Session begin_session(const model::Person& person, std::string_view token) {
        return in_change<model::Session>([&](PeopleTables& people) {
            return people.create_session({.person = person.id,
                                          .digest = sha256(token),
                                          .by = model::SignIn::link,
                                          .address = "203.0.113.7",
                                          .agent = "Browser/1",
                                          .created_at = clock.now(),
                                          .seen_at = clock.now()});
        });
    }
    std::optional<model::PersonId> take_link(std::string_view token) {
        return in_change<std::optional<model::PersonId>>(
            [&](PeopleTables& people) { return people.take_link(sha256(token), clock.now()); });
    }
    Result<void> put_link(const model::Person& person, std::string_view token) {
        return run([&](PeopleTables& people) {
            return people.put_link(
                {.digest = sha256(token), .person = person.id, .expires_at = clock.now() + 15min});
        });
    }

    std::vector<model::Person> persons() { return take(reader()->people().persons()); }
    std::vector<model::Session> sessions() { return take(reader()->people().sessions()); }

    /// Two rounds: a step that was undone goes on behind its rows, which the next round removes.
    std::size_t prune(const PruneLimits& limits) {
        std::size_t removed = 0;
        for (int rounds = 0; rounds < 2;) {
            PruneStep step;
            EXPECT_TRUE(change_once([&](Tables& tables) -> Result<void> {
                step = take(tables.prune(limits));
                return {};
            }));
            removed += step.removed;
            rounds += step.complete ? 1 : 0;
        }
        return removed;
    }
};

TEST_P(PeopleTest, KeepsAPersonWithMemberships) {
    const auto made = create();
    with_role(made, Role::viewer);
    clock.advance(1h);
    with_role(made, Role::operator_);
    const auto other = create_account();
    EXPECT_TRUE(run([&](PeopleTables& people) -> Result<void> {
        auto put = people.put_membership(
            made.id, {.account = other, .role = Role::owner, .since = clock.now()});
        return put ? Result<void>{} : pass(put);
    }));
    reopen();
    const auto stored = persons();
    ASSERT_EQ(stored.size(), 1);
    EXPECT_EQ(stored[0].id, made.id);
    EXPECT_EQ(stored[0].email, "ani@toko.example");
    EXPECT_FALSE(stored[0].is_admin);
    EXPECT_EQ(stored[0].password_hash, "$argon2id$x");
    EXPECT_FALSE(stored[0].has_second_factor);
    EXPECT_EQ(stored[0].created_at, made.created_at);
    EXPECT_EQ(stored[0].role_in(account), Role::operator_);
    EXPECT_EQ(stored[0].memberships[0].since, made.created_at);
    EXPECT_EQ(stored[0].role_in(other), Role::owner);
    EXPECT_EQ(stored[0].role_in({99}), std::nullopt);
}

TEST_P(PeopleTest, AnAddressIsOnePersons) {
    const auto first = create();
    EXPECT_EQ(run([&](PeopleTables& people) -> Result<void> {
                  auto made = people.create_person({.email = "ani@toko.example"});
                  return made ? Result<void>{} : pass(made);
              })
                  .error()
                  .code,
              ErrorCode::conflict);
    const auto second = create("budi@toko.example");
    EXPECT_EQ(run([&](PeopleTables& people) -> Result<void> {
                  auto set = people.update_person(second.id, {.email = "ani@toko.example"});
                  return set ? Result<void>{} : pass(set);
              })
                  .error()
                  .code,
              ErrorCode::conflict);
    const auto same = in_change<model::Person>([&](PeopleTables& people) {
        return people.update_person(first.id, {.email = "ani@toko.example", .is_admin = true});
    });
    EXPECT_TRUE(same.is_admin);
    EXPECT_EQ(same.password_hash, "$argon2id$x");
    EXPECT_EQ(in_change<std::size_t>([](PeopleTables& p) { return p.count_administrators(); }), 1);
    EXPECT_EQ(in_change<std::optional<model::Person>>([](PeopleTables& people) {
                  return people.find_person("budi@toko.example");
              })->id,
              second.id);
}

TEST_P(PeopleTest, MembersNeedAPersonAndAnAccount) {
    const auto made = create();
    const auto put = [&](model::PersonId person, model::AccountId owner) {
        return run([&](PeopleTables& people) -> Result<void> {
            auto done = people.put_membership(person, {.account = owner, .role = Role::owner});
            return done ? Result<void>{} : pass(done);
        });
    };
    EXPECT_EQ(put({77}, account).error().code, ErrorCode::not_found);
    EXPECT_EQ(put(made.id, {77}).error().code, ErrorCode::not_found);
    EXPECT_TRUE(put(made.id, account));
    EXPECT_EQ(in_change<std::size_t>([&](PeopleTables& p) { return p.count_owners(account); }), 1);
    const auto remove = [&] {
        return run([&](PeopleTables& people) -> Result<void> {
            auto done = people.remove_membership(made.id, account);
            return done ? Result<void>{} : pass(done);
        });
    };
    EXPECT_TRUE(remove());
    EXPECT_EQ(remove().error().code, ErrorCode::not_found);
    EXPECT_EQ(in_change<std::size_t>([&](PeopleTables& p) { return p.count_owners(account); }), 0);
}

TEST_P(PeopleTest, KeepsASessionUntilItEnds) {
    const auto person = create();
    const auto begun = begin_session(person, "token");
    clock.advance(2min);
    EXPECT_TRUE(
        run([&](PeopleTables& people) { return people.touch_session(begun.id, clock.now()); }));
    reopen();
    ASSERT_EQ(sessions().size(), 1);
    const auto stored = sessions()[0];
    EXPECT_EQ(stored.id, begun.id);
    EXPECT_EQ(stored.person, person.id);
    EXPECT_EQ(stored.digest, sha256("token"));
    EXPECT_EQ(stored.by, model::SignIn::link);
    EXPECT_EQ(stored.address, "203.0.113.7");
    EXPECT_EQ(stored.agent, "Browser/1");
    EXPECT_EQ(stored.created_at, begun.created_at);
    EXPECT_EQ(stored.seen_at, clock.now());

    EXPECT_TRUE(in_change<bool>([&](PeopleTables& p) { return p.end_session(begun.id); }));
    EXPECT_FALSE(in_change<bool>([&](PeopleTables& p) { return p.end_session(begun.id); }));
    EXPECT_TRUE(
        run([&](PeopleTables& people) { return people.touch_session(begun.id, clock.now()); }));
    EXPECT_TRUE(sessions().empty());
}

TEST_P(PeopleTest, ReportsWhatCopiesInMemoryNeed) {
    const auto person = create();
    const auto one = begin_session(person, "1");
    const auto two = begin_session(person, "2");
    const auto rows = rows_of([&](PeopleTables& people) -> Result<void> {
        auto ended = people.end_sessions(person.id, one.id);
        return ended ? Result<void>{} : pass(ended);
    });
    ASSERT_EQ(rows.size(), 1);
    EXPECT_EQ(std::get<SessionEnded>(rows[0]).session.digest, two.digest);

    const auto removal =
        rows_of([&](PeopleTables& people) { return people.remove_person(person.id); });
    ASSERT_EQ(removal.size(), 2);
    EXPECT_EQ(std::get<SessionEnded>(removal[0]).session.id, one.id);
    EXPECT_EQ(std::get<PersonRemoved>(removal[1]).person.id, person.id);
    EXPECT_TRUE(persons().empty());
    EXPECT_NE(create().id, person.id);  // The audit log may name the removed person.
}

TEST_P(PeopleTest, KeepsTheSessionsThatWereSeenLast) {
    const auto person = create();
    const auto first = begin_session(person, "first");
    for (std::size_t number = 1; number < PeopleTables::sessions_max; ++number) {
        clock.advance(1s);
        begin_session(person, std::to_string(number));
    }
    clock.advance(1s);
    EXPECT_TRUE(
        run([&](PeopleTables& people) { return people.touch_session(first.id, clock.now()); }));
    begin_session(person, "last");
    const auto kept = sessions();
    ASSERT_EQ(kept.size(), PeopleTables::sessions_max);
    EXPECT_EQ(kept.front().id, first.id);
    EXPECT_EQ(kept[1].digest, sha256("2"));
    EXPECT_EQ(kept.back().digest, sha256("last"));
}

TEST_P(PeopleTest, ALinkOpensOnceAndInTime) {
    const auto person = create();
    EXPECT_TRUE(put_link(person, "a"));
    EXPECT_EQ(take_link("b"), std::nullopt);
    EXPECT_EQ(take_link("a"), person.id);
    EXPECT_EQ(take_link("a"), std::nullopt);
    EXPECT_TRUE(put_link(person, "late"));
    clock.advance(15min);
    EXPECT_EQ(take_link("late"), std::nullopt);
    EXPECT_TRUE(put_link(person, "withdrawn"));
    EXPECT_TRUE(run([&](PeopleTables& people) { return people.remove_links(person.id); }));
    EXPECT_EQ(take_link("withdrawn"), std::nullopt);
}

TEST_P(PeopleTest, KeepsTheNewestLinks) {
    const auto person = create();
    for (std::size_t number = 0; number <= PeopleTables::links_max; ++number) {
        EXPECT_TRUE(put_link(person, std::to_string(number)));
        clock.advance(1s);
    }
    EXPECT_EQ(take_link("0"), std::nullopt);
    EXPECT_EQ(take_link("1"), person.id);
}

TEST_P(PeopleTest, ASecondFactorCountsOnceConfirmedAndEachCodeOnce) {
    const auto person = create();
    const Bytes secret(20, std::byte{7});
    EXPECT_TRUE(
        run([&](PeopleTables& people) { return people.begin_second_factor(person.id, secret); }));
    EXPECT_FALSE(persons()[0].has_second_factor);
    const auto confirmed = in_change<model::Person>([&](PeopleTables& people) {
        return people.confirm_second_factor(person.id, {sha256("one"), sha256("two")});
    });
    EXPECT_TRUE(confirmed.has_second_factor);
    reopen();
    EXPECT_TRUE(persons()[0].has_second_factor);
    const auto accept = [&](std::int64_t step) {
        return in_change<bool>([&](PeopleTables& p) { return p.accept_step(person.id, step); });
    };
    EXPECT_TRUE(accept(5));
    EXPECT_FALSE(accept(5));
    EXPECT_FALSE(accept(4));
    EXPECT_TRUE(accept(6));
    const auto use = [&](std::string_view code) {
        return in_change<bool>(
            [&](PeopleTables& p) { return p.take_recovery_code(person.id, sha256(code)); });
    };
    EXPECT_TRUE(use("one"));
    EXPECT_FALSE(use("one"));
    const auto factor = in_change<std::optional<SecondFactor>>(
        [&](PeopleTables& p) { return p.find_second_factor(person.id); });
    ASSERT_TRUE(factor);
    EXPECT_EQ(factor->secret, secret);
    EXPECT_TRUE(factor->confirmed);
    EXPECT_EQ(factor->last_step, 6);
    EXPECT_EQ(factor->recovery_codes, 1);
    EXPECT_FALSE(in_change<model::Person>([&](PeopleTables& p) {
                     return p.remove_second_factor(person.id);
                 }).has_second_factor);
    EXPECT_FALSE(use("two"));
}

TEST_P(PeopleTest, AnInvitationIsFoundByItsDigestUntilItExpiresOrIsReplaced) {
    const auto put = [&](std::string_view email, std::string_view digest) {
        return in_change<model::Invitation>([&](PeopleTables& people) {
            return people.put_invitation({.id = {},
                                          .account = account,
                                          .email = std::string{email},
                                          .role = Role::operator_,
                                          .digest = sha256(digest),
                                          .inviter = "per_1",
                                          .inviter_name = "ani@toko.example",
                                          .created_at = clock.now(),
                                          .expires_at = clock.now() + 2h});
        });
    };
    const auto found = [&](std::string_view digest) {
        return take(reader()->people().invitation(sha256(digest), clock.now()));
    };
    const auto first = put("budi@toko.example", "one");
    EXPECT_EQ(found("one")->id, first.id);
    EXPECT_EQ(found("one")->role, Role::operator_);
    EXPECT_EQ(found("one")->inviter_name, "ani@toko.example");
    const auto second = put("budi@toko.example", "two");
    EXPECT_NE(first.id, second.id);
    EXPECT_FALSE(found("one"));
    clock.advance(1h);
    put("ani@toko.example", "three");
    EXPECT_EQ(take(reader()->people().invitations(account, clock.now())).size(), 2U);
    clock.advance(1h);
    EXPECT_FALSE(found("two"));
    EXPECT_EQ(take(reader()->people().invitations(account, clock.now())).size(), 1U);
    clock.advance(1s);
    EXPECT_EQ(prune({.links_expired_before = clock.now()}), 1);
    EXPECT_TRUE(found("three"));
}

TEST_P(PeopleTest, RetentionEndsOldSessionsAndLinks) {
    const auto person = create();
    const auto old = begin_session(person, "old");
    EXPECT_TRUE(put_link(person, "link"));
    clock.advance(1h);
    EXPECT_TRUE(
        run([&](PeopleTables& people) { return people.touch_session(old.id, clock.now()); }));
    const auto unused = begin_session(person, "unused");
    EXPECT_EQ(prune({.sessions_seen_before = clock.now() - 1h,
                     .sessions_begun_before = clock.now() - 2h,
                     .links_expired_before = clock.now() - 1h}),
              0);
    EXPECT_EQ(prune({.links_expired_before = clock.now()}), 1);
    clock.advance(1h);
    EXPECT_TRUE(
        run([&](PeopleTables& people) { return people.touch_session(old.id, clock.now()); }));
    EXPECT_EQ(prune({.sessions_seen_before = clock.now() - 30min}), 1);
    ASSERT_EQ(sessions().size(), 1);
    EXPECT_EQ(sessions()[0].id, old.id);
    EXPECT_NE(unused.id, old.id);
    EXPECT_EQ(prune({.sessions_begun_before = clock.now() - 30min}), 1);
    EXPECT_TRUE(sessions().empty());
}

TEST_P(PeopleTest, AFailedChangeLeavesNobodyBehind) {
    const auto rows = rows_of([&](PeopleTables& people) -> Result<void> {
        (void)people.create_person({.email = "ani@toko.example"});
        return fail(ErrorCode::refused, "no");
    });
    EXPECT_TRUE(rows.empty());
    EXPECT_TRUE(persons().empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, PeopleTest, ::testing::ValuesIn(engines_and_cuts()), name_of);

}  // namespace
}  // namespace merpati::store
