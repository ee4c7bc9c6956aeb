// The list of one owner costs what the owner has, whatever others have.
#include <chrono>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "admission/directory.hpp"
#include "testing/cpu_time.hpp"

namespace merpati::admission {
namespace {

using merpati::testing::cpu_time_of;

constexpr model::AccountId mine{1};
constexpr std::int64_t others = 5'000;

/// A directory in which account 1 and person 1 have what each of the others has: a key, a device, a
/// membership and a session.
struct DirectoryListCostTest : ::testing::Test {
    DirectoryListCostTest() { fill(1, 2); }

    void fill(std::int64_t from, std::int64_t until) {
        for (auto id = from; id < until; ++id) {
            const auto text = std::to_string(id);
            directory.apply(model::Account{.id = {id}});
            directory.apply(
                model::ApiKey{.id = {id}, .account = {id}, .digest = sha256("key " + text)});
            directory.apply(store::DeviceWritten{
                {.number = model::PhoneNumber::from_stored(628'000'000'000 + id),
                 .account = {id}}});
            directory.apply(model::Person{
                .id = {id}, .email = text + "@toko.example", .memberships = {{.account = {id}}}});
            directory.apply(
                model::Session{.id = {id}, .person = {id}, .digest = sha256("session " + text)});
        }
    }

    /// Runs `list` often, before and after others come.
    template <class List>
    void expect_others_cost_nothing(List list) {
        const auto often = [&] {
            for (int i = 0; i < 200; ++i) {
                list();
            }
        };
        const auto alone = cpu_time_of(often);
        fill(2, others);
        EXPECT_LT(cpu_time_of(often), 10 * alone + std::chrono::milliseconds{1});
    }

    Directory directory;
};

TEST_F(DirectoryListCostTest, OfKeysOfAnAccount) {
    expect_others_cost_nothing([this] { ASSERT_EQ(directory.keys(mine).size(), 1U); });
}

TEST_F(DirectoryListCostTest, OfDevicesOfAnAccount) {
    expect_others_cost_nothing([this] { ASSERT_EQ(directory.devices(mine).size(), 1U); });
}

TEST_F(DirectoryListCostTest, OfMembersOfAnAccount) {
    expect_others_cost_nothing(
        [this] { ASSERT_EQ(directory.people().members_of(mine).size(), 1U); });
}

TEST_F(DirectoryListCostTest, OfSessionsOfAPerson) {
    expect_others_cost_nothing(
        [this] { ASSERT_EQ(directory.people().sessions_of({1}).size(), 1U); });
}

TEST_F(DirectoryListCostTest, OfAllThatAreOnlyCounted) {
    expect_others_cost_nothing([this] {
        ASSERT_GE(directory.count_accounts(), 1U);
        ASSERT_GE(directory.count_devices(), 1U);
        ASSERT_GE(directory.devices_by_state().front(), 1U);
    });
}

}  // namespace
}  // namespace merpati::admission
