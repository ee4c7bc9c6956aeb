// The lists that are in memory, and the status, cost the same whatever others have.
#include <string>

#include "api/manage/engine/manage_fixture.hpp"
#include "testing/cpu_time.hpp"

namespace merpati::api::manage::testing {
namespace {

using merpati::testing::cpu_time_of;

struct ListCostTest : ManageTest, ::testing::WithParamInterface<const char*> {
    void fill(std::int64_t from, std::int64_t until) {
        for (auto id = from; id < until; ++id) {
            const auto text = std::to_string(id);
            directory.apply(model::Account{.id = {id}});
            directory.apply(
                model::ApiKey{.id = {id}, .account = {id}, .digest = sha256("key " + text)});
            directory.apply(store::DeviceWritten{
                {.number = model::PhoneNumber::from_stored(628'000'000'000 + id),
                 .account = {id},
                 .connector = "simulator"}});
            directory.apply(model::Person{
                .id = {id}, .email = text + "@toko.example", .memberships = {{.account = {id}}}});
        }
    }
};

TEST_P(ListCostTest, TheSameWhateverOthersHave) {
    constexpr std::int64_t others = 20'000;
    EXPECT_EQ(make_account(), "acc_1");
    fill(1, 2);
    const auto often = [this] {
        for (int i = 0; i < 10; ++i) {
            ASSERT_EQ(get(GetParam()).status, 200);
        }
    };
    const auto alone = cpu_time_of(often);
    fill(2, others);
    EXPECT_LT(cpu_time_of(often), 2 * alone + std::chrono::milliseconds{5});
}

INSTANTIATE_TEST_SUITE_P(Lists, ListCostTest,
                         ::testing::Values("/keys?account=acc_1", "/devices?account=acc_1",
                                           "/account/people?account=acc_1",
                                           "/admin/people?account=acc_1", "/admin/status",
                                           "/keys?limit=2", "/devices?limit=2",
                                           "/admin/people?limit=2"));

}  // namespace
}  // namespace merpati::api::manage::testing
