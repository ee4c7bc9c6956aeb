// The cost of every statement, and of every call of a reader, on a store with very many rows in
// each table that grows. SQLite counts it in steps of its own, so the test has the same result on
// any machine.
#include <algorithm>
#include <array>

#include "store/people.hpp"
#include "store/sqlite/campaign_costs.hpp"
#include "store/sqlite/sqlite_engine_fixture.hpp"
#include "store/sqlite/statement_costs.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::MessageState;

/// A full scan may visit this many rows, for instance to find the newest one.
constexpr std::int64_t scanned_max = 100;
/// One statement may take this many steps. A walk over all rows of one account takes more.
constexpr std::int64_t steps_max = 20'000;

/// Statements that may cost more: how they begin or end, and why.
struct Exception {
    std::string_view sql;
    std::string_view reason;
};
constexpr std::array exceptions{
    Exception{"FROM account WHERE id > ? ORDER BY id", "the directory is loaded at the start"},
    Exception{"FROM api_key WHERE id > ? ORDER BY id", "the directory is loaded at the start"},
    Exception{"FROM device WHERE number > ? ORDER BY number",
              "the directory is loaded at the start"},
    Exception{"FROM session s WHERE s.id > ? ORDER BY s.id",
              "the directory is loaded at the start"},
    Exception{"SELECT p.id, p.email", "the directory is loaded at the start"},
    Exception{"SELECT device, down_since", "the scheduler loads all lanes at the start"},
    Exception{"SELECT count(*) FROM (SELECT N FROM queue", "at most the `most` of the caller"},
    Exception{"SELECT count(*) FROM person WHERE admin",
              "an administrator is removed, or loses the right"},
    Exception{"SELECT account, hour, device, source, state, code, messages FROM usage",
              "at most BookReader::usage_counts_max"},
    Exception{"SELECT bucket, id, tail", "at most LaneReader::step_rows_max of a bucket"},
    Exception{"SELECT min(CASE WHEN due_at", "at most LaneReader::step_rows_max of a bucket"},
    Exception{"SELECT q.waiting", "at most the `most` of the caller"},
    Exception{"SELECT count(*) FROM (SELECT N FROM callback", "at most the `most` of the caller"},
    Exception{"SELECT m.id, CASE", "at most MessageSearch::visits_max"},
    Exception{"SELECT c.id, CASE", "at most MessageSearch::visits_max"},
    Exception{"SELECT first, last, unfinished", "at most MessageSearch::visits_max"},
    Exception{"SELECT id, intent FROM queue", "at most 20,000 waiting messages"},
    Exception{"SELECT id, N FROM handed_over", "at most 20,000 waiting messages"},
    Exception{"ORDER BY account, origin_key, due_at, id LIMIT ?",
              "at most 20,000 waiting callbacks"},
    Exception{"SELECT b.id, b.tail, b.account, b.kind, b.message, b.message_tail, b.url, "
              "b.origin_key, b.body, b.created_at, b.state, b.attempts, b.due_at, b.last_status, "
              "b.last_error, b.updated_at, b.batch, b.batch_tail, b.batch_events FROM callback b "
              "WHERE b.id >= ?1",
              "at most CallbackSearch::visits_max"},
    Exception{"SELECT id, account, device, flags & N, recipient FROM message",
              "the messages of one summary"},
    Exception{"SELECT id, state, code, details FROM completion", "the messages of one summary"},
    Exception{"SELECT id FROM message WHERE id >= ? AND id < ? ORDER BY id LIMIT N OFFSET ?",
              "the messages of one summary"},
    Exception{"SELECT N FROM api_key WHERE account = ? LIMIT N OFFSET ?",
              "at most Tables::keys_kept_max"},
    Exception{"SELECT count(*) FROM device_secret", "at most Tables::device_secrets_max"},
    Exception{"DELETE FROM device_secret WHERE device = ?", "at most Tables::device_secrets_max"},
    Exception{"SELECT name, value FROM device_secret", "at most Tables::device_secrets_max"},
    Exception{"SELECT count(*) FROM membership", "the catalogue lets an account have 1,000 people"},
    Exception{"SELECT r.id, r.number, r.state, r.reason, r.code, r.variant, r.device, r.message, "
              "r.message_tail, r.progress, r.at, r.original, r.cells FROM "
              "campaign_recipient r WHERE r.id >= ? AND r.id <= ? ORDER BY r.id",
              "at most 10,000 rows of a page"},
    Exception{"SELECT state, progress, count(*) FROM campaign_recipient",
              "a recount reads all rows of its campaign"},
    Exception{"SELECT count(*) FROM (SELECT N FROM campaign WHERE",
              "at most CampaignTables::campaigns_max"},
    Exception{"DELETE FROM campaign_recipient WHERE id > ?1 AND id <",
              "at most the `limit` of the caller"},
    Exception{"SELECT id, state, code FROM campaign_recipient", "at most the caller's `limit`"},
    Exception{"SELECT id FROM (SELECT id FROM campaign_recipient", "at most the caller's `limit`"},
};

bool is_excepted(std::string_view sql) {
    return std::ranges::any_of(exceptions, [&](const Exception& one) {
        return sql.starts_with(one.sql) || sql.ends_with(one.sql);
    });
}

struct StatementCostTest : CampaignCosts {
    void write_batches();
    void write_devices();
    void write_accounts();
    void write_messages();
    void write_people();
    void prune();
    void read_lists();
    void read_lanes();
    /// What a node asks that shares the accounts with others.
    [[nodiscard]] ShardSet shards_of_account() const {
        const std::array own{shard_of(account)};
        return ShardSet{own};
    }
};

void StatementCostTest::write_batches() {
    WriteBatch batch;
    auto fresh = message();
    const auto accepted_id = fresh->id;
    batch.accepts.push_back(
        {.message = std::move(fresh),
         .idempotency =
             IdempotencyRecord{.account = account, .key = "new", .created_at = clock.now()},
         .retry_of = ended(1)});
    auto old = message();
    old->id = model::MessageId{ended(2'000).sequence() + 5, 1};  // Inside a summary.
    batch.accepts.push_back({.message = std::move(old)});
    Finish ending = finish_of(*stored(waiting_from, 1));
    ending.callback = callback_for(*ending.message);
    ending.sent = SentRecord{.last_at = clock.now(), .day_ends_at = clock.now()};
    ending.events.push_back({.at = clock.now()});
    batch.finishes.push_back(std::move(ending));
    batch.finishes.push_back(finish_of(*stored(waiting_from, 2), MessageState::held));
    for (std::int64_t row = 10; row < 20; ++row) {  // More than a group.
        batch.accepts.push_back({.message = message()});
        batch.finishes.push_back(finish_of(*stored(waiting_from, row)));
        batch.finishes.back().callback = callback_for(*batch.finishes.back().message);
    }
    const auto later = stored(waiting_from, 3);
    batch.reschedules.push_back({.message = later->id,
                                 .device = device,
                                 .queued_at = later->due_at,
                                 .queue_at = later->due_at + 1min});
    const auto given = stored(waiting_from, 4);
    batch.hand_overs.push_back({.message = given->id,
                                .device = device,
                                .queued_at = given->due_at,
                                .platform_id = "given",
                                .decide_by = clock.now()});
    const auto begun = stored(waiting_from, 5);
    batch.intents.push_back({.message = begun->id, .device = device, .queued_at = begun->due_at});
    batch.callback_updates.push_back(
        {.event = model::EventId{waiting_from + (6 << 27) + 1, 1},
         .progress = {.state = model::CallbackState::waiting, .attempts = 2}});
    write_as_it_is(batch);
    EXPECT_EQ(batch.accepts.front().result, Accept::Result::stored);
    EXPECT_TRUE(batch.finishes.front().finished);
    EXPECT_TRUE(batch.reschedules.front().rescheduled);
    EXPECT_TRUE(batch.hand_overs.front().handed_over);
    const auto reported = stored(waiting_from, 2);
    std::vector<model::Callback> together;
    WriteBatch results;
    for (int count = 0; count < 10; ++count) {  // Written with one statement.
        together.push_back(callback_for(*reported));
        results.callback_updates.push_back(
            {.event = together.back().id,
             .progress = {.state = model::CallbackState::delivered, .attempts = 1}});
    }
    run([&](Tables& tables) {
        for (const auto& callback : together) {
            take(tables.add_callback(callback));
        }
    });
    write_as_it_is(results);
    run([&](Tables& tables) {
        for (int count = 0; count < 300; ++count) {  // More than a trail keeps.
            take(tables.note_event(accepted_id, {.at = clock.now()}));
        }
    });
}

void StatementCostTest::write_accounts() {
    const auto counted = create_account(10);
    run([&](Tables& tables) {
        take(tables.find_account(account));
        take(tables.update_account(account, {.name = "Toko"}));
        take(tables.rotate_webhook_secret(account, Bytes(32), clock.now()));
        take(tables.set_credit(counted, 5, {.at = clock.now()}));
        take(tables.add_credit(counted, 5, {.at = clock.now()}));
        take(tables.count_live_keys(account, clock.now()));
        const auto key = take(tables.create_key(
            {.account = account, .digest = sha256("new"), .created_at = clock.now()}));
        take(tables.find_key(key));
        take(tables.expire_key(key, clock.now()));
        take(tables.revoke_key(key, clock.now()));
        take(tables.find_idempotency(account, "k1"));
        take(tables.put_idempotency({.account = account, .key = "k1", .created_at = clock.now()}));
        take(
            tables.claim_idempotency({.account = account, .key = "k1", .created_at = clock.now()}));
        take(tables.set_clock_offset(5ms));
    });
    // A charged message, so that the ledger grows.
    const auto first = account;
    account = counted;
    EXPECT_TRUE(finish(finish_of(accepted(), MessageState::failed)));
    EXPECT_TRUE(finish(finish_of(accepted())));
    account = first;
}

void StatementCostTest::write_devices() {
    const auto spare =
        model::PhoneNumber::from_stored(static_cast<std::int64_t>(device.value()) + 3);
    const auto fresh = model::PhoneNumber::from_stored(6289900000001);
    EXPECT_TRUE(add_device({.number = device, .account = account}));
    EXPECT_TRUE(add_device({.number = fresh, .account = create_account()}));
    run([&](Tables& tables) {
        const auto known = take(tables.find_device(spare));
        take(tables.update_device(spare, {.webhook_url = "https://example.com",
                                          .cloud = DevicePatch::Cloud{.phone_number_id = "7"}}));
        take(tables.set_device_state(DeviceIdentity::of(*known), model::DeviceState::connected, "",
                                     clock.now()));
        take(tables.has_queue(spare));
        take(tables.set_down_since(spare, clock.now()));
        take(tables.put_device_secret(spare, "new", Bytes(4)));
        take(tables.put_device_secret(spare, "new", std::nullopt));
        take(tables.device_secret(spare, "new"));
        take(tables.clear_device_secrets(spare));
        take(tables.replace_device_secrets(spare, {{.name = "a", .value = Bytes(4)}}));
        take(tables.keep_received_media({.id = ids.next(), .device = spare}));
        take(tables.remove_device(spare));
        take(tables.forget_lane(spare, account));
        take(tables.note_inbound(device, "p1", clock.now()));
        take(tables.note_status(device, "h2", {.at = clock.now()}, clock.now()));
        take(tables.find_platform_message(device, "h2"));
        take(tables.undecided(clock.now() + 1h, 10, ShardSet::all()));
        take(tables.undecided(clock.now() + 1h, 10, shards_of_account()));
        take(tables.next_decide_by());
    });
}

void StatementCostTest::write_messages() {
    const auto given = stored(handed_over_from, 9);
    const auto returned = stored(handed_over_from, 10);
    const auto lost = stored(waiting_from, 20);
    WriteBatch batch;
    batch.hand_overs.push_back({.message = lost->id,
                                .device = device,
                                .queued_at = lost->due_at,
                                .decide_by = clock.now()});
    write_as_it_is(batch);
    EXPECT_TRUE(batch.hand_overs.front().handed_over);
    auto held = *message();
    EXPECT_EQ(accept(held), Accept::Result::stored);
    auto released = held;
    EXPECT_TRUE(finish(finish_of(held, MessageState::held)));
    run([&](Tables& tables) {
        take(tables.end_handed_over(*given, finish_of(*given).completion, callback_for(*given)));
        take(tables.owner_of_message(given->id, device));
        take(tables.return_to_lane(
            {.message = returned->id, .device = device, .queue_at = clock.now()}));
        take(tables.release_message(held.id, clock.now(), clock.now()));
        const auto sender = take(tables.find_device(device));
        EXPECT_EQ(take(tables.name_message(*sender, "h2", held.id)), Named::in_lane);
        EXPECT_EQ(take(tables.name_message(*sender, "h2", lost->id)), Named::awaiting);
        take(tables.add_callback(callback_for(held)));
        take(tables.replay_callback(model::EventId{ended_from + (7 << 27) + 1, 1}, clock.now(),
                                    clock.now()));
    });
    auto failing = *message();
    EXPECT_EQ(accept(failing), Accept::Result::stored);
    EXPECT_TRUE(finish(finish_of(failing, MessageState::held)));
    run([&](Tables& tables) {
        take(tables.fail_message(failing.id, finish_of(failing, MessageState::failed).completion,
                                 callback_for(failing)));
    });
}

void StatementCostTest::write_people() {
    run([&](Tables& tables) {
        auto& people = tables.people();
        const auto ani = take(people.create_person({.email = "ani@toko.example",
                                                    .is_admin = true,
                                                    .password_hash = "",
                                                    .memberships = {},
                                                    .created_at = clock.now()}));
        take(people.find_person(ani.id));
        take(people.find_person("ani@toko.example"));
        take(people.update_person(ani.id, {.email = "ani2@toko.example"}));
        take(people.count_administrators());
        take(people.put_membership(
            ani.id, {.account = account, .role = model::Role::owner, .since = clock.now()}));
        take(people.count_owners(account));
        take(people.count_members(account));
        take(people.remove_membership(ani.id, account));
        const auto session = take(people.create_session({.person = ani.id,
                                                         .digest = sha256("token"),
                                                         .address = "203.0.113.7",
                                                         .agent = "",
                                                         .created_at = clock.now(),
                                                         .seen_at = clock.now()}));
        take(people.find_session(session.id));
        take(people.touch_session(session.id, clock.now()));
        take(people.end_session(session.id));
        take(people.end_sessions(ani.id, std::nullopt));
        take(people.put_link({sha256("link"), ani.id, clock.now() + 1h}));
        take(people.take_link(sha256("link"), clock.now()));
        take(people.remove_links(ani.id));
        take(people.begin_second_factor(ani.id, Bytes(20)));
        take(people.find_second_factor(ani.id));
        take(people.confirm_second_factor(ani.id, {sha256("code")}));
        take(people.accept_step(ani.id, 1));
        take(people.take_recovery_code(ani.id, sha256("code")));
        take(people.remove_second_factor(ani.id));
        const auto invitation = take(people.put_invitation({.account = account,
                                                            .email = "budi@toko.example",
                                                            .role = model::Role::viewer,
                                                            .digest = sha256("invitation"),
                                                            .inviter = "per_1",
                                                            .inviter_name = "",
                                                            .created_at = clock.now(),
                                                            .expires_at = clock.now() + 1h}));
        take(people.find_invitation(invitation.id, clock.now()));
        take(people.find_invitation(invitation.digest, clock.now()));
        take(people.remove_invitation(invitation.id));
        const auto entry = take(tables.add_audit({.at = clock.now(), .account = account}));
        take(tables.end_audit(entry, "done", "{}"));
        take(people.remove_person(ani.id));
    });
}

void StatementCostTest::prune() {
    is_repeated = false;       // As in change_once.
    run([&](Tables& tables) {  // No messages are old.
        const auto old = clock.now() - 10'000h;
        take(tables.prune({.messages_before = old, .idempotency_before = old}));
    });
    for (int step = 0; step < 5; ++step) {
        run([&](Tables& tables) {
            const auto done = take(tables.prune({.messages_before = clock.now() + 1h,
                                                 .idempotency_before = clock.now(),
                                                 .platform_events_before = clock.now() + 1h,
                                                 .received_media_before = clock.now(),
                                                 .sessions_seen_before = clock.now(),
                                                 .sessions_begun_before = clock.now(),
                                                 .links_expired_before = clock.now(),
                                                 .audit_before = clock.now(),
                                                 .keys_before = clock.now(),
                                                 .usage_before = clock.now(),
                                                 .ledger_before = clock.now() - 1h,
                                                 .begins_round = true}));
            EXPECT_GT(done.removed, 1'000U);
        });
    }
}

void StatementCostTest::read_lists() {
    constexpr int states = 7;
    const auto lists = reader();
    read(lists->message(ended(50)));
    read(lists->trail(ended(50)));
    read(lists->attempts(model::EventId{ended_from + (50 << 27) + 1, 1}));
    read(lists->callback(model::EventId{ended_from + (50 << 27) + 1, 1}));
    read(lists->idempotency(account, "k50"));
    read(lists->callbacks({.message = ended(50)}));
    for (const auto owner : {std::optional{account}, std::optional<model::AccountId>{}}) {
        for (int state = -1; state <= static_cast<int>(model::CallbackState::gone); ++state) {
            CallbackFilter filter{.account = owner};
            filter.state =
                state < 0 ? std::nullopt : std::optional{static_cast<model::CallbackState>(state)};
            read(lists->callbacks(filter), search_steps_max);
        }
        for (unsigned bits = 0; bits < 16; ++bits) {
            for (int state = -1; state < states; ++state) {
                MessageFilter filter{.account = owner};
                if (state >= 0) {
                    filter.state = static_cast<MessageState>(state);
                }
                if ((bits & 1U) != 0) {
                    filter.device = device;
                }
                if ((bits & 2U) != 0) {
                    filter.source = model::Source::campaign;
                }
                if ((bits & 4U) != 0) {
                    filter.code = model::StatusCode::failed;
                }
                if ((bits & 8U) != 0) {
                    filter.words = {"nothing"};
                }
                read(lists->messages(filter), search_steps_max);
            }
        }
        read(lists->messages({.account = owner, .recipient_end = "7899"}), search_steps_max);
        read(lists->usage({.account = owner, .since = clock.now() - 1h, .until = clock.now()}));
        for (unsigned bits = 0; bits < 4; ++bits) {
            AuditFilter filter{.account = owner};
            filter.actor = (bits & 1U) != 0 ? std::optional<std::string>{"key_2"} : std::nullopt;
            filter.object = (bits & 2U) != 0 ? std::optional<std::string>{"key_2"} : std::nullopt;
            read(lists->audit(filter));
        }
    }
    const std::string nobody = "6281234567899";
    read(lists->messages({.state = MessageState::sent, .recipient = nobody}), search_steps_max);
    read(lists->messages({.recipient = nobody, .code = model::StatusCode::failed}),
         search_steps_max);
    read(lists->messages({.recipient = nobody, .words = {"nothing"}}), search_steps_max);
    read(lists->ledger(account, 50'000, 50));
    read(lists->accounts_after(model::AccountId{50}, 50));
    read(lists->account(account));
    read(lists->received_media(Uuid{ended_from, 1}));
    read(lists->device_secrets(device, "t", 1'000'000));
    read_all(lists->accounts());
    read_all(lists->keys());
    read_all(lists->devices());
    read_all(lists->people().persons());
    read_all(lists->people().sessions());
    read(lists->people().invitations(account, clock.now()));
    read(lists->people().invitation(sha256("invitation"), clock.now()));
    SummaryPlace place;
    run([](Tables& tables) { take(tables.begin_summary()); });
    const auto step = read(reader()->summarise(Tables::summary_size, clock.now() + 1h, place),
                           100 * static_cast<std::int64_t>(Tables::summary_size));
    ASSERT_NE(step.summary, nullptr);
    run([&](Tables& tables) { EXPECT_TRUE(take(tables.put_summary(*step.summary))); });
    // No more; looks at old ones.
    read_all(reader()->summarise(10 * rows, clock.now() + 1h, place));
}

void StatementCostTest::read_lanes() {
    const auto lanes = reader();
    const auto known = [](const Uuid&) { return false; };
    read(lanes->message(stored(waiting_from, 60'000)->id));  // Not in the bucket of its due time.
    read(lanes->last_sequence());
    read(lanes->clock_offset());
    read(lanes->lanes());
    read_all(lanes->lane_records());
    read(lanes->lane_record(device));
    read(lanes->load_lane(device, model::Source::api, clock.now() + 1h, 100, known));
    for (const std::size_t limit : {1U, 5U}) {
        read(lanes->load_lane(device, model::Source::api, clock.now() + 1h, limit,
                              [](const Uuid&) { return false; }));
    }
    using Kind = DirectoryRow::Kind;
    for (const auto kind : {Kind::account, Kind::key, Kind::device, Kind::person, Kind::session}) {
        const std::array rows{DirectoryRow{.kind = kind, .id = 50}};
        read(lanes->rows_now(rows));
    }
    read(lanes->next_due(device, model::Source::api, clock.now()));
    read(lanes->walk_lane(device, model::Source::api, {}, clock.now() + 1h, 100));
    read(lanes->callback_accounts());
    read(lanes->callback_origins(account, std::nullopt, 100));
    read(lanes->load_callbacks({account, 1}, clock.now() + 1h, 100, known));
    read(lanes->next_callback_due({account, 1}, clock.now()));
    read(lanes->callbacks_waiting({account, 1}, 10'000), 10 * 10'000);
    read(lanes->queue_of(device, 10'000), 20 * 10'000);
    read(lanes->waiting_messages(10'000), 10 * 10'000);
}

TEST_P(StatementCostTest, NoStatementScansATableThatGrows) {
    fill();
    const sqlite::StatementCosts costs;
    const TemporaryDirectory another;
    EXPECT_TRUE(open_store(GetParam().options(another.path())));
    reopen();
    read_lanes();
    read_lists();
    read_campaigns();
    write_batches();
    write_accounts();
    write_devices();
    write_messages();
    write_people();
    write_campaigns();
    write_contacts();
    prune();
    for (const auto& [sql, cost] : sqlite::StatementCosts::all()) {
        if (!is_excepted(sql)) {
            EXPECT_LE(cost.scanned, scanned_max) << sql;
            EXPECT_LE(cost.steps, steps_max) << sql;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, StatementCostTest, ::testing::Values(sqlite::engine()), name_of);

}  // namespace
}  // namespace merpati::store
