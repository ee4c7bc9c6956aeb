// Single rows of the directory, read anew.
#include <algorithm>

#include <gmock/gmock.h>

#include "store/conformance/store_fixture.hpp"
#include "store/people.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;
using RowKind = DirectoryRow::Kind;

struct DirectoryRowsTest : StoreTest {
    model::KeyId create_key(int number) {
        model::KeyId id;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            id = take(tables.create_key({.account = account,
                                         .digest = sha256(std::to_string(number)),
                                         .created_at = clock.now()}));
            return {};
        }));
        return id;
    }
    model::Person create_member() {
        model::Person made;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            auto& people = tables.people();
            const auto person = take(
                people.create_person({.email = "ani@toko.example", .created_at = clock.now()}));
            made = take(people.put_membership(
                person.id, {.account = account, .role = model::Role::owner, .since = clock.now()}));
            return {};
        }));
        return made;
    }
    model::Session begin_session(const model::Person& person) {
        model::Session begun;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            begun = take(tables.people().create_session({.person = person.id,
                                                         .digest = sha256("token"),
                                                         .created_at = clock.now(),
                                                         .seen_at = clock.now()}));
            return {};
        }));
        return begun;
    }
    DirectoryReader::RowsNow now(const std::vector<DirectoryRow>& rows) {
        return take(reader()->rows_now(rows));
    }
};

TEST_P(DirectoryRowsTest, AreAsTheyWereWrittenLast) {
    const auto key = create_key(1);
    const auto person = create_member();
    const auto session = begin_session(person);
    ASSERT_TRUE(add_device({.number = device, .account = account}));
    ASSERT_TRUE(change([&](Tables& tables) -> Result<void> {
        AccountPatch patch;
        patch.name = "Toko Ani";
        take(tables.update_account(account, patch));
        take(tables.revoke_key(key, clock.now()));
        return {};
    }));
    const auto found = now({{.kind = RowKind::account, .id = account.value},
                            {.kind = RowKind::key, .id = key.value},
                            {.kind = RowKind::device, .id = device.value()},
                            {.kind = RowKind::person, .id = person.id.value},
                            {.kind = RowKind::session, .id = session.id.value}});
    EXPECT_THAT(found.gone, IsEmpty());
    ASSERT_EQ(found.there.size(), 5U);
    EXPECT_EQ(std::get<model::Account>(found.there[0]).name, "Toko Ani");
    EXPECT_EQ(std::get<model::ApiKey>(found.there[1]).revoked_at, clock.now());
    const auto& written = std::get<DeviceWritten>(found.there[2]);
    EXPECT_EQ(written.device.number, device);
    EXPECT_FALSE(written.is_new);
    EXPECT_FALSE(written.has_new_access);
    EXPECT_EQ(std::get<model::Person>(found.there[3]).role_in(account), model::Role::owner);
    EXPECT_EQ(std::get<model::Session>(found.there[4]).digest, sha256("token"));
}

TEST_P(DirectoryRowsTest, ThoseThatAreGoneAreNamed) {
    std::vector<DirectoryRow> wanted;
    std::vector<DirectoryRow> gone;
    std::vector<std::int64_t> keys;
    for (int number = 0; number < 40; ++number) {
        keys.push_back(create_key(number).value);
        wanted.push_back({.kind = RowKind::key, .id = keys.back()});
        gone.push_back({.kind = RowKind::key, .id = 1'000'000 + number});
        gone.push_back({.kind = RowKind::session, .id = 1'000'000 + number});
    }
    std::ranges::copy(gone, std::back_inserter(wanted));
    wanted.push_back(wanted.front());  // Twice.
    const auto found = now(wanted);
    std::vector<std::int64_t> there;
    for (const auto& change : found.there) {
        there.push_back(std::get<model::ApiKey>(change).id.value);
    }
    EXPECT_THAT(there, UnorderedElementsAreArray(keys));
    EXPECT_THAT(found.gone, UnorderedElementsAreArray(gone));
    EXPECT_THAT(now({}).there, IsEmpty());
}

TEST_P(DirectoryRowsTest, ARequestThatIsStoredIsAChangeOfItsSession) {
    const auto session = begin_session(create_member());
    clock.advance(1min);
    WriteBatch batch;
    batch.changes.push_back({.run = [&](Tables& tables) {
        return tables.people().touch_session(session.id, clock.now());
    }});
    write_as_it_is(batch);
    ASSERT_EQ(batch.row_changes.size(), 1U);
    EXPECT_EQ(std::get<model::Session>(batch.row_changes[0]).seen_at, clock.now());
}

INSTANTIATE_TEST_SUITE_P(Engine, DirectoryRowsTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
