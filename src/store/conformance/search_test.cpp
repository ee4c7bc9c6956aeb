// Searches: by every field of a filter, with and without summaries.
#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "store/conformance/store_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using Ids = std::vector<model::MessageId>;

struct SearchTest : StoreTest {
    /// The ids on all pages.
    Ids found(MessageFilter filter) {
        Ids all;
        for (;;) {
            const auto page = take(reader()->messages(filter));
            EXPECT_LE(page.records.size(), filter.limit);
            for (const auto& record : page.records) {
                all.push_back(record.message.id);
            }
            if (!page.next) {
                return all;
            }
            filter.before = page.next;
        }
    }

    /// Of the messages so far, although the last ones may be younger than a second.
    std::size_t summarise(std::size_t block) {
        EXPECT_TRUE(change([](Tables& tables) { return tables.begin_summary(); }));
        const auto step = take(reader()->summarise(block, clock.now() + 1s, place));
        if (step.summary) {
            EXPECT_TRUE(put(*step.summary));
        }
        return step.read;
    }
    bool put(const MessageSummary& summary) {
        bool written = false;
        EXPECT_TRUE(change([&](Tables& tables) -> Result<void> {
            written = take(tables.put_summary(summary));
            return {};
        }));
        return written;
    }
    void summarise_all(std::size_t block) {
        while (summarise(block) > 0) {
        }
    }

    SummaryPlace place;

    model::Message accepted_to(std::string recipient) {
        auto made = *message();
        made.recipient = std::move(recipient);
        EXPECT_EQ(accept(made), Accept::Result::stored);
        return made;
    }

    model::Message ended(MessageState state, model::StatusCode code, std::string details) {
        auto made = accepted();
        auto ending = finish_of(made, state);
        ending.completion.code = code;
        ending.completion.details = std::move(details);
        EXPECT_TRUE(finish(std::move(ending)));
        return made;
    }
};

TEST_P(SearchTest, FindsByRecipientWholeAlone) {
    const auto first = accepted_to("6281200000001").id;
    accepted_to("6281200000012");
    const auto second = accepted_to("6281200000001").id;
    EXPECT_EQ(found({.recipient = "6281200000001"}), (Ids{second, first}));
    EXPECT_EQ(found({.recipient = "628120000000"}), Ids{});
}

TEST_P(SearchTest, FindsByTheLastDigitsOfTheRecipientAlsoInSummarisedBlocks) {
    const auto first = accepted_to("6281200004567").id;
    accepted_to("6281200045678");
    const auto second = accepted_to("6299900004567").id;
    for (int count = 0; count < 2; ++count) {
        EXPECT_EQ(found({.recipient_end = "4567"}), (Ids{second, first}));
        EXPECT_EQ(found({.recipient_end = "1200004567"}), Ids{first});
        EXPECT_EQ(found({.account = account, .recipient_end = "5678"}).size(), 1U);
        EXPECT_EQ(found({.recipient_end = "6281"}), Ids{});  // Where it begins does not matter.
        EXPECT_EQ(found({.recipient_end = "' OR 1=1 --"}), Ids{});
        summarise_all(2);
    }
}

TEST_P(SearchTest, FindsByDeviceSourceAndTime) {
    const auto early = accepted();
    clock.advance(1h);
    auto other = *message();
    other.device = model::PhoneNumber::from_stored(6281100000099);
    other.source = model::Source::campaign;
    accept(other);
    const auto from = clock.now();
    EXPECT_EQ(found({.device = early.device}), Ids{early.id});
    EXPECT_EQ(found({.device = other.device}), Ids{other.id});
    EXPECT_EQ(found({.source = model::Source::campaign}), Ids{other.id});
    EXPECT_EQ(found({.source = model::Source::api}), Ids{early.id});
    EXPECT_EQ(found({.since = from}), Ids{other.id});
    EXPECT_EQ(found({.until = from}), Ids{early.id});
    EXPECT_EQ(found({.since = from - 30min, .until = from}), Ids{});
}

TEST_P(SearchTest, FindsByCodeAndByWordsOfTheDetails) {
    const auto refused = ended(MessageState::failed, model::StatusCode::recipient_unregistered,
                               "The number 628 is not REGISTERED (code: 131026)")
                             .id;
    const auto sent = ended(MessageState::sent, model::StatusCode::sent, "Success").id;
    const auto held = ended(MessageState::held, model::StatusCode::failed, "unknown outcome").id;
    accepted();
    EXPECT_EQ(found({.code = model::StatusCode::recipient_unregistered}), Ids{refused});
    EXPECT_EQ(found({.code = model::StatusCode::sent}), Ids{sent});
    EXPECT_EQ(found({.words = words_of("131026 registered")}), Ids{refused});
    EXPECT_EQ(found({.words = words_of("Outcome")}), Ids{held});
    EXPECT_EQ(found({.words = words_of("regist")}), Ids{});
    EXPECT_EQ(found({.words = words_of("registered success")}), Ids{});
}

TEST_P(SearchTest, FindsALateMessageWhoseFirstCommitWasUndone) {
    auto late = *message();
    late.recipient = "6281200000099";
    for (int count = 0; count < 8; ++count) {
        accepted();
    }
    summarise_all(4);
    {
        auto full = GetParam().fill_disk();
        WriteBatch batch;
        batch.accepts.push_back({.message = std::make_unique<model::Message>(late)});
        EXPECT_FALSE(store->write(batch));
    }
    EXPECT_EQ(accept(late), Accept::Result::stored);
    EXPECT_EQ(found({.recipient = late.recipient}), Ids{late.id});
}

TEST_P(SearchTest, WordsAreLettersAndDigitsInAnyCase) {
    EXPECT_EQ(words_of("b-A, a (b)"), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(words_of(" ... "), std::vector<std::string>{});
    EXPECT_TRUE(has_words("Nomor tidak terdaftar.", words_of("TIDAK nomor")));
    EXPECT_FALSE(has_words("Nomor tidak terdaftar.", words_of("daftar")));
    EXPECT_TRUE(has_words("anything", {}));
}

TEST_P(SearchTest, APageEndsWhereItHasReadEnoughUnlessSummariesSaveIt) {
    const auto wanted = accepted_to("6281200000001").id;
    for (int batch_number = 0; batch_number < 20; ++batch_number) {
        WriteBatch batch;
        for (int count = 0; count < 1'000; ++count) {
            batch.accepts.push_back({.message = message()});
        }
        write(batch);
    }
    const MessageFilter filter{.recipient = "6281200000001"};
    const auto first = take(reader()->messages(filter));
    EXPECT_TRUE(first.records.empty());
    ASSERT_TRUE(first.next);
    EXPECT_EQ(found(filter), Ids{wanted});

    summarise_all(1'000);
    const auto page = take(reader()->messages(filter));
    ASSERT_EQ(page.records.size(), 1);
    EXPECT_FALSE(page.next);
    EXPECT_FALSE(take(reader()->messages({.recipient = "6281200000002"})).next);
}

TEST_P(SearchTest, ABlockThatWasWrittenTooEarlyIsWrittenAnew) {
    std::vector<model::Message> open;
    for (int count = 0; count < 80; ++count) {
        open.push_back(accepted());
    }
    summarise_all(80);
    for (const auto& message : open) {
        auto ending = finish_of(message, MessageState::failed);
        ending.completion.details = "nomor " + message.id.text();
        EXPECT_TRUE(finish(std::move(ending)));
    }
    const MessageFilter last{.words = words_of("nomor " + open.back().id.text())};
    EXPECT_EQ(found(last), Ids{open.back().id});
    summarise_all(80);
    EXPECT_EQ(found(last), Ids{open.back().id});
    EXPECT_EQ(found({.state = MessageState::failed}).size(), 80);
}

TEST_P(SearchTest, AMessageIsFoundWhoseIdIsBelowThoseThatWereSummarised) {
    auto late = *message();
    late.recipient = "6281200000001";
    for (int count = 0; count < 10; ++count) {
        accepted();
    }
    summarise_all(5);
    EXPECT_EQ(accept(late), Accept::Result::stored);
    EXPECT_EQ(found({.recipient = late.recipient}), Ids{late.id});
    summarise_all(5);
    EXPECT_EQ(found({.recipient = late.recipient}), Ids{late.id});
}

TEST_P(SearchTest, AMessageThatIsStoredWhileItsSummaryIsMadeIsNotHidden) {
    auto late = *message();
    late.recipient = "6281200000001";
    for (int count = 0; count < 10; ++count) {
        accepted();
    }
    ASSERT_TRUE(change([](Tables& tables) { return tables.begin_summary(); }));
    const auto step = take(reader()->summarise(5, clock.now() + 1s, place));
    ASSERT_NE(step.summary, nullptr);
    EXPECT_EQ(accept(late), Accept::Result::stored);
    EXPECT_FALSE(put(*step.summary));
    summarise_all(5);
    EXPECT_EQ(found({.recipient = late.recipient}), Ids{late.id});
}

TEST_P(SearchTest, ASummaryIsStoredOnceAndInItsTurn) {
    for (int count = 0; count < 10; ++count) {
        accepted();
    }
    ASSERT_TRUE(change([](Tables& tables) { return tables.begin_summary(); }));
    SummaryPlace other;
    const auto first = take(reader()->summarise(5, clock.now() + 1s, place));
    const auto same = take(reader()->summarise(5, clock.now() + 1s, other));
    ASSERT_TRUE(first.summary && same.summary);
    EXPECT_TRUE(put(*first.summary));
    EXPECT_FALSE(put(*same.summary));
}

TEST_P(SearchTest, TheNewestMessagesAreLeftAlone) {
    accepted();
    clock.advance(10s);
    const auto young_from = clock.now();
    accepted();
    EXPECT_EQ(take(reader()->summarise(2, young_from, place)).read, 0);
    place = {};
    EXPECT_EQ(take(reader()->summarise(2, clock.now() + 1s, place)).read, 2);
}

TEST_P(SearchTest, WhatIsUndoneIsNotTakenForSummarised) {
    const auto message = accepted_to("6281200000001");
    ASSERT_TRUE(change([](Tables& tables) { return tables.begin_summary(); }));
    const auto step = take(reader()->summarise(1, clock.now() + 1s, place));
    ASSERT_NE(step.summary, nullptr);
    EXPECT_FALSE(change([&](Tables& tables) -> Result<void> {
        EXPECT_TRUE(take(tables.put_summary(*step.summary)));
        return fail(ErrorCode::refused, "changed its mind");
    }));
    place = {};
    EXPECT_EQ(summarise(1), 1);
    EXPECT_EQ(found({.recipient = message.recipient}), Ids{message.id});
}

TEST_P(SearchTest, SummariesThatCannotBeReadHideNothing) {
    if (!GetParam().damage) {
        GTEST_SKIP() << "the pages of this engine are another program's";
    }
    Ids all;
    WriteBatch batch;
    for (int count = 0; count < 300; ++count) {
        auto one = message();
        one->recipient = "6281200000001";
        all.insert(all.begin(), one->id);
        batch.accepts.push_back({.message = std::move(one)});
    }
    write(batch);
    summarise_all(1);
    store.reset();
    const auto damage = GetParam().damage(directory.path(), "message_block", Engine::last_part);
    store = take(open_store(options));
    EXPECT_EQ(found({.recipient = "6281200000001"}), all);
    EXPECT_EQ(found({.recipient = "6281200000002"}), Ids{});
    const auto later = accepted_to("6281200000002").id;
    EXPECT_EQ(found({.recipient = "6281200000002"}), Ids{later});
}

/// A store with random messages, and a model of what it must hold.
struct RandomSearchTest : SearchTest {
    struct Known {
        model::Message message;
        MessageState state = MessageState::pending;
        model::StatusCode code = model::StatusCode::failed;
        std::string details;
        bool has_end = false;
    };

    std::size_t any(std::size_t below) {
        return std::uniform_int_distribution<std::size_t>{0, below - 1}(engine);
    }
    std::string any_words() {
        static constexpr std::array words{"nomor", "tidak", "terdaftar", "Timeout", "131026"};
        std::string text;
        for (auto count = any(4); count > 0; --count) {
            text += std::string{words[any(words.size())]} + (any(2) == 0 ? " " : ", ");
        }
        return text;
    }
    std::string any_recipient() { return "62812000000" + std::to_string(10 + any(30)); }
    model::PhoneNumber any_device() {
        return model::PhoneNumber::from_stored(static_cast<std::int64_t>(6281100000001 + any(4)));
    }

    void accept_some() {
        std::vector<std::unique_ptr<model::Message>> made;
        for (auto count = 1 + any(30); count > 0; --count) {
            auto& one = made.emplace_back(message());
            one->device = any_device();
            one->account =
                accounts[static_cast<std::size_t>(one->device.value()) % accounts.size()];
            one->recipient = any_recipient();
            one->source = any(4) == 0 ? model::Source::campaign : model::Source::api;
        }
        if (any(3) == 0) {
            std::ranges::shuffle(made, engine);
        }
        for (auto& one : made) {
            if (any(10) == 0) {
                late.push_back(std::move(one));
                continue;
            }
            store_it(std::move(one));
        }
        if (!late.empty() && any(3) == 0) {
            store_it(std::move(late.back()));
            late.pop_back();
        }
    }
    void store_it(std::unique_ptr<model::Message> one) {
        known[one->id].message = *one;
        WriteBatch batch;
        batch.accepts.push_back({.message = std::move(one)});
        write(batch);
        EXPECT_EQ(batch.accepts.front().result, Accept::Result::stored);
    }

    void end_some() {
        static constexpr std::array states{MessageState::sent, MessageState::sent,
                                           MessageState::failed, MessageState::cancelled,
                                           MessageState::held};
        WriteBatch batch;
        for (auto& [id, one] : known) {
            if (one.has_end || any(4) != 0) {
                continue;
            }
            auto ending = finish_of(one.message, states[any(states.size())]);
            ending.completion.code =
                any(3) == 0 ? model::StatusCode::recipient_invalid : ending.completion.code;
            ending.completion.details = any_words();
            one.state = ending.completion.state;
            one.code = ending.completion.code;
            one.details = ending.completion.details;
            one.has_end = true;
            batch.finishes.push_back(std::move(ending));
        }
        write(batch);
    }

    /// Fails some of the held messages.
    void decide_some() {
        for (auto& [id, one] : known) {
            if (one.state != MessageState::held || any(3) != 0) {
                continue;
            }
            one.state = MessageState::failed;
            one.details = any_words();
            one.code = model::StatusCode::failed;
            EXPECT_TRUE(change([&](Tables& tables) {
                return tables.fail_message(one.message.id,
                                           {.state = one.state,
                                            .code = one.code,
                                            .details = one.details,
                                            .finished_at = clock.now()},
                                           std::nullopt);
            }));
        }
    }

    void prune() {
        EXPECT_TRUE(change_once([&](Tables& tables) -> Result<void> {
            for (PruneStep step; step.removed > 0 || !step.complete;) {
                step = take(tables.prune({.messages_before = clock.now() - 90min}));
            }
            return {};
        }));
        const auto stored = reader();
        std::erase_if(known, [&](const auto& entry) {
            return !take(stored->message(entry.first)).has_value();
        });
    }

    MessageFilter any_filter() {
        MessageFilter filter{.limit = 1 + any(20)};
        if (any(2) == 0) {
            filter.account = accounts[any(accounts.size())];
        }
        if (any(4) == 0) {
            filter.state = static_cast<MessageState>(any(7));
        }
        if (any(4) == 0) {
            filter.device = any_device();
        }
        if (any(3) == 0) {
            filter.recipient = any_recipient();
        }
        if (any(4) == 0) {
            filter.code =
                any(2) == 0 ? model::StatusCode::recipient_invalid : model::StatusCode::sent;
        }
        if (any(4) == 0) {
            filter.source = any(2) == 0 ? model::Source::campaign : model::Source::api;
        }
        if (any(4) == 0) {
            filter.since = clock.now() - std::chrono::minutes{any(120)};
        }
        if (any(4) == 0) {
            filter.until = clock.now() - std::chrono::minutes{any(60)};
        }
        if (any(3) == 0) {
            filter.words = words_of(any_words());
        }
        return filter;
    }

    [[nodiscard]] static bool fits(const Known& one, const MessageFilter& filter) {
        const auto& message = one.message;
        const auto sequence = message.id.sequence();
        return (!filter.account || message.account == *filter.account) &&
               (!filter.state || one.state == *filter.state) &&
               (!filter.device || message.device == *filter.device) &&
               (!filter.recipient || message.recipient == *filter.recipient) &&
               (!filter.code || (one.has_end && one.code == *filter.code)) &&
               (!filter.source || message.source == *filter.source) &&
               (!filter.since || sequence >= Uuid::sequence_at(*filter.since)) &&
               (!filter.until || sequence < Uuid::sequence_at(*filter.until)) &&
               (filter.words.empty() || (one.has_end && has_words(one.details, filter.words)));
    }
    Ids expected(const MessageFilter& filter) const {
        Ids ids;
        for (const auto& [id, one] : known) {
            if (fits(one, filter)) {
                ids.push_back(id);
            }
        }
        std::ranges::reverse(ids);
        return ids;
    }

    std::mt19937_64 engine{20'261'122};
    std::vector<model::AccountId> accounts{account, create_account()};
    std::map<model::MessageId, Known> known;
    std::vector<std::unique_ptr<model::Message>> late;  // They have ids, but are not stored yet.
};

TEST_P(RandomSearchTest, FindsWhatAFilterOverAllRowsFinds) {
    const int rounds = GetParam().has_files ? 30 : 15;  // A database takes longer.
    for (int round = 0; round < rounds; ++round) {
        accept_some();
        clock.advance(std::chrono::seconds{any(200)});
        end_some();
        decide_some();
        for (auto steps = any(12); steps > 0; --steps) {
            (void)summarise(1 + any(16));
        }
        if (round % 10 == 9) {
            prune();
        }
        if (round % 25 == 14) {
            reopen();
        }
        for (int count = 0; count < 8; ++count) {
            const auto filter = any_filter();
            ASSERT_EQ(found(filter), expected(filter)) << "in round " << round;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Engines, SearchTest, ::testing::ValuesIn(engines()), name_of);
INSTANTIATE_TEST_SUITE_P(Engines, RandomSearchTest, ::testing::ValuesIn(engines()), name_of);

}  // namespace
}  // namespace merpati::store
