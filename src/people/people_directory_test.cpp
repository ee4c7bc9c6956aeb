#include "people/people_directory.hpp"

#include <gtest/gtest.h>

#include "testing/manual_clock.hpp"

namespace merpati::people {
namespace {

using namespace std::chrono_literals;

struct PeopleDirectoryTest : ::testing::Test {
    PeopleDirectoryTest() { directory.apply(person); }

    model::Session session(std::int64_t id) {
        return {.id = {id},
                .person = person.id,
                .digest = sha256(std::to_string(id)),
                .address = "203.0.113.7",
                .agent = {},
                .created_at = clock.now(),
                .seen_at = clock.now()};
    }

    merpati::testing::ManualClock clock;
    PeopleDirectory directory;
    model::Person person{.id = {1},
                         .email = "ani@toko.example",
                         .is_admin = false,
                         .password_hash = {},
                         .memberships = {{.account = {1}, .role = model::Role::owner}}};
    SessionLimits limits{.idle = 12h, .longest = 720h};
};

TEST_F(PeopleDirectoryTest, FollowsWhatIsCommitted) {
    directory.apply(session(1));
    directory.apply(session(2));
    const auto found = directory.find_session(sha256("1"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->person->email, "ani@toko.example");
    EXPECT_EQ(directory.sessions_of(person.id).size(), 2);
    EXPECT_EQ(directory.sessions_of(person.id)[0]->session().id.value, 2);

    person.memberships.clear();
    person.email = "ani@warung.example";
    directory.apply(person);
    EXPECT_TRUE(directory.find_session(sha256("1"))->person->memberships.empty());
    EXPECT_EQ(directory.find("ani@toko.example"), nullptr);
    EXPECT_EQ(directory.find("ani@warung.example")->id, person.id);

    directory.apply(store::SessionEnded{session(1)});
    EXPECT_FALSE(directory.find_session(sha256("1")));
    directory.apply(store::PersonRemoved{person});
    EXPECT_FALSE(directory.find_session(sha256("2")));
    EXPECT_EQ(directory.find("ani@warung.example"), nullptr);
    EXPECT_TRUE(directory.all().empty());
}

TEST_F(PeopleDirectoryTest, ListsTheMembersOfAnAccountAsTheyAreNow) {
    const auto members = [this](std::int64_t account) {
        std::vector<std::int64_t> ids;
        for (const auto& member : directory.members_of({account})) {
            ids.push_back(member->id.value);
        }
        return ids;
    };
    directory.apply(model::Person{.id = {2},
                                  .email = "budi@toko.example",
                                  .memberships = {{.account = {1}}, {.account = {2}}}});
    EXPECT_EQ(members(1), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(members(2), (std::vector<std::int64_t>{2}));
    EXPECT_EQ(members(3), (std::vector<std::int64_t>{}));

    person.memberships = {{.account = {2}, .role = model::Role::viewer}};
    directory.apply(person);
    EXPECT_EQ(members(1), (std::vector<std::int64_t>{2}));
    EXPECT_EQ(members(2), (std::vector<std::int64_t>{1, 2}));
    EXPECT_EQ(directory.members_of({2}).front()->role_in({2}), model::Role::viewer);
    directory.apply(store::PersonRemoved{person});
    EXPECT_EQ(members(2), (std::vector<std::int64_t>{2}));
}

TEST_F(PeopleDirectoryTest, KnowsWhereSessionsBeganThatHaveNotEnded) {
    EXPECT_FALSE(directory.has_sessions_from("203.0.113.7"));
    directory.apply(session(1));
    directory.apply(session(1));  // Seen again.
    directory.apply(session(2));
    directory.apply(store::SessionEnded{session(1)});
    EXPECT_TRUE(directory.has_sessions_from("203.0.113.7"));
    EXPECT_FALSE(directory.has_sessions_from("203.0.113.8"));
    directory.apply(store::SessionEnded{session(2)});
    directory.apply(store::SessionEnded{session(2)});
    EXPECT_FALSE(directory.has_sessions_from("203.0.113.7"));
}

TEST_F(PeopleDirectoryTest, SaysWhoseSessionsBeganAtAnAddress) {
    directory.apply(session(1));
    EXPECT_TRUE(directory.has_session_from(session(1).person, "203.0.113.7"));
    EXPECT_FALSE(directory.has_session_from(session(1).person, "203.0.113.8"));
    EXPECT_FALSE(directory.has_session_from({99}, "203.0.113.7"));
    directory.apply(store::SessionEnded{session(1)});
    EXPECT_FALSE(directory.has_session_from(session(1).person, "203.0.113.7"));
}

TEST_F(PeopleDirectoryTest, ASessionEndsWhenItIsIdleAndAtItsLongest) {
    directory.apply(session(1));
    const auto entry = directory.find_session(sha256("1"))->session;
    const auto begun = clock.now();
    EXPECT_TRUE(entry->is_live(limits, begun + 12h - 1ms));
    EXPECT_FALSE(entry->is_live(limits, begun + 12h));
    EXPECT_EQ(entry->ends_at(limits), begun + 12h);
    for (auto at = begun; at < begun + 719h; at += 11h) {
        (void)entry->note_seen(limits, at);
    }
    EXPECT_TRUE(entry->is_live(limits, begun + 720h - 1ms));
    EXPECT_FALSE(entry->is_live(limits, begun + 720h));
    EXPECT_EQ(entry->ends_at(limits), begun + 720h);
}

TEST_F(PeopleDirectoryTest, TheStoreHearsOfRequestsOnceAMinute) {
    directory.apply(session(1));
    const auto entry = directory.find_session(sha256("1"))->session;
    const auto begun = clock.now();
    EXPECT_FALSE(entry->note_seen(limits, begun + 59s));
    EXPECT_TRUE(entry->note_seen(limits, begun + 60s));
    EXPECT_FALSE(entry->note_seen(limits, begun + 61s));
    EXPECT_EQ(entry->seen_at(), begun + 61s);
    limits.idle = 20s;
    EXPECT_TRUE(entry->note_seen(limits, begun + 65s));
}

TEST_F(PeopleDirectoryTest, ARequestThatAnotherProcessStoredKeepsTheSessionAlive) {
    auto stored = session(1);
    directory.apply(stored);
    const auto entry = directory.find_session(sha256("1"))->session;
    stored.seen_at = clock.now() + 6h;
    directory.apply(stored);
    EXPECT_EQ(directory.find_session(sha256("1"))->session, entry);
    EXPECT_EQ(entry->seen_at(), stored.seen_at);
    EXPECT_FALSE(entry->note_seen(limits, stored.seen_at + 59s));
    directory.apply(session(1));  // An older one comes later.
    EXPECT_EQ(entry->seen_at(), stored.seen_at + 59s);
}

TEST_F(PeopleDirectoryTest, AnAddressThatAnotherPersonTookFirstIsThatPersons) {
    const auto before = person.email;
    directory.apply(model::Person{.id = {2}, .email = before});
    person.email = "ani@warung.example";
    directory.apply(person);
    EXPECT_EQ(directory.find(before)->id, model::PersonId{2});
    EXPECT_EQ(directory.find(person.email)->id, person.id);
}

}  // namespace
}  // namespace merpati::people
