// Random moves of messages and rows: counts, reserves and ledgers agree with the rows after each.
#include <random>

#include "store/conformance/campaign_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::CampaignState;
using model::MessageState;
using model::StatusCode;

constexpr std::uint32_t rows_count = 12;

/// A campaign, with the messages of its rows by what may happen to them.
struct CampaignMovesTest : CampaignTest {
    CampaignMovesTest() {
        account = create_account(30);
        device = device_of(account);
        EXPECT_TRUE(add_device({.number = device, .account = account}));
        id = running(1, rows_count).id;
    }

    std::size_t below(std::size_t count) {
        return std::uniform_int_distribution<std::size_t>{0, count - 1}(dice);
    }
    model::Message take_from(std::vector<model::Message>& some) {
        const auto at = some.begin() + static_cast<std::ptrdiff_t>(below(some.size()));
        auto taken = *at;
        some.erase(at);
        return taken;
    }

    void queue_some() {
        std::vector<PlannedRow> planned_rows;
        for (int count = 0; count < 3; ++count) {
            planned_rows.push_back(planned(id, static_cast<Row>(below(rows_count) + 1)));
        }
        for (auto& one : queue_rows(id, std::move(planned_rows)).rows) {
            if (one.result == PlannedRow::Result::queued) {
                waiting.push_back(*one.message);
            }
        }
    }
    void end_one() {
        constexpr std::array ends{MessageState::sent, MessageState::failed, MessageState::cancelled,
                                  MessageState::held};
        if (waiting.empty()) {
            return;
        }
        const auto made = take_from(waiting);
        const auto state = ends.at(below(ends.size()));
        end(made, state, below(2) == 0 ? StatusCode::failed : StatusCode::recipient_unregistered);
        (state == MessageState::held ? held : ended).push_back(made);
    }
    void withdraw_one() {
        if (!waiting.empty()) {
            withdraw(take_from(waiting));
        }
    }
    void decide_held() {
        if (held.empty()) {
            return;
        }
        const auto made = take_from(held);
        const bool is_released = below(2) == 0;
        EXPECT_TRUE(change([&](Tables& tables) {
            return is_released ? tables.release_message(made.id, made.due_at, clock.now())
                               : tables.fail_message(
                                     made.id, finish_of(made, MessageState::failed).completion, {});
        }));
        (is_released ? waiting : ended).push_back(made);
    }
    void send_again() {
        if (ended.empty()) {
            return;
        }
        const auto before = take_from(ended);
        auto made = message_of(id, before.campaign_row);
        auto copy = *made;
        WriteBatch batch;
        batch.accepts.push_back({.message = std::move(made), .retry_of = before.id});
        write_as_it_is(batch);
        if (batch.accepts.front().result == Accept::Result::stored) {
            copy.charged = batch.accepts.front().message->charged;
            waiting.push_back(copy);
        }
    }
    void retry() {
        EXPECT_TRUE(run([&](CampaignTables& campaigns) {
            return campaigns.retry_rows(
                id, below(2) == 0 ? RetryScope::failed : RetryScope::uncertain, {},
                static_cast<Row>(below(rows_count)), 1 + below(5), clock.now());
        }));
    }
    void cancel_some() {
        EXPECT_TRUE(run([&](CampaignTables& campaigns) {
            return campaigns.cancel_rows(id, 1 + below(2), clock.now());
        }));
    }
    void change_state() {
        switch (campaign(id).state) {
            case CampaignState::running:
                move(id, below(2) == 0 ? CampaignState::paused : CampaignState::finished);
                break;
            case CampaignState::paused:
                std::ignore = reserve(id);  // Refused if the account has too little.
                move(id, below(4) == 0 ? CampaignState::cancelled : CampaignState::running);
                break;
            case CampaignState::draft:
            case CampaignState::scheduled:
            case CampaignState::finished:
            case CampaignState::cancelled:
                move(id, CampaignState::paused);
                break;
        }
    }
    void change_credit() {
        const auto credit =
            below(4) == 0 ? std::nullopt : std::optional{static_cast<std::int64_t>(below(40))};
        EXPECT_TRUE(change([&](Tables& tables) {
            return tables.set_credit(account, credit, {.at = clock.now()});
        }));
    }
    void suppress() {
        EXPECT_TRUE(run([&](ContactTables& contacts) {
            return contacts.put_suppression(
                {.account = account,
                 .number = number(1 + static_cast<std::int64_t>(below(rows_count))),
                 .reason = model::SuppressionReason::manual,
                 .at = clock.now(),
                 .campaign = {}});
        }));
    }
    void lift_suppressions() {
        for (std::int64_t n = 1; n <= rows_count; ++n) {
            EXPECT_TRUE(run([&](ContactTables& contacts) {
                return contacts.remove_suppression(account, number(n));
            }));
        }
    }
    void move_something() {
        switch (below(16)) {
            case 0:
            case 1:
            case 2:
            case 3:
                return queue_some();
            case 4:
            case 5:
            case 6:
                return end_one();
            case 7:
                return withdraw_one();
            case 8:
                return decide_held();
            case 9:
                return send_again();
            case 10:
            case 11:
                return retry();
            case 12:
                return below(4) == 0 ? cancel_some() : lift_suppressions();
            case 13:
                return change_state();
            case 14:
                return below(3) == 0 ? change_credit() : suppress();
            default:
                reopen();
        }
    }

    std::mt19937 dice{4711};
    model::CampaignId id;
    std::vector<model::Message> waiting;
    std::vector<model::Message> held;
    std::vector<model::Message> ended;
};

TEST_P(CampaignMovesTest, CountsAndReservesAgreeWithTheRowsAfterEveryMove) {
    const int moves = GetParam().has_files ? 400 : 150;  // A database takes longer.
    for (int count = 0; count < moves; ++count) {
        clock.advance(1s);
        move_something();
        EXPECT_EQ(campaign(id).counts.total(), rows_count);  // Compares with a recount.
        const auto found = faults();
        ASSERT_TRUE(found.empty()) << "after move " << count << ": " << found.front();
        ASSERT_FALSE(HasFailure()) << "after move " << count;
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, CampaignMovesTest, ::testing::ValuesIn(engines_and_cuts()),
                         name_of);

}  // namespace
}  // namespace merpati::store
