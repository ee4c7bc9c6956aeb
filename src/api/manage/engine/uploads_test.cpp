// Uploads: the operation is this test's own; server, service and engine are the real ones.
#include <atomic>
#include <future>
#include <map>
#include <string>
#include <utility>

#include "api/manage/engine/change_log.hpp"
#include "api/manage/engine/manage_fixture.hpp"
#include "api/manage/engine/open_uploads.hpp"
#include "api/manage/engine/service.hpp"
#include "api/manage/engine/upload_body.hpp"
#include "http/server_fixture.hpp"

namespace merpati::api::manage::testing {
namespace {

using namespace std::chrono_literals;
using http::testing::eventually;

/// The next piece, or what there is instead.
std::string next_of(Upload& upload) {
    const auto piece = upload.next();
    return piece ? piece->value_or("the end") : std::string{to_string(piece.error().code)};
}

/// Counts the pieces that were asked for.
struct CountingFeed final : http::BodyFeed {
    void go_on(std::uint64_t /*hold*/) override { ++asked; }
    std::atomic<int> asked{0};
};

struct UploadBodyTest : ::testing::Test {
    http::PieceHold hold() { return {feed, 1}; }

    std::shared_ptr<CountingFeed> feed = std::make_shared<CountingFeed>();
    std::shared_ptr<UploadBody> body = std::make_shared<UploadBody>(hold(), 10s);
    std::unique_ptr<http::BodyReceiver> receiver = body->receiver();
};

TEST_F(UploadBodyTest, IsReadOnceTheHandlerWantsItAndOnePieceAhead) {
    EXPECT_EQ(feed->asked, 0);
    auto first = std::async(std::launch::async, [&] { return next_of(*body); });
    ASSERT_TRUE(eventually([&] { return feed->asked == 1; }));
    receiver->take("one", hold());
    EXPECT_EQ(first.get(), "one");
    EXPECT_EQ(feed->asked, 2);
    receiver->take("two", hold());
    EXPECT_EQ(feed->asked, 2) << "the second piece waits";
    EXPECT_EQ(next_of(*body), "two");
    receiver->finish();
    receiver.reset();
    EXPECT_EQ(next_of(*body), "the end");
}

TEST_F(UploadBodyTest, ThatIsBrokenOffIsNeverTakenForAWholeOne) {
    receiver->take("one", hold());
    receiver.reset();
    const auto next = body->next();
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().code, ErrorCode::unreachable);
    EXPECT_TRUE(in_indonesian(next.error().detail));
}

TEST_F(UploadBodyTest, EndsTheWaitOfAHandlerWhenTheServiceStops) {
    auto next = std::async(std::launch::async, [&] { return next_of(*body); });
    ASSERT_TRUE(eventually([&] { return feed->asked == 1; }));
    body->break_off();
    EXPECT_EQ(next.get(), "shutting_down");
}

TEST_F(UploadBodyTest, IsNotWaitedForLongerThanItsPatience) {
    const auto silent = std::make_shared<UploadBody>(hold(), 1ms);
    EXPECT_EQ(next_of(*silent), "unreachable");
}

TEST(WholeUploadTest, JoinsThePiecesUpToItsLimit) {
    struct Abc final : Upload {
        Result<std::optional<std::string>> next() override {
            return letter > 'c' ? std::nullopt : std::optional{std::string(1, letter++)};
        }
        char letter = 'a';
    };
    Abc abc;
    WholeUpload whole{abc, 3};
    EXPECT_EQ(next_of(whole), "abc");
    EXPECT_EQ(next_of(whole), "the end");
    Abc again;
    WholeUpload small{again, 2};
    EXPECT_EQ(next_of(small), "refused");
    EXPECT_TRUE(small.is_too_large());
}

struct OpenUploadsTest : ::testing::Test {
    /// 0: it is let in. Keeps the place.
    int take(Share share) {
        auto body =
            std::make_shared<UploadBody>(http::PieceHold{std::make_shared<CountingFeed>(), 1});
        auto place = uploads.take(share, body);
        if (!place) {
            EXPECT_THAT(place.error().headers, HasSubstr("Retry-After: "));
            return place.error().status;
        }
        places.push_back(*std::move(place));
        receivers.push_back(body->receiver());
        bodies.push_back(std::move(body));
        return 0;
    }
    static Share account(std::int64_t id) { return {.kind = Share::Kind::account, .id = id}; }

    merpati::testing::ManualClock clock;
    OpenUploads uploads{clock};
    std::vector<OpenUploads::Place> places;
    std::vector<std::shared_ptr<UploadBody>> bodies;
    std::vector<std::unique_ptr<http::BodyReceiver>> receivers;
};

TEST_F(OpenUploadsTest, LetOneOfEachAccountInUntilItHasEnded) {
    EXPECT_EQ(take(account(1)), 0);
    EXPECT_EQ(take(account(1)), 429);
    EXPECT_EQ(take(account(2)), 0);
    places.erase(places.begin());
    EXPECT_EQ(take(account(1)), 0);
    EXPECT_EQ(take(account(2)), 429);
}

TEST_F(OpenUploadsTest, AreLimitedTogetherAndTheLocalOperatorsApart) {
    for (std::size_t id = 0; id < OpenUploads::network_max; ++id) {
        EXPECT_EQ(take(account(static_cast<std::int64_t>(id))), 0);
    }
    EXPECT_EQ(take(account(99)), 503);
    for (std::size_t number = 0; number < OpenUploads::local_max; ++number) {
        EXPECT_EQ(take({.kind = Share::Kind::local}), 0);
    }
    EXPECT_EQ(take({.kind = Share::Kind::local}), 503);
    places.clear();
    EXPECT_EQ(take(account(99)), 0);
}

TEST_F(OpenUploadsTest, ThePeopleOfAnAccountHaveOneTogether) {
    for (std::int64_t id = 0; id < 3; ++id) {
        EXPECT_EQ(take({.kind = Share::Kind::person, .id = id}), 0);
    }
    EXPECT_EQ(take(account(7)), 0);
    EXPECT_TRUE(bodies.at(0)->take_place_of({7}));
    EXPECT_TRUE(bodies.at(0)->take_place_of({7})) << "it is its own";
    EXPECT_EQ(bodies.at(1)->take_place_of({7}).error().code, ErrorCode::too_many_requests);
    EXPECT_EQ(bodies.at(3)->take_place_of({7}).error().code, ErrorCode::too_many_requests);
    EXPECT_TRUE(bodies.at(2)->take_place_of({8}));
    EXPECT_EQ(take({.kind = Share::Kind::local}), 0);
    EXPECT_TRUE(bodies.at(4)->take_place_of({7}));
    places.erase(places.begin());
    EXPECT_TRUE(bodies.at(1)->take_place_of({7}));
}

TEST_F(OpenUploadsTest, OneThatWasStoppedDoesNotKeepOutTheNext) {
    EXPECT_EQ(take(account(1)), 0);
    ASSERT_TRUE(bodies.at(0)->take_place_of({1}));
    EXPECT_EQ(take(account(1)), 429);
    receivers.at(0).reset();  // Its sender has hung up; its handler has not ended.
    EXPECT_EQ(take(account(1)), 0);
    EXPECT_TRUE(bodies.at(1)->take_place_of({1}));
    EXPECT_EQ(take(account(1)), 429);
}

TEST_F(OpenUploadsTest, OnesThatAreSentSlowlyKeepNobodyOut) {
    const auto receive = [&](std::size_t place, std::size_t bytes) {
        receivers.at(place)->take(std::string(bytes, 'x'), {std::make_shared<CountingFeed>(), 1});
    };
    for (std::size_t id = 0; id < OpenUploads::network_max; ++id) {
        ASSERT_EQ(take(account(static_cast<std::int64_t>(id))), 0);
    }
    clock.advance(OpenUploads::place_kept - 1s);
    EXPECT_EQ(take(account(99)), 503) << "all of them are new";
    clock.advance(1s);
    for (std::size_t place = 0; place < OpenUploads::network_max; ++place) {
        receive(place, place == 5 ? 10 : 1'000);
    }
    EXPECT_EQ(take(account(99)), 0);
    EXPECT_EQ(next_of(*bodies.at(5)), "shutting_down");
    EXPECT_EQ(take(account(5)), 0) << "another slow one ends";
    EXPECT_EQ(take(account(99)), 429) << "the new one keeps its place";
    EXPECT_EQ(take({.kind = Share::Kind::local}), 0);
}

std::atomic<int> begun = 0;
std::atomic<int> failed = 0;

/// Adds an account that is called as the body's number of bytes, unless the query says that the
/// name must be another.
Result<boost::json::value> add_named_by_body(const Context& context, Call& call, Upload& body) {
    ++begun;
    const auto name = call.fields.text("name", 20);
    if (auto fine = call.fields.finish(); !fine) {
        return pass(fine);
    }
    std::size_t size = 0;
    std::size_t pieces = 0;
    for (;; ++pieces) {
        const auto piece = body.next();
        if (!piece) {
            ++failed;
            return pass(piece);
        }
        if (!*piece) {
            break;
        }
        if ((*piece)->contains('!')) {
            return fail(ErrorCode::invalid_argument,
                        "the query is malformed, or names a parameter twice");
        }
        size += (*piece)->size();
    }
    model::Account account{.name = name.value_or(std::to_string(size)),
                           .created_at = context.clock.now()};
    return context.commit_and_show(
        [&](store::Tables& tables) { return tables.create_account(account); },
        [&](const model::AccountId& id) -> Result<boost::json::value> {
            return boost::json::object{{"id", id.text()},
                                       {"size", size},
                                       {"pieces", pieces},
                                       {"type", call.head.content_type}};
        });
}

constexpr Operation uploading{.method = http::Method::post,
                              .path = "/v1/test/{}/rows",
                              .scope = api::Scope::catalogue,
                              .answerer = add_named_by_body,
                              .needs = model::Scope::admin,
                              .pool = Pool::uploading};

/// The operation behind a real server. The caller is the local operator, or the key of the account
/// in the header `Account`.
struct UploadsTest : ManageTest {
    UploadsTest() {
        begun = 0;
        failed = 0;
        offer(uploading);
        options.listen = {"127.0.0.1:0"};
        options.limits.sweep_interval = 2ms;
        server.emplace(clock, random, options, router, local_router,
                       [](std::uint16_t) { return std::string{"{}"}; });
        service.start();
        EXPECT_TRUE(server->start());
    }
    ~UploadsTest() override {
        server.reset();
        service.stop();
    }

    void offer(const Operation& operation) {
        router.add_upload(operation.method, "/v1/test/{}/rows",
                          [this, &operation](const http::Request& request,
                                             http::Responder responder, http::PieceHold hold) {
                              const auto account = request.header("Account");
                              auto caller = account ? callers.at(std::string{*account})
                                                    : admission::Principal::local();
                              return service.take_upload(operation, request, std::move(caller),
                                                         std::move(responder), std::move(hold));
                          });
    }

    http::testing::RawClient connect() {
        return http::testing::RawClient::connect(server->addresses().at(0));
    }
    static std::string head(std::string_view fields, std::string_view query = "") {
        return "POST /v1/test/7/rows" + std::string{query} + " HTTP/1.1\r\nHost: a\r\n" +
               std::string{fields} + "\r\n\r\n";
    }
    static std::string sized(std::size_t size, std::string_view field = "Content-Type: text/csv") {
        return head("Content-Length: " + std::to_string(size) + "\r\n" + std::string{field});
    }
    /// The names of all accounts.
    std::vector<std::string> names() {
        std::vector<std::string> all;
        for (const auto& item : get("/admin/accounts").items()) {
            all.emplace_back(item.at("name").as_string());
        }
        return all;
    }

    std::map<std::string, admission::Principal> callers;
    http::Options options;
    http::Router router;
    http::Router local_router;
    Service service{*manage, AppAddress{}};
    std::optional<http::Server> server;
};

TEST_F(UploadsTest, ABodyOfAnySizeIsHandledWhileItArrives) {
    auto client = connect();
    constexpr std::size_t size = 10'000'000;
    client.send(sized(size, "Content-Type: Text/CSV; charset=utf-8") + std::string(size, 'x'));
    const auto answer = client.receive();
    ASSERT_EQ(answer.status, 200) << answer.body;
    const auto json = boost::json::parse(answer.body);
    EXPECT_EQ(json.at("size"), size);
    EXPECT_GT(json.at("pieces").to_number<std::size_t>(), size / http::BodyReceiver::piece_max);
    EXPECT_EQ(json.at("type"), "text/csv");
    EXPECT_THAT(names(), ElementsAre("10000000"));
    client.send(sized(3) + "abc");
    EXPECT_EQ(client.receive().status, 200)
        << "the connection is kept, and the place was given back";
}

TEST_F(UploadsTest, ItsChangeIsLoggedWithItsCaller) {
    auto client = connect();
    client.send(sized(3) + "abc");
    ASSERT_EQ(client.receive().status, 200);
    const auto entry = get("/admin/log").items().at(0);
    EXPECT_EQ(entry.at("operation"), "POST /v1/test/{}/rows");
    EXPECT_EQ(entry.at("actor").at("kind"), "local");
}

TEST_F(UploadsTest, ParametersStandInTheQueryAndAreCheckedBeforeTheBody) {
    auto client = connect();
    client.send(head("Content-Length: 3", "?name=Toko%20A") + "abc");
    EXPECT_EQ(client.receive().status, 200);
    EXPECT_THAT(names(), ElementsAre("Toko A"));
    client.send(head("Content-Length: 3\r\nExpect: 100-continue", "?colour=red"));
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 400) << "and not 100";
    EXPECT_THAT(answer.body, HasSubstr("colour"));
}

TEST_F(UploadsTest, JsonIsOnePieceOfLimitedSize) {
    auto client = connect();
    constexpr std::string_view json = "Content-Type: application/json";
    client.send(sized(300'000, json) + std::string(300'000, ' '));
    EXPECT_THAT(client.receive().body, HasSubstr(R"("size":300000,"pieces":1)"));
    client.send(sized(json_upload_max + 1, json));
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 413);
    EXPECT_EQ(begun, 1) << "it was refused by its length";
    auto chunked = connect();
    chunked.send(head("Transfer-Encoding: chunked\r\n" + std::string{json}) + "800001\r\n" +
                 std::string(json_upload_max + 1, ' '));
    EXPECT_THAT(chunked.receive().body, HasSubstr("body_too_large"));
    EXPECT_THAT(names(), ElementsAre("300000"));
}

TEST_F(UploadsTest, OneThatBreaksOffAddsNothing) {
    {
        auto client = connect();
        client.send(sized(5000) + "half of it");
        ASSERT_TRUE(eventually([] { return begun == 1; }));
    }
    EXPECT_TRUE(eventually([] { return failed == 1; }));
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(UploadsTest, AnErrorInTheMiddleIsAnsweredAtOnce) {
    auto client = connect();
    client.send(sized(5'000'000) + "wrong!");
    const auto answer = client.receive();
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(UploadsTest, AnAccountHasOneAtATimeAndOthersAreNotDelayed) {
    static constexpr Operation of_account{.method = http::Method::put,
                                          .path = "/v1/test/{}/rows",
                                          .scope = api::Scope::catalogue,
                                          .answerer = add_named_by_body,
                                          .needs = model::Scope::account_read,
                                          .pool = Pool::uploading};
    server.reset();
    offer(of_account);
    for (const auto* name : {"1", "2"}) {
        callers.emplace(name, key_of(make_account(), model::Scopes::all()));
    }
    server.emplace(clock, random, options, router, local_router,
                   [](std::uint16_t) { return std::string{"{}"}; });
    ASSERT_TRUE(server->start());
    const auto put = [](int account, std::string_view fields) {
        return "PUT /v1/test/7/rows HTTP/1.1\r\nHost: a\r\nAccount: " + std::to_string(account) +
               "\r\n" + std::string{fields} + "\r\n\r\n";
    };
    auto slow = connect();
    slow.send(put(1, "Content-Length: 5000") + "half of it");
    ASSERT_TRUE(eventually([] { return begun == 1; }));
    auto second = connect();
    second.send(put(1, "Expect: 100-continue\r\nContent-Length: 5000"));
    const auto refused = second.receive();
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.header("Retry-After"), "10");
    auto other = connect();
    other.send(put(2, "Content-Length: 3") + "abc");
    EXPECT_EQ(other.receive().status, 200);
    slow.hang_up();
    ASSERT_TRUE(eventually([] { return failed == 1; }));
    EXPECT_TRUE(eventually([&] {
        auto again = connect();
        again.send(put(1, "Content-Length: 3") + "abc");
        return again.receive().status == 200;
    })) << "its place is free again";
}

TEST_F(UploadsTest, UploadsThatWaitForTheirSendersHoldUpNoOtherCalls) {
    std::vector<http::testing::RawClient> slow;
    for (int number = 0; number < 2; ++number) {
        slow.push_back(connect());
        slow.back().send(sized(5000) + "half of it");
    }
    ASSERT_TRUE(eventually([] { return begun == 2; }));
    EXPECT_EQ(get("/admin/status").status, 200);
    auto third = connect();
    third.send(sized(3) + "abc");
    EXPECT_EQ(third.receive().status, 503) << "the local operator has two";
}

TEST_F(UploadsTest, NoneIsLeftWhenTheServiceStops) {
    auto client = connect();
    client.send(sized(5000) + "half of it");
    ASSERT_TRUE(eventually([] { return begun == 1; }));
    service.stop();
    EXPECT_EQ(failed, 1);
    EXPECT_EQ(client.receive().status, 503);
}

TEST_F(UploadsTest, TheChangeOfACallerWhoHasLostItsRightsMeanwhileIsRefused) {
    const auto account = make_account();
    const auto made =
        post("/keys", R"({"account":")" + account + R"(","scopes":["account:read"]})");
    callers.emplace("1", admission::Principal::of(*directory.find_key(sha256(made.text("key")))));
    static constexpr Operation reading{.method = http::Method::patch,
                                       .path = "/v1/test/{}/rows",
                                       .scope = api::Scope::catalogue,
                                       .answerer = add_named_by_body,
                                       .needs = model::Scope::account_read,
                                       .pool = Pool::uploading};
    server.reset();
    offer(reading);
    server.emplace(clock, random, options, router, local_router,
                   [](std::uint16_t) { return std::string{"{}"}; });
    ASSERT_TRUE(server->start());
    auto client = connect();
    client.send(
        "PATCH /v1/test/7/rows HTTP/1.1\r\nHost: a\r\nAccount: 1\r\nContent-Length: 6\r\n\r\nabc");
    ASSERT_TRUE(eventually([] { return begun == 1; }));
    EXPECT_EQ(del("/keys/" + made.text("id")).status, 200);
    client.send("def");
    EXPECT_EQ(client.receive().status, 403);
    EXPECT_EQ(names().size(), 1U);
}

TEST_F(UploadsTest, AStoppedServersStoreTakesThemToo) {
    TextUpload body{"abc"};
    const auto outcome = manage->run(uploading,
                                     {.method = http::Method::post,
                                      .path = "/v1/test/7/rows",
                                      .query = "",
                                      .body = "",
                                      .upload = &body},
                                     admission::Principal::local());
    EXPECT_EQ(outcome.status, 200) << outcome.body;
    EXPECT_THAT(names(), ElementsAre("3"));
    EXPECT_EQ(manage->handle_upload(http::Method::post, "/v1/keys", "", "text/csv", body).status,
              405)
        << "it takes no body in pieces";
}

}  // namespace
}  // namespace merpati::api::manage::testing
