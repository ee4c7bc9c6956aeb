// The log of changes: entries, how they end, and who reads them by what.
#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;

struct AuditLogTest : StoreTest {};

TEST_P(AuditLogTest, AnEntryIsToldHowItEnded) {
    model::AuditId id;
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        id = take(tables.add_audit({.at = clock.now(),
                                    .door = "network",
                                    .actor = "key_1",
                                    .operation = "POST /v1/devices/{}/connect",
                                    .object = "6281100000001",
                                    .outcome = {}}));
        return {};
    }));
    reopen();
    EXPECT_EQ(take(reader()->audit({})).at(0).outcome, "");
    EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
        auto ended = tables.end_audit(id, "done", R"({"state":"connected"})");
        return ended ? tables.end_audit(model::AuditId{99}, "done", "") : std::move(ended);
    }));
    reopen();
    const auto log = take(reader()->audit({}));
    ASSERT_EQ(log.size(), 1U);
    EXPECT_EQ(log[0].outcome, "done");
    EXPECT_EQ(log[0].after, R"({"state":"connected"})");
    EXPECT_EQ(log[0].object, "6281100000001");
}

TEST_P(AuditLogTest, TheLogIsReadByWhoseAndByWhatAndByWhom) {
    for (int number = 0; number < 3; ++number) {
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            const auto added =
                tables.add_audit({.at = clock.now(),
                                  .door = "network",
                                  .actor = number == 1 ? "key_1" : "per_1",
                                  .actor_name = "ani@toko.example",
                                  .account = number == 2 ? std::nullopt : std::optional{account},
                                  .operation = "PATCH /v1/devices/{}",
                                  .object = std::to_string(number),
                                  .before = number == 0 ? "" : R"({"gap_ms":0})",
                                  .after = R"({"gap_ms":2})",
                                  .request_id = "r"});
            return added ? Result<void>{} : pass(added);
        }));
        clock.advance(1h);
    }
    const auto find = [&](const AuditFilter& filter) {
        std::string found;
        for (const auto& entry : take(reader()->audit(filter))) {
            found += entry.object;
        }
        return found;
    };
    EXPECT_EQ(find({}), "210");
    EXPECT_EQ(find({.account = account}), "10");
    EXPECT_EQ(find({.actor = "per_1"}), "20");
    EXPECT_EQ(find({.object = "1"}), "1");
    EXPECT_EQ(find({.limit = 2}), "21");
    const auto all = take(reader()->audit({}));
    EXPECT_EQ(find({.before = all[1].id}), "0");
    EXPECT_EQ(all[1].before, R"({"gap_ms":0})");
    EXPECT_EQ(all[1].after, R"({"gap_ms":2})");
    EXPECT_EQ(all[1].account, account);
    EXPECT_EQ(all[0].account, std::nullopt);
    EXPECT_EQ(all[0].door, "network");
    EXPECT_EQ(all[0].actor_name, "ani@toko.example");
    EXPECT_EQ(all[0].operation, "PATCH /v1/devices/{}");
    EXPECT_EQ(all[0].request_id, "r");
    EXPECT_EQ(all[0].at, clock.now() - 1h);
}

INSTANTIATE_TEST_SUITE_P(Engines, AuditLogTest, ::testing::ValuesIn(engines_and_cuts()), name_of);

}  // namespace
}  // namespace merpati::store
