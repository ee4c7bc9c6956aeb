// Accepting: durable, charged once, never twice under one key.
#include "base/digest.hpp"
#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;

struct AcceptTest : StoreTest {
    Accept with_key(std::string key, std::string_view body) {
        auto made = message();
        IdempotencyRecord record{.account = account,
                                 .key = std::move(key),
                                 .fingerprint = sha256(body),
                                 .message = made->id,
                                 .status = 200,
                                 .answer = R"({"success":true})",
                                 .created_at = clock.now()};
        return {.message = std::move(made), .idempotency = std::move(record)};
    }

    Accept::Result accept_keyed(std::string key, std::string_view body) {
        WriteBatch batch;
        batch.accepts.push_back(with_key(std::move(key), body));
        write(batch);
        return batch.accepts.front().result;
    }

    std::uint64_t waiting() { return take(reader()->waiting_messages(100'000)); }
};

TEST_P(AcceptTest, StoresEveryFieldOfAMessage) {
    auto made = message_due(clock.now() + 90s);
    made->type = model::MessageType::media;
    made->media_url = "https://example.com/a.jpg";
    made->body = "keterangan, dengan \"kutipan\" \xf0\x9f\x93\xb7";
    made->typing = true;
    made->recipient_quoted = false;
    made->revision = model::Revision::b;
    made->source = model::Source::campaign;
    made->campaign = model::CampaignId{12};
    made->delivery = model::Delivery::at_most_once;
    ASSERT_EQ(accept(*made), Accept::Result::stored);

    const auto record = take(reader()->message(made->id));
    ASSERT_TRUE(record);
    const auto& stored = record->message;
    EXPECT_EQ(stored.id, made->id);
    EXPECT_EQ(stored.account, account);
    EXPECT_EQ(stored.device, device);
    EXPECT_EQ(stored.recipient, made->recipient);
    EXPECT_EQ(stored.type, model::MessageType::media);
    EXPECT_EQ(stored.body, made->body);
    EXPECT_EQ(stored.media_url, made->media_url);
    EXPECT_EQ(stored.callback_url, made->callback_url);
    EXPECT_TRUE(stored.typing);
    EXPECT_FALSE(stored.recipient_quoted);
    EXPECT_EQ(stored.revision, model::Revision::b);
    EXPECT_EQ(stored.source, model::Source::campaign);
    EXPECT_EQ(stored.campaign, model::CampaignId{12});
    EXPECT_EQ(stored.delivery, model::Delivery::at_most_once);
    EXPECT_FALSE(stored.charged);
    EXPECT_EQ(stored.accepted_at, clock.now());
    EXPECT_EQ(stored.due_at, clock.now() + 90s);
    EXPECT_EQ(record->state, model::MessageState::pending);
    EXPECT_EQ(record->queued_at, stored.due_at);
    EXPECT_EQ(record->attempts, 0);
    EXPECT_FALSE(record->completion);
}

TEST_P(AcceptTest, KeepsTheTemplateOfAMessageInTheListAndInItsLane) {
    const model::FilledTemplate filled{
        .name = "promo", .language = "pt_BR", .values = {"Budi \"Bud\"", "", "50%"}};
    auto made = message();
    made->body.clear();
    made->filled_template = std::make_shared<const model::FilledTemplate>(filled);
    ASSERT_EQ(accept(*made), Accept::Result::stored);
    const auto record = take(reader()->message(made->id));
    ASSERT_TRUE(record && record->message.filled_template);
    EXPECT_EQ(*record->message.filled_template, filled);
    const auto lane = take(reader()->load_lane(device, made->source, clock.now() + 1ms, 10,
                                               [](const Uuid&) { return false; }));
    ASSERT_EQ(lane.size(), 1U);
    EXPECT_EQ(*lane[0].message->filled_template, filled);

    auto with_more = filled;
    with_more.header = "Toko \"Maju\"";
    with_more.buttons = {"p/7", "HEMAT20"};
    auto other = message();
    other->filled_template = std::make_shared<const model::FilledTemplate>(with_more);
    ASSERT_EQ(accept(*other), Accept::Result::stored);
    EXPECT_EQ(*take(reader()->message(other->id))->message.filled_template, with_more);
}

TEST_P(AcceptTest, KeepsTheRecipientAsTheCallerWroteIt) {
    auto made = message();
    made->recipient = "999";
    made->body = std::string{"a\0b", 3};
    accept(*made);
    const auto record = take(reader()->message(made->id));
    ASSERT_TRUE(record);
    EXPECT_EQ(record->message.recipient, "999");
    EXPECT_EQ(record->message.body, made->body);
}

TEST_P(AcceptTest, AnIdWithTheRightSequenceAndAnotherTailIsUnknown) {
    const auto made = accepted();
    const Uuid guessed{made.id.sequence(), made.id.tail() ^ 1};
    EXPECT_TRUE(take(reader()->message(made.id)));
    EXPECT_FALSE(take(reader()->message(guessed)));
}

TEST_P(AcceptTest, TakesOneCreditForEachMessage) {
    account = create_account(2);
    EXPECT_TRUE(accepted().charged);
    EXPECT_EQ(credit_of(account), 1);
    accepted();
    EXPECT_EQ(credit_of(account), 0);
}

TEST_P(AcceptTest, RefusesOnlyTheMessagesThatNoCreditIsLeftFor) {
    account = create_account(2);
    WriteBatch batch;
    for (int count = 0; count < 4; ++count) {
        batch.accepts.push_back({.message = message()});
    }
    write(batch);
    EXPECT_EQ(batch.accepts[1].result, Accept::Result::stored);
    EXPECT_EQ(batch.accepts[2].result, Accept::Result::credit_exhausted);
    EXPECT_EQ(batch.accepts[3].result, Accept::Result::credit_exhausted);
    EXPECT_EQ(credit_of(account), 0);
    EXPECT_EQ(waiting(), 2);
    EXPECT_FALSE(take(reader()->message(batch.accepts[2].message->id)));
}

TEST_P(AcceptTest, ChargesEachAccountOfABatchItsOwn) {
    const auto poor = create_account(1);
    const auto rich = create_account(100);
    WriteBatch batch;
    for (int count = 0; count < 6; ++count) {
        account = count % 2 == 0 ? poor : rich;
        batch.accepts.push_back({.message = message()});
    }
    write(batch);
    EXPECT_EQ(credit_of(poor), 0);
    EXPECT_EQ(credit_of(rich), 97);
    EXPECT_EQ(waiting(), 4);
}

TEST_P(AcceptTest, ChargesNobodyWhoseCreditIsNotCounted) {
    EXPECT_FALSE(accepted().charged);
    EXPECT_EQ(credit_of(account), std::nullopt);
}

TEST_P(AcceptTest, SeesCreditThatTheSameBatchAdds) {
    account = create_account(0);
    WriteBatch batch;
    batch.changes.push_back(
        {.run = [&](Tables& tables) -> Result<void> { return tables.set_credit(account, 1, {}); }});
    batch.accepts.push_back({.message = message()});
    write(batch);
    EXPECT_EQ(batch.accepts.front().result, Accept::Result::stored);
    EXPECT_EQ(credit_of(account), 0);
}

TEST_P(AcceptTest, AnswersARepeatedKeyWithTheFirstRecord) {
    ASSERT_EQ(accept_keyed("order-1", "body"), Accept::Result::stored);
    WriteBatch batch;
    batch.accepts.push_back(with_key("order-1", "body"));
    const auto second = batch.accepts.front().message->id;
    write(batch);
    ASSERT_EQ(batch.accepts.front().result, Accept::Result::repeated);
    const auto& first = batch.accepts.front().idempotency;
    ASSERT_TRUE(first);
    EXPECT_NE(first->message, second);
    EXPECT_EQ(first->status, 200);
    EXPECT_EQ(first->answer, R"({"success":true})");
    EXPECT_EQ(waiting(), 1);
}

TEST_P(AcceptTest, RefusesAKeyThatStoodForAnotherBody) {
    ASSERT_EQ(accept_keyed("order-1", "body"), Accept::Result::stored);
    EXPECT_EQ(accept_keyed("order-1", "other body"), Accept::Result::key_reused);
    EXPECT_EQ(waiting(), 1);
}

TEST_P(AcceptTest, AKeyThatStoodForAnotherBodyDoesSoAlsoWhenTheBatchIsWrittenOnceMore) {
    ASSERT_EQ(accept_keyed("order-1", "body"), Accept::Result::stored);
    WriteBatch batch;
    batch.accepts.push_back(with_key("order-1", "other body"));
    for (int times = 0; times < 2; ++times) {
        write(batch);
        EXPECT_EQ(batch.accepts.front().result, Accept::Result::key_reused);
    }
    EXPECT_EQ(waiting(), 1);
}

TEST_P(AcceptTest, TreatsTheSameKeyTwiceInOneBatchAsOneAfterTheOther) {
    WriteBatch batch;
    batch.accepts.push_back(with_key("order-1", "body"));
    batch.accepts.push_back(with_key("order-1", "body"));
    batch.accepts.push_back(with_key("order-1", "other body"));
    const auto first = batch.accepts[0].message->id;
    write(batch);
    EXPECT_EQ(batch.accepts[0].result, Accept::Result::stored);
    EXPECT_EQ(batch.accepts[1].result, Accept::Result::repeated);
    EXPECT_EQ(batch.accepts[1].idempotency->message, first);
    EXPECT_EQ(batch.accepts[2].result, Accept::Result::key_reused);
    EXPECT_EQ(waiting(), 1);
}

TEST_P(AcceptTest, KeysOfOneAccountSayNothingAboutAnothers) {
    ASSERT_EQ(accept_keyed("order-1", "body"), Accept::Result::stored);
    account = create_account();
    EXPECT_EQ(accept_keyed("order-1", "other body"), Accept::Result::stored);
}

TEST_P(AcceptTest, ARefusedMessageTakesNeitherCreditNorItsKey) {
    account = create_account(0);
    ASSERT_EQ(accept_keyed("order-1", "body"), Accept::Result::credit_exhausted);
    EXPECT_FALSE(take(reader()->idempotency(account, "order-1")));
    ASSERT_TRUE(change([&](Tables& tables) { return tables.set_credit(account, 2, {}); }));
    EXPECT_EQ(accept_keyed("order-1", "body"), Accept::Result::stored);
    EXPECT_EQ(accept_keyed("order-1", "body"), Accept::Result::repeated);
    EXPECT_EQ(credit_of(account), 1);
}

TEST_P(AcceptTest, AKeyMayStandForSomethingNewAfterADay) {
    ASSERT_EQ(accept_keyed("order-1", "body"), Accept::Result::stored);
    clock.advance(24h - 1ms);
    ASSERT_EQ(accept_keyed("order-1", "other body"), Accept::Result::key_reused);
    clock.advance(1ms);
    EXPECT_EQ(accept_keyed("order-1", "other body"), Accept::Result::stored);
    EXPECT_EQ(waiting(), 2);
}

TEST_P(AcceptTest, AChangeAcceptsManyAndDecidesByTheirResults) {
    account = create_account(2);
    ASSERT_TRUE(add_device({.number = device_of(account), .account = account}, false));
    std::vector<Accept> accepts;
    accepts.push_back(with_key("order-1", "body"));
    accepts.push_back(with_key("order-1", "body"));
    accepts.push_back({.message = message()});
    accepts.push_back({.message = message()});
    ASSERT_TRUE(change([&](Tables& tables) -> Result<void> {
        for (auto& accept : accepts) {
            tables.accept(accept);
        }
        return tables.put_idempotency(
            {.account = account, .key = "all", .created_at = clock.now()});
    }));
    EXPECT_EQ(accepts[0].result, Accept::Result::stored);
    EXPECT_EQ(accepts[1].result, Accept::Result::repeated);
    EXPECT_EQ(accepts[2].result, Accept::Result::stored);
    EXPECT_EQ(accepts[3].result, Accept::Result::credit_exhausted);
    EXPECT_EQ(waiting(), 2);
    EXPECT_EQ(credit_of(account), 0);
    EXPECT_TRUE(take(reader()->idempotency(account, "all")));
}

TEST_P(AcceptTest, AChangeThatFailsHasAcceptedNothing) {
    account = create_account(2);
    ASSERT_TRUE(add_device({.number = device_of(account), .account = account}, false));
    auto one = with_key("order-1", "body");
    EXPECT_FALSE(change([&](Tables& tables) -> Result<void> {
        tables.accept(one);
        return fail(ErrorCode::conflict, "it changed its mind");
    }));
    EXPECT_EQ(one.result, Accept::Result::stored);
    EXPECT_EQ(waiting(), 0);
    EXPECT_EQ(credit_of(account), 2);
    EXPECT_FALSE(take(reader()->idempotency(account, "order-1")));
    EXPECT_EQ(accept_keyed("order-1", "other body"), Accept::Result::stored);
}

TEST_P(AcceptTest, ReadersSeeAMessageAsSoonAsItIsWritten) {
    const auto early_reader = reader();
    const auto made = accepted();
    EXPECT_TRUE(take(early_reader->message(made.id)));
}

INSTANTIATE_TEST_SUITE_P(Engines, AcceptTest, ::testing::ValuesIn(engines_and_cuts()), name_of);

}  // namespace
}  // namespace merpati::store
