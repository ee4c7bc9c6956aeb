// Contacts, and the erasure of a person.
#include "store/conformance/campaign_fixture.hpp"

namespace merpati::store {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using model::RecipientState;

struct ContactTest : CampaignTest {
    model::Contact contact(std::int64_t n, std::string name = "Budi",
                           std::vector<std::string> tags = {}) {
        return {.account = account,
                .number = number(n),
                .name = std::move(name),
                .values = {{"kota", "Medan"}, {"usia", "40"}},
                .tags = std::move(tags),
                .consent = {},
                .created_at = clock.now(),
                .updated_at = clock.now()};
    }
    void put(const model::Contact& made) {
        EXPECT_TRUE(run([&](ContactTables& contacts) { return contacts.put_contact(made); }));
    }
    std::vector<model::PhoneNumber> list(ContactFilter filter) {
        filter.account = account;
        std::vector<model::PhoneNumber> found;
        for (;;) {
            const auto page = take(reader()->contacts().contacts(filter));
            for (const auto& one : page.records) {
                found.push_back(one.number);
            }
            if (!page.next) {
                return found;
            }
            filter.after = page.next;
        }
    }
    std::vector<std::string> tags() { return take(reader()->contacts().tags(account, "", 10)); }
    /// Erases the person, a row at a time.
    std::size_t erase(std::int64_t n) {
        std::size_t changed = 0;
        for (ContactTables::ErasureStep step; !step.complete;) {
            step = take(run([&](ContactTables& contacts) {
                return contacts.erase_person(account, number(n), step.last, 1, clock.now());
            }));
            changed += step.changed;
        }
        return changed;
    }
};

TEST_P(ContactTest, AContactIsReadBackAsItWasStored) {
    auto made = contact(1, "Budi", {"pelanggan", "vip"});
    made.consent = {.source = "toko", .at = clock.now(), .text = "Saya setuju"};
    put(made);
    EXPECT_EQ(take(reader()->contacts().contact(account, number(1))), made);
    auto changed = contact(1, "Budi S.", {"vip"});
    clock.advance(1h);
    changed.created_at = changed.updated_at = clock.now();
    put(changed);
    changed.created_at = made.created_at;
    EXPECT_EQ(take(reader()->contacts().contact(account, number(1))), changed);
    EXPECT_EQ(tags(), std::vector<std::string>{"vip"});
}

TEST_P(ContactTest, ContactsAreFoundByTagAndByText) {
    put(contact(1, "Budi", {"vip"}));
    put(contact(2, "SITI", {"baru", "vip"}));
    put(contact(3, "Agus", {"baru"}));
    EXPECT_EQ(list({.limit = 1}), (std::vector{number(1), number(2), number(3)}));
    EXPECT_EQ(list({.tags = {"vip"}}), (std::vector{number(1), number(2)}));
    EXPECT_EQ(list({.tags = {"baru", "vip"}, .limit = 2}),
              (std::vector{number(1), number(2), number(3)}));
    EXPECT_EQ(list({.text = "sit"}), std::vector{number(2)});
    EXPECT_EQ(list({.tags = {"baru"}, .text = "0003"}), std::vector{number(3)});
    EXPECT_EQ(tags(), (std::vector<std::string>{"baru", "vip"}));
    account = create_account();
    EXPECT_TRUE(list({}).empty());
    EXPECT_TRUE(tags().empty());
}

TEST_P(ContactTest, ARemovedContactLeavesNothing) {
    put(contact(1, "Budi", {"vip"}));
    const auto remove = [&] {
        return take(run(
            [&](ContactTables& contacts) { return contacts.remove_contact(account, number(1)); }));
    };
    EXPECT_TRUE(remove());
    EXPECT_FALSE(remove());
    EXPECT_TRUE(list({}).empty());
    EXPECT_TRUE(tags().empty());
}

TEST_P(ContactTest, ErasingAPersonCancelsWhatWaitsAndKeepsCounts) {
    const auto sent = running(1, 2).id;
    const auto made = queued(sent, 1);
    end(made, MessageState::sent);
    const auto waits = running(1, 2).id;
    const auto draft = create().id;
    upload(draft, {fresh(1), fresh(1), fresh(2)});

    EXPECT_EQ(erase(1), 4);
    EXPECT_EQ(row(sent, 1).state, RecipientState::sent);
    EXPECT_EQ(row(waits, 1).state, RecipientState::cancelled);
    EXPECT_EQ(row(draft, 1).state, RecipientState::cancelled);
    for (const auto& kept : {row(sent, 1), row(waits, 1), row(draft, 1), row(draft, 2)}) {
        EXPECT_EQ(kept.number, number(1));
        EXPECT_TRUE(kept.values.empty());
        EXPECT_TRUE(kept.original.empty());
    }
    const auto stored = take(reader()->message(made.id));
    ASSERT_TRUE(stored);
    EXPECT_TRUE(stored->message.body.empty());
    EXPECT_TRUE(stored->completion->details.empty());
    EXPECT_EQ(row(waits, 2).values.size(), 1);  // Another person.
    EXPECT_EQ(campaign(sent).counts.of(RecipientState::sent), 1);
    EXPECT_EQ(campaign(waits).counts.of(RecipientState::cancelled), 1);
    EXPECT_EQ(pending(draft), std::vector<Row>{3});
    EXPECT_TRUE(faults().empty());
}

TEST_P(ContactTest, AMessageThatWaitsKeepsItsText) {
    const auto id = running(1, 1).id;
    const auto made = queued(id, 1);
    EXPECT_EQ(erase(1), 1);
    EXPECT_FALSE(take(reader()->message(made.id))->message.body.empty());
    EXPECT_FALSE(
        take(run([&](ContactTables& contacts) { return contacts.erase_message(made.id); })));
}

INSTANTIATE_TEST_SUITE_P(Engines, ContactTest, ::testing::ValuesIn(engines_and_cuts()), name_of);

}  // namespace
}  // namespace merpati::store
