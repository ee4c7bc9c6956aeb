#include <set>

#include <fmt/format.h>

#include "api/manage/callbacks/callbacks_fixture.hpp"
#include "api/manage/engine/page_items.hpp"

namespace merpati::api::manage::testing {
namespace {

using namespace std::chrono_literals;
using model::MessageState;
using model::WaitReason;

struct MessagesTest : CallbacksTest {};

TEST_F(MessagesTest, ListsAreNewestFirstAndHoldNoText) {
    accept(account, device, "rahasia");
    const auto second = accept(account, device, "rahasia");
    const auto list = get("/messages");
    ASSERT_EQ(list.items().size(), 2U);
    EXPECT_EQ(list.items().front().at("id").as_string(), second.id.text());
    EXPECT_EQ(list.items().front().at("state"), "pending");
    EXPECT_THAT(list.whole(), Not(HasSubstr("rahasia")));
}

TEST_F(MessagesTest, ShowsTheCampaignOfAMessageThatHasOne) {
    const auto alone = accept(account, device);
    EXPECT_TRUE(get("/messages/" + alone.id.text()).json.at("campaign").is_null());
    auto message = std::make_unique<model::Message>(alone);
    message->id = ids.next();
    message->campaign = model::CampaignId{12};
    const auto id = message->id;
    store::WriteBatch batch;
    batch.accepts.push_back({.message = std::move(message), .idempotency = {}});
    write(batch);
    EXPECT_EQ(get("/messages/" + id.text()).text("campaign"), "cmp_12");
}

TEST_F(MessagesTest, PagesJoinWithoutGapOrOverlap) {
    std::vector<std::string> all;
    for (int number = 0; number < 5; ++number) {
        all.insert(all.begin(), accept(account, device).id.text());
    }
    std::vector<std::string> seen;
    std::string cursor;
    do {
        const auto page = get("/messages?limit=2" + cursor);
        for (const auto& item : page.items()) {
            seen.emplace_back(item.at("id").as_string().c_str());
        }
        cursor = page.text("next").empty() ? "" : "&cursor=" + page.text("next");
    } while (!cursor.empty());
    EXPECT_EQ(seen, all);
}

TEST_F(MessagesTest, FiltersChooseByAccountAndState) {
    finish(accept(account, device), MessageState::sent);
    accept(account, device);
    const auto other = make_account();
    EXPECT_EQ(get("/messages?state=sent").items().size(), 1U);
    EXPECT_EQ(get("/messages?state=pending&account=" + account).items().size(), 1U);
    EXPECT_THAT(get("/messages?account=" + other).items(), IsEmpty());
    for (const std::string_view wrong :
         {"?state=lost", "?limit=0", "?limit=1001", "?limit=x", "?cursor=x", "?cursor="}) {
        EXPECT_EQ(get("/messages" + std::string{wrong}).status, 400) << wrong;
    }
    EXPECT_EQ(get("/messages?account=acc_99").status, 404);
}

TEST_F(MessagesTest, AllFiltersHoldTogether) {
    auto make = [&](std::string to, MessageState state) {
        auto message = std::make_unique<model::Message>(accept(account, device));
        message->id = ids.next();
        message->recipient = std::move(to);
        const auto made = *message;
        store::WriteBatch batch;
        batch.accepts.push_back({.message = std::move(message), .idempotency = {}});
        write(batch);
        finish(made, state);
        return made.id.text();
    };
    make("6281200000002", MessageState::failed);
    const auto wanted = make("6281200000001", MessageState::failed);
    make("6281200000001", MessageState::sent);
    const auto found = [&](const std::string& query) {
        std::vector<std::string> all;
        for (const auto& item : get("/messages?" + query).items()) {
            all.emplace_back(item.at("id").as_string().c_str());
        }
        return all;
    };
    const std::string both = "to=%2B6281200000001&state=failed";
    EXPECT_THAT(found(both), ElementsAre(wanted));
    EXPECT_THAT(found(both + "&device=" + device), ElementsAre(wanted));
    EXPECT_THAT(found(both + "&source=api&account=" + account), ElementsAre(wanted));
    EXPECT_THAT(found(both + "&source=campaign"), IsEmpty());
    EXPECT_THAT(found(both + "&device=6289999999999"), IsEmpty());
    const auto before = to_rfc3339(clock.now() - std::chrono::seconds{1});
    const auto after = to_rfc3339(clock.now() + std::chrono::seconds{1});
    EXPECT_THAT(found(both + "&since=" + before), ElementsAre(wanted));
    EXPECT_THAT(found(both + "&since=" + after), IsEmpty());
    EXPECT_THAT(found(both + "&until=" + after), ElementsAre(wanted));
    EXPECT_THAT(found(both + "&until=" + before), IsEmpty());
    EXPECT_THAT(found(both + "&code=200"), ElementsAre(wanted));
    EXPECT_THAT(found(both + "&code=1001"), IsEmpty());
    EXPECT_THAT(found(both + "&text=ok"), ElementsAre(wanted));
    EXPECT_THAT(found(both + "&text=nobody%20says%20this"), IsEmpty());
}

TEST_F(MessagesTest, TimesInFiltersAreOfTheWallClock) {
    clock.set_wall(clock.now() - std::chrono::hours{3});  // Ids are 3 hours ahead from now on.
    accept(account, device);
    const auto found = [&](const std::string& field, std::chrono::seconds from_now) {
        return get("/messages?" + field + "=" + to_rfc3339(clock.now() + from_now)).items().size();
    };
    using std::chrono::seconds;
    EXPECT_EQ(found("since", seconds{-1}), 1U);
    EXPECT_EQ(found("since", seconds{1}), 0U);
    EXPECT_EQ(found("until", seconds{1}), 1U);
    EXPECT_EQ(found("until", seconds{-1}), 0U);
    EXPECT_EQ(get("/messages?until=2100-01-01T00:00:00Z").items().size(), 1U);
    EXPECT_EQ(get("/messages?since=9999-12-31T23:59:59Z").items().size(), 0U);
}

TEST_F(MessagesTest, AFilterThatIsMalformedIsRefused) {
    for (const std::string_view wrong :
         {"to=", "to=budi", "to=%2B", "device=1", "device=x", "code=0", "code=65536", "code=x",
          "source=mail", "since=yesterday", "until=1",
          "since=2026-11-20T08:00:00Z&until=2026-11-20T08:00:00Z", "text=", "text=...",
          "number=628", "format=csv"}) {
        EXPECT_EQ(get("/messages?" + std::string{wrong}).status, 400) << wrong;
    }
    EXPECT_EQ(get("/messages?to=" + std::string(65, '1')).status, 400);
    EXPECT_EQ(get("/messages?text=" + std::string(129, 'a')).status, 400);
    EXPECT_EQ(get("/messages/export?format=xml").status, 400);
    EXPECT_EQ(get("/messages/export?limit=1").status, 400);
}

TEST_F(MessagesTest, ACursorIsGoodForItsFiltersAlone) {
    accept(account, device);
    accept(account, device);
    const auto page = get("/messages?limit=1&device=" + device);
    const auto cursor = "&cursor=" + page.text("next");
    EXPECT_EQ(get("/messages?device=" + device + cursor).status, 200);
    EXPECT_EQ(get("/messages?limit=1" + cursor).status, 400);
    EXPECT_EQ(get("/messages?device=6289999999999" + cursor).status, 400);
}

TEST_F(MessagesTest, AnExportAsCsvHasAHeaderAndNoFormulas) {
    const auto message = accept(account, device);
    store::WriteBatch batch;
    batch.finishes.push_back({.message = std::make_unique<model::Message>(message),
                              .queued_at = message.due_at,
                              .completion = {.state = MessageState::failed,
                                             .details = "=HYPERLINK(\"x\"),\nsecond line",
                                             .finished_at = clock.now()}});
    write(batch);
    auto outcome =
        manage->handle(http::Method::get, "/v1/messages/export", "format=csv&state=failed", {});
    EXPECT_EQ(outcome.content_type, "text/csv; charset=utf-8");
    ASSERT_NE(outcome.lines, nullptr);
    const auto piece = outcome.lines->next();
    ASSERT_TRUE(piece);
    EXPECT_TRUE(piece->is_last);
    EXPECT_THAT(piece->text, ::testing::StartsWith("id,account,from,to,state,"));
    EXPECT_THAT(piece->text, HasSubstr("\r\n" + message.id.text() + "," + account + "," + device));
    EXPECT_THAT(piece->text, HasSubstr(R"(,"'=HYPERLINK(""x""), second line",)"));
    EXPECT_EQ(std::ranges::count(piece->text, '\n'), 2);
}

TEST_F(MessagesTest, APieceOfAnExportIsBoundedHoweverLongTheRowsAre) {
    constexpr std::size_t rows = 40;
    constexpr std::size_t row_bytes = 40'000;
    store::WriteBatch batch;
    for (std::size_t row = 0; row < rows; ++row) {
        auto message = std::make_unique<model::Message>();
        message->id = ids.next();
        message->account = *model::AccountId::parse(account);
        message->device = *model::PhoneNumber::parse(device);
        message->recipient = std::string(row_bytes, '6');
        message->accepted_at = message->due_at = clock.now();
        batch.accepts.push_back({.message = std::move(message)});
    }
    write(batch);
    for (const auto* const format : {"ndjson", "csv"}) {
        auto outcome = manage->handle(http::Method::get, "/v1/messages/export",
                                      std::string{"format="} + format, {});
        std::size_t bytes = 0;
        for (bool is_last = false; !is_last;) {
            const auto piece = outcome.lines->next();
            ASSERT_TRUE(piece);
            EXPECT_LE(piece->text.size(), http::BodyWriter::piece_max);
            bytes += piece->text.size();
            is_last = piece->is_last;
        }
        EXPECT_GT(bytes, rows * row_bytes);
    }
}

struct ViewerTest : MessagesTest {
    [[nodiscard]] admission::Principal person_with(model::Role role) const {
        model::Person person;
        person.memberships = {
            {.account = *model::AccountId::parse(account), .role = role, .since = {}}};
        return admission::Principal::of(std::make_shared<const model::Person>(person));
    }
    Answer look(const std::string& path) {
        return call_as(person_with(model::Role::viewer), http::Method::get, path);
    }
};

TEST_F(ViewerTest, CannotSearchByWhatIsHidden) {
    accept(account, device);
    EXPECT_EQ(look("/messages?to=6281234567890").status, 403);
    EXPECT_EQ(look("/messages?to=6281200000001").status, 403);
    EXPECT_EQ(look("/messages/export?to=6281200000001").status, 403);
    EXPECT_EQ(look("/messages?text=kode").status, 403);
    EXPECT_EQ(look("/messages/export?text=kode").status, 403);
    EXPECT_EQ(look("/messages?device=" + device).status, 200);
}

TEST_F(ViewerTest, SeesNeitherTextsNorAddressesThatMayHoldSecrets) {
    constexpr std::string_view url = "https://toko.example.com/hasil?token=rahasia";
    EXPECT_EQ(
        patch("/admin/accounts/" + account, fmt::format(R"({{"callback":"{}"}})", url)).status,
        200);
    EXPECT_EQ(patch("/devices/" + device, fmt::format(R"({{"webhook":"{}"}})", url)).status, 200);
    auto stored = std::make_unique<model::Message>(accept(account, device));
    stored->id = ids.next();
    stored->body = "kode 774411 rahasia";
    stored->callback_url = stored->media_url = url;
    const auto message = *stored;
    store::WriteBatch batch;
    batch.accepts.push_back({.message = std::move(stored), .idempotency = {}});
    write(batch);
    auto callback = callback_of(message);
    callback.url = url;
    finish(message, MessageState::sent, callback);
    const auto path = "/messages/" + message.id.text();
    EXPECT_EQ(look(path + "?body=true").status, 403);
    for (const auto& shown :
         {path, path + "/timeline", std::string{"/messages"}, std::string{"/callbacks"},
          "/callbacks/" + callback.id.text(), "/callbacks/" + callback.id.text() + "/attempts",
          std::string{"/account"}, std::string{"/devices"}, "/devices/" + device}) {
        const auto answer = look(shown);
        EXPECT_EQ(answer.status, 200) << shown << answer.whole();
        EXPECT_THAT(answer.whole(), Not(HasSubstr("rahasia"))) << shown;
    }
    const auto operator_sees =
        call_as(person_with(model::Role::operator_), http::Method::get, path + "?body=true");
    EXPECT_EQ(operator_sees.text("body"), "kode 774411 rahasia");
    EXPECT_EQ(operator_sees.text("callback"), url);
}

TEST_F(MessagesTest, ShowTellsTheEndAndTheCallbacksButTheTextOnlyWhenAsked) {
    const auto message = accept(account, device, "rahasia");
    const auto callback = callback_of(message);
    finish(message, MessageState::sent, callback);
    const auto path = "/messages/" + message.id.text();
    const auto shown = get(path);
    EXPECT_EQ(shown.text("state"), "sent");
    EXPECT_EQ(shown.json.at("code").to_number<int>(), 200);
    EXPECT_EQ(shown.text("platform_id"), "wamid.1");
    EXPECT_EQ(shown.json.at("callbacks").at(0).at("id").as_string(), callback.id.text());
    EXPECT_THAT(shown.whole(), Not(HasSubstr("rahasia")));
    EXPECT_EQ(get(path + "?body=true").text("body"), "rahasia");
    EXPECT_EQ(get(path + "?body=yes").status, 400);
}

TEST_F(MessagesTest, AWaitingMessageIsCancelledThroughItsOwner) {
    const auto message = accept(account, device);
    EXPECT_EQ(post("/messages/" + message.id.text() + "/cancel").status, 200);
    EXPECT_THAT(messages.cancelled, ElementsAre(message.id));
    messages.answer = ErrorCode::conflict;
    EXPECT_EQ(post("/messages/" + message.id.text() + "/cancel").status, 409);
}

TEST_F(MessagesTest, WhatHasEndedIsNotCancelled) {
    const auto message = accept(account, device);
    finish(message, MessageState::sent);
    const auto answer = post("/messages/" + message.id.text() + "/cancel");
    EXPECT_EQ(answer.status, 409);
    EXPECT_THAT(answer.error(), HasSubstr("sent"));
    EXPECT_THAT(messages.cancelled, IsEmpty());
}

TEST_F(MessagesTest, OnlyAHeldMessageIsReleased) {
    const auto waiting = accept(account, device);
    EXPECT_EQ(post("/messages/" + waiting.id.text() + "/release").status, 409);
    const auto held = accept(account, device);
    finish(held, MessageState::held);
    const auto released = post("/messages/" + held.id.text() + "/release");
    EXPECT_EQ(released.status, 200);
    EXPECT_EQ(released.text("state"), "pending");
    EXPECT_THAT(messages.woken, ElementsAre(held.id.text() + " " + to_rfc3339(clock.now())));
}

TEST_F(MessagesTest, AHeldMessageIsFailedThroughItsOwner) {
    const auto held = accept(account, device);
    finish(held, MessageState::held);
    const auto path = "/messages/" + held.id.text() + "/fail";
    EXPECT_EQ(post(path).status, 200);
    EXPECT_THAT(messages.given_up, ElementsAre(held.id));
    messages.answer = ErrorCode::conflict;
    const auto refused = post(path);
    EXPECT_EQ(refused.status, 409);
    EXPECT_THAT(refused.error(), HasSubstr("only a held one can be failed"));
}

TEST_F(MessagesTest, AWaitingMessageSaysWhatItWaitsFor) {
    const auto message = accept(account, device);
    const auto path = "/messages/" + message.id.text();
    EXPECT_EQ(get(path).json.at("waits").at("for"), "queue");
    messages.wait = scheduler::Wait{.reason = WaitReason::pace, .until = clock.now() + 3s};
    const auto waits = get(path).json.at("waits");
    EXPECT_EQ(waits.at("for"), "pace");
    EXPECT_EQ(waits.at("since").as_string(), to_rfc3339(message.due_at));
    EXPECT_EQ(waits.at("until").as_string(), to_rfc3339(clock.now() + 3s));
    EXPECT_FALSE(waits.at("text").as_string().empty());
    EXPECT_TRUE(waits.at("details").is_null());
    store::WriteBatch batch;
    batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
        const auto identity = store::DeviceIdentity::of(*directory.find_device(message.device));
        EXPECT_TRUE(tables.set_device_state(identity, model::DeviceState::disconnected,
                                            "Ponsel tidak aktif", clock.now()));
        return {};
    }});
    write(batch);
    directory.apply(batch.row_changes.at(0));
    messages.wait = scheduler::Wait{.reason = WaitReason::device};
    EXPECT_EQ(get(path).json.at("waits").at("details"), "Ponsel tidak aktif");
    finish(message, MessageState::sent);
    EXPECT_TRUE(get(path).json.at("waits").is_null());
}

TEST_F(MessagesTest, OnlyADelayedMessageIsSentNow) {
    const auto due = accept(account, device);
    EXPECT_EQ(post("/messages/" + due.id.text() + "/send-now").status, 409);
    auto later = std::make_unique<model::Message>(due);
    later->id = ids.next();
    later->due_at = clock.now() + 1h;
    const auto id = later->id;
    store::WriteBatch batch;
    batch.accepts.push_back({.message = std::move(later)});
    write(batch);
    EXPECT_EQ(post("/messages/" + id.text() + "/send-now").status, 200);
    EXPECT_THAT(messages.hastened, ElementsAre(id));
    finish(due, MessageState::sent);
    EXPECT_EQ(post("/messages/" + due.id.text() + "/send-now").status, 409);
}

TEST_F(MessagesTest, OnlyAFailedMessageIsSentAgain) {
    const auto failed = accept(account, device);
    const auto path = "/messages/" + failed.id.text() + "/retry";
    EXPECT_EQ(post(path).status, 409);
    finish(failed, MessageState::failed);
    messages.retried_as = accept(account, device).id;
    const auto retried = post(path);
    EXPECT_EQ(retried.status, 200);
    EXPECT_EQ(retried.text("id"), messages.retried_as->text());
    EXPECT_EQ(retried.text("retry_of"), failed.id.text());
    messages.answer = ErrorCode::refused;
    EXPECT_EQ(post(path).status, 403);
}

TEST_F(MessagesTest, UnknownMessagesAreNotFound) {
    for (const std::string_view id : {"019c3f3e-7d00-7abc-8def-0123456789ab", "bogus"}) {
        const auto path = "/messages/" + std::string{id};
        EXPECT_EQ(get(path).status, 404);
        EXPECT_EQ(post(path + "/cancel").status, 404);
        EXPECT_EQ(post(path + "/release").status, 404);
        EXPECT_EQ(post(path + "/fail").status, 404);
        EXPECT_EQ(get("/callbacks/" + std::string{id}).status, 404);
        EXPECT_EQ(post("/callbacks/" + std::string{id} + "/replay").status, 404);
    }
}

TEST_F(MessagesTest, APageEndsBeforeItBecomesTooLarge) {
    constexpr int messages_count = 300;
    const std::string url = "https://example.com/" + std::string(1'900, 'x');
    for (int number = 0; number < messages_count; ++number) {
        clock.advance(1ms);
        auto message = accept(account, device);
        message.callback_url = url;
        store::WriteBatch batch;
        message.id = ids.next();
        batch.accepts.push_back(
            {.message = std::make_unique<model::Message>(std::move(message)), .idempotency = {}});
        write(batch);
    }
    std::set<std::string> seen;
    std::string path = "/messages?limit=1000";
    std::size_t pages = 0;
    for (bool last = false; !last; ++pages) {
        const auto page = get(path);
        EXPECT_LE(page.whole().size(), PageItems::bytes_max + 500);
        for (const auto& item : page.items()) {
            EXPECT_TRUE(seen.insert(item.at("id").as_string().c_str()).second);
        }
        const auto& next = page.json.at("next");
        last = next.is_null();
        path = last ? "" : "/messages?limit=1000&cursor=" + std::string{next.as_string()};
    }
    EXPECT_GT(pages, 2U);
    EXPECT_EQ(seen.size(), std::size_t{messages_count} * 2);
}

}  // namespace
}  // namespace merpati::api::manage::testing
