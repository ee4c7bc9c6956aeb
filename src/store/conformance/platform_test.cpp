// Reports of platforms, found by the platform's id and counted once; values that connectors store.
#include <array>

#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using model::Progress;

struct PlatformTest : StoreTest {
    HandOver hand_over_of(const model::Message& message, std::string platform_id = "wamid.1") {
        return {.message = message.id,
                .device = message.device,
                .source = message.source,
                .queued_at = message.due_at,
                .platform_id = std::move(platform_id),
                .decide_by = clock.now() + 60s,
                .attempts = 2};
    }
    HandOver hand_over(const model::Message& message, std::string platform_id = "wamid.1") {
        WriteBatch batch;
        batch.hand_overs.push_back(hand_over_of(message, std::move(platform_id)));
        write(batch);
        return batch.hand_overs.front();
    }
    template <class Answer>
    Answer ask(const std::function<Result<Answer>(Tables&)>& question) {
        Answer answer{};
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            auto found = question(tables);
            if (!found) {
                return pass(found);
            }
            answer = std::move(*found);
            return {};
        }));
        return answer;
    }
    bool note(Progress progress, std::string_view platform_id = "wamid.1") {
        noted = ask<NotedStatus>([&](Tables& tables) {
            return tables.note_status(
                device, platform_id,
                {.progress = progress, .details = "kata platform", .at = clock.now()}, clock.now());
        });
        return noted.is_news;
    }
    bool note_inbound(std::string_view platform_id) {
        return ask<bool>(
            [&](Tables& tables) { return tables.note_inbound(device, platform_id, clock.now()); });
    }
    std::optional<PlatformMessage> find(std::string_view platform_id = "wamid.1") {
        return ask<std::optional<PlatformMessage>>(
            [&](Tables& tables) { return tables.find_platform_message(device, platform_id); });
    }
    std::vector<PlatformMessage> undecided(Timestamp until,
                                           const ShardSet& shards = ShardSet::all()) {
        return ask<std::vector<PlatformMessage>>(
            [&](Tables& tables) { return tables.undecided(until, 10, shards); });
    }
    std::optional<Timestamp> next_decide_by() {
        return ask<std::optional<Timestamp>>(
            [&](Tables& tables) { return tables.next_decide_by(); });
    }
    bool end(const model::Message& message, MessageState state = MessageState::failed) {
        const model::Completion completion{.state = state,
                                           .details = "selesai",
                                           .platform_id = "wamid.1",
                                           .finished_at = clock.now(),
                                           .attempts = 2};
        return ask<bool>([&](Tables& tables) {
            return tables.end_handed_over(message, completion, callback_for(message));
        });
    }
    MessageRecord record_of(const model::Message& message) {
        auto record = take(reader()->message(message.id));
        EXPECT_TRUE(record);
        return record ? std::move(*record) : MessageRecord{};
    }
    std::optional<Bytes> secret(std::string_view name) {
        return ask<std::optional<Bytes>>(
            [&](Tables& tables) { return tables.device_secret(device, name); });
    }
    Result<void> keep(std::string_view name, std::optional<Bytes> value) {
        return change(
            [&](Tables& tables) { return tables.put_device_secret(device, name, value); });
    }

    NotedStatus noted;  // The last.
};

TEST_P(PlatformTest, AHandedOverMessageLeavesItsLaneAndIsFoundByItsPlatformIdAfterARestart) {
    const auto made = accepted();
    EXPECT_TRUE(hand_over(made).handed_over);
    reopen();
    EXPECT_TRUE(lane_before(clock.now() + 1h).empty());
    const auto found = find();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->message.id, made.id);
    EXPECT_EQ(found->message.callback_url, made.callback_url);
    EXPECT_EQ(found->platform_id, "wamid.1");
    EXPECT_EQ(found->attempts, 2);
    EXPECT_EQ(found->decide_by, clock.now() + 60s);
    EXPECT_FALSE(found->status);
    EXPECT_FALSE(find("wamid.2"));
    const auto record = record_of(made);
    EXPECT_EQ(record.state, MessageState::handed_over);
    EXPECT_EQ(record.platform_id, "wamid.1");
    EXPECT_EQ(record.attempts, 2);
    EXPECT_FALSE(record.completion);
    const auto listed = take(reader()->messages({.state = MessageState::handed_over})).records;
    ASSERT_EQ(listed.size(), 1);
    EXPECT_EQ(listed[0].message.id, made.id);
    EXPECT_TRUE(take(reader()->messages({.state = MessageState::pending})).records.empty());
}

TEST_P(PlatformTest, AHandedOverMessageRemembersAnAttemptWhoseOutcomeIsNotKnown) {
    const auto sure = accepted();
    const auto doubtful = accepted();
    WriteBatch batch;
    batch.hand_overs.push_back(hand_over_of(sure, "wamid.1"));
    batch.hand_overs.push_back(hand_over_of(doubtful, "wamid.2"));
    batch.hand_overs.back().perhaps_sent = true;
    write(batch);
    EXPECT_FALSE(find("wamid.1")->perhaps_sent);
    EXPECT_TRUE(find("wamid.2")->perhaps_sent);
}

TEST_P(PlatformTest, WhatHasEndedIsNotHandedOver) {
    const auto made = accepted();
    ASSERT_TRUE(finish(finish_of(made)));
    EXPECT_FALSE(hand_over(made).handed_over);
    EXPECT_FALSE(find());
}

TEST_P(PlatformTest, AHandedOverMessageEndsOnceAndGivesItsCreditBackWhereItFailed) {
    account = create_account(3);
    device = device_of(account);
    const auto made = accepted();
    ASSERT_TRUE(hand_over(made).handed_over);
    EXPECT_EQ(credit_of(account), 2);
    EXPECT_TRUE(end(made));
    EXPECT_EQ(credit_of(account), 3);
    EXPECT_FALSE(end(made));
    EXPECT_EQ(credit_of(account), 3);
    const auto record = record_of(made);
    EXPECT_EQ(record.state, MessageState::failed);
    ASSERT_TRUE(record.completion);
    EXPECT_EQ(record.completion->details, "selesai");
    ASSERT_EQ(take(reader()->callbacks({.message = made.id})).records.size(), 1);
    const auto found = find();
    ASSERT_TRUE(found);  // Later reports still find the message.
    EXPECT_FALSE(found->decide_by);
    EXPECT_TRUE(undecided(clock.now() + 1h).empty());
}

TEST_P(PlatformTest, TheMostUrgentAreDecidedFirst) {
    const auto one = accepted();
    const auto two = accepted();
    auto later = hand_over_of(one, "wamid.1");
    later.decide_by = clock.now() + 9s;
    WriteBatch batch;
    batch.hand_overs.push_back(later);
    batch.hand_overs.push_back(hand_over_of(two, "wamid.2"));
    batch.hand_overs.back().decide_by = clock.now() + 3s;
    write(batch);
    EXPECT_TRUE(undecided(clock.now() + 2s).empty());
    const auto due = undecided(clock.now() + 10s);
    ASSERT_EQ(due.size(), 2);
    EXPECT_EQ(due[0].message.id, two.id);
    EXPECT_EQ(next_decide_by(), clock.now() + 3s);
}

TEST_P(PlatformTest, EachNodeDecidesTheMessagesOfItsOwnAccounts) {
    const auto made = accepted();
    WriteBatch batch;
    batch.hand_overs.push_back(hand_over_of(made, "wamid.1"));
    batch.hand_overs.back().decide_by = clock.now() + 3s;
    write(batch);
    const std::array own{shard_of(account)};
    const ShardSet mine{own};
    const auto others = ShardSet::all().without(mine);
    EXPECT_TRUE(undecided(clock.now() + 10s, others).empty());
    EXPECT_EQ(undecided(clock.now() + 10s, mine).size(), 1);
    EXPECT_EQ(next_decide_by(), clock.now() + 3s);
}

TEST_P(PlatformTest, AStatusCountsOnceAndNeverGoesBack) {
    accepted();
    EXPECT_TRUE(note(Progress::delivered));
    EXPECT_FALSE(note(Progress::delivered));
    EXPECT_FALSE(note(Progress::sent));
    EXPECT_FALSE(note(Progress::failed));
    reopen();
    EXPECT_FALSE(note(Progress::delivered));
    EXPECT_TRUE(note(Progress::read));
    EXPECT_TRUE(note(Progress::sent, "wamid.2"));
}

TEST_P(PlatformTest, AStatusThatIsNewsFindsItsMessage) {
    EXPECT_TRUE(note(Progress::sent, "wamid.2"));
    EXPECT_FALSE(noted.message);
    const auto made = accepted();
    ASSERT_TRUE(hand_over(made).handed_over);
    EXPECT_TRUE(note(Progress::sent));
    ASSERT_TRUE(noted.message);
    EXPECT_EQ(noted.message->message.id, made.id);
    EXPECT_TRUE(noted.message->decide_by);
    EXPECT_FALSE(note(Progress::sent));
    EXPECT_FALSE(noted.message);
}

TEST_P(PlatformTest, AMessagesOwnerIsFoundByItAndItsDevice) {
    const auto made = accepted();
    const auto owner = [&](model::MessageId id, std::optional<model::PhoneNumber> of) {
        return ask<std::optional<model::AccountId>>(
            [&](Tables& tables) { return tables.owner_of_message(id, of); });
    };
    EXPECT_EQ(owner(made.id, device), account);
    EXPECT_EQ(owner(made.id, std::nullopt), account);
    EXPECT_FALSE(owner(made.id, model::PhoneNumber::from_stored(628999)));
    EXPECT_FALSE(owner(ids.next(), std::nullopt));
}

TEST_P(PlatformTest, AStatusThatCameFirstDecidesTheHandOverAtOnce) {
    const auto made = accepted();
    EXPECT_TRUE(note(Progress::delivered));
    const auto handed = hand_over(made);
    EXPECT_TRUE(handed.handed_over);
    EXPECT_EQ(handed.decide_by, Timestamp{});
    const auto due = undecided(Timestamp{});
    ASSERT_EQ(due.size(), 1);
    ASSERT_TRUE(due[0].status);
    EXPECT_EQ(due[0].status->progress, Progress::delivered);
    EXPECT_EQ(due[0].status->details, "kata platform");
    EXPECT_EQ(due[0].status->at, clock.now());
}

TEST_P(PlatformTest, AnInboundMessageCountsOnceAndIsNoStatus) {
    accepted();
    EXPECT_TRUE(note_inbound("wamid.1"));
    EXPECT_FALSE(note_inbound("wamid.1"));
    reopen();
    EXPECT_FALSE(note_inbound("wamid.1"));
    EXPECT_TRUE(note_inbound("wamid.2"));
    EXPECT_TRUE(note(Progress::sent, "wamid.1"));
}

TEST_P(PlatformTest, OldReportsArePruned) {
    accepted();
    EXPECT_TRUE(note_inbound("wamid.1"));
    clock.advance(1h);
    EXPECT_TRUE(note_inbound("wamid.2"));
    is_repeated = false;  // As in change_once.
    const auto step = ask<PruneStep>(
        [&](Tables& tables) { return tables.prune({.platform_events_before = clock.now()}); });
    EXPECT_EQ(step.removed, 1U);
    EXPECT_TRUE(note_inbound("wamid.1"));
    EXPECT_FALSE(note_inbound("wamid.2"));
}

TEST_P(PlatformTest, ADevicesSecretsAreKeptReplacedAndRemoved) {
    accepted();
    EXPECT_FALSE(secret("session"));
    EXPECT_TRUE(keep("session", Bytes(300, std::byte{7})));
    EXPECT_TRUE(keep("key", Bytes{}));
    reopen();
    EXPECT_EQ(secret("session"), Bytes(300, std::byte{7}));
    EXPECT_EQ(secret("key"), Bytes{});
    EXPECT_TRUE(keep("session", Bytes(3, std::byte{9})));
    EXPECT_EQ(secret("session"), Bytes(3, std::byte{9}));
    EXPECT_TRUE(keep("session", std::nullopt));
    EXPECT_FALSE(secret("session"));
    EXPECT_TRUE(change([&](Tables& tables) { return tables.clear_device_secrets(device); }));
    EXPECT_FALSE(secret("key"));
}

TEST_P(PlatformTest, SecretsHaveLimitsAndBelongToADevice) {
    EXPECT_EQ(keep("session", Bytes(1)).error().code, ErrorCode::not_found);
    const auto made = accepted();
    EXPECT_EQ(keep("", Bytes(1)).error().code, ErrorCode::refused);
    EXPECT_EQ(keep(std::string(257, 'n'), Bytes(1)).error().code, ErrorCode::refused);
    EXPECT_EQ(keep("big", Bytes(Tables::secret_bytes_max + 1)).error().code, ErrorCode::refused);
    EXPECT_TRUE(keep("session", Bytes(1)));
    ASSERT_TRUE(finish(finish_of(made)));
    EXPECT_TRUE(change([&](Tables& tables) { return tables.remove_device(device); }));
    accepted();  // Adds the number again.
    EXPECT_FALSE(secret("session"));
}

TEST_P(PlatformTest, AChangeThatIsUndoneDoesNotLiftTheLimitOfSecrets) {
    accepted();
    std::vector<DeviceSecret> all;
    for (std::size_t count = 0; count < Tables::device_secrets_max; ++count) {
        all.push_back({.name = std::to_string(count), .value = {}});
    }
    EXPECT_TRUE(change([&](Tables& tables) { return tables.replace_device_secrets(device, all); }));
    EXPECT_FALSE(change([&](Tables& tables) -> Result<void> {
        EXPECT_TRUE(tables.clear_device_secrets(device));
        EXPECT_TRUE(tables.put_device_secret(device, "new", Bytes(1)));
        return fail(ErrorCode::refused, "undo it");
    }));
    EXPECT_EQ(keep("new", Bytes(1)).error().code, ErrorCode::refused);
    EXPECT_TRUE(keep("0", std::nullopt));
    {
        auto full = GetParam().fill_disk();
        WriteBatch batch;
        batch.changes.push_back({.run = [&](Tables& tables) -> Result<void> {
            EXPECT_TRUE(tables.clear_device_secrets(device));
            return tables.put_device_secret(device, "new", Bytes(1));
        }});
        EXPECT_FALSE(store->write(batch));
    }
    EXPECT_TRUE(keep("new", Bytes(1)));
    EXPECT_EQ(keep("newer", Bytes(1)).error().code, ErrorCode::refused);
}

TEST_P(PlatformTest, AllSecretsAreReplacedAtOnceAndReadInPages) {
    const auto replace = [&](const std::vector<DeviceSecret>& secrets) {
        return change(
            [&](Tables& tables) { return tables.replace_device_secrets(device, secrets); });
    };
    EXPECT_EQ(replace({}).error().code, ErrorCode::not_found);
    accepted();
    EXPECT_TRUE(keep("old", Bytes(1)));
    EXPECT_TRUE(replace({{"c", Bytes(2'000)}, {"a", Bytes{}}, {"b", Bytes(3, std::byte{9})}}));
    reopen();
    EXPECT_FALSE(secret("old"));
    const auto pages = reader();
    const auto first = take(pages->device_secrets(device, "", 100));
    ASSERT_EQ(first.size(), 2);
    EXPECT_EQ(first[0].name, "a");
    EXPECT_EQ(first[1].name, "b");
    EXPECT_EQ(first[1].value, Bytes(3, std::byte{9}));
    const auto second = take(pages->device_secrets(device, "b", 100));
    ASSERT_EQ(second.size(), 1);
    EXPECT_EQ(second[0].value.size(), 2'000);
    EXPECT_TRUE(take(pages->device_secrets(device, "c", 100)).empty());

    EXPECT_EQ(replace({{"", Bytes(1)}}).error().code, ErrorCode::refused);
    EXPECT_EQ(replace({{"big", Bytes(Tables::secret_bytes_max + 1)}}).error().code,
              ErrorCode::refused);
    EXPECT_EQ(replace(std::vector<DeviceSecret>(Tables::device_secrets_max + 1)).error().code,
              ErrorCode::refused);
    EXPECT_TRUE(secret("c")) << "what was refused has changed nothing";
}

TEST_P(PlatformTest, ReceivedMediaAreKeptWithTheirDeviceUntilRetention) {
    const auto media = [&] {
        return ReceivedMedia{.id = ids.next(),
                             .device = device,
                             .platform_id = "3EB0A2",
                             .mime = "image/jpeg",
                             .bytes = 18'231,
                             .name = "foto.jpg",
                             .reference = "rahasia"};
    };
    const auto keep = [&](const ReceivedMedia& what) {
        return change([&](Tables& tables) { return tables.keep_received_media(what); });
    };
    EXPECT_EQ(keep(media()).error().code, ErrorCode::not_found);
    const auto made = accepted();
    const auto old = media();
    ASSERT_TRUE(keep(old));
    reopen();
    const auto found = take(reader()->received_media(old.id));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->device, device);
    EXPECT_EQ(found->platform_id, "3EB0A2");
    EXPECT_EQ(found->bytes, 18'231);
    EXPECT_EQ(found->reference, "rahasia");
    EXPECT_FALSE(take(reader()->received_media({old.id.sequence(), old.id.tail() + 1})));
    EXPECT_GE(take(reader()->last_sequence()), old.id.sequence());

    clock.advance(2h);
    const auto young = media();
    ASSERT_TRUE(keep(young));
    // Two rounds: a step that was undone goes on behind its rows, which the next round removes.
    for (int rounds = 0; rounds < 2;) {
        PruneStep step;
        EXPECT_TRUE(change_once([&](Tables& tables) -> Result<void> {
            step = take(tables.prune({.received_media_before = clock.now() - 1h}));
            return {};
        }));
        rounds += step.complete ? 1 : 0;
    }
    EXPECT_FALSE(take(reader()->received_media(old.id)));
    EXPECT_TRUE(take(reader()->received_media(young.id)));

    ASSERT_TRUE(finish(finish_of(made)));
    EXPECT_TRUE(change([&](Tables& tables) { return tables.remove_device(device); }));
    accepted();  // Adds the number again.
    EXPECT_FALSE(take(reader()->received_media(young.id)));
}

TEST_P(PlatformTest, ADeviceRemembersThatItWasExported) {
    accepted();
    const auto patch = [&](const DevicePatch& what) {
        return ask<model::Device>(
            [&](Tables& tables) { return tables.update_device(device, what); });
    };
    EXPECT_EQ(patch({.exported_at = clock.now()}).exported_at, clock.now());
    EXPECT_EQ(patch({.webhook_url = "https://example.com"}).exported_at, clock.now());
    reopen();
    EXPECT_EQ(take(reader()->devices()).at(0).exported_at, clock.now());
    EXPECT_EQ(patch({.exported_at = std::optional<Timestamp>{}}).exported_at, std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Engines, PlatformTest, ::testing::ValuesIn(engines_and_cuts()), name_of);

}  // namespace
}  // namespace merpati::store
