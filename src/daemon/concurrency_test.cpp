// Management calls and traffic in parallel: afterwards store, memory and platform agree.
#include <algorithm>
#include <functional>
#include <future>
#include <semaphore>
#include <thread>

#include <gmock/gmock.h>

#include "daemon/concurrency_fixture.hpp"
#include "store/contacts.hpp"

namespace merpati::daemon {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int rounds = 60;  // For each thread.
constexpr int numbers_count = 8;

std::string number(std::uint64_t which) {
    return fmt::format("62811000000{:02}", which);
}

struct ConcurrencyTest : ConcurrencyFixture {
    struct Customer {
        std::string account;
        std::string key;
    };

    /// Sends a message from the first number that waits for an hour.
    void send_later(const Customer& customer) {
        const auto later = request(
            "/v1/send", customer.key,
            fmt::format(R"({{"to":"6281234567890","from":"{}","Type":"text","message":"halo",)"
                        R"("delay":"3600"}})",
                        number(1)));
        ASSERT_EQ(later.status, 200) << later.body;
    }
    Customer make_customer(std::string_view fields) {
        Customer made;
        made.account =
            post("/admin/accounts", fmt::format(R"({{"name":"Toko",{}}})", fields), "id");
        made.key = post("/keys", fmt::format(R"({{"account":"{}"}})", made.account), "key");
        return made;
    }
    std::string any_number() { return number(random.between(1, numbers_count)); }

    using Tasks = std::vector<std::function<void(int round)>>;

    /// Runs all tasks in parallel, each `rounds` times. Repeats each function of `beside` until
    /// they have ended.
    void run(const Tasks& tasks, const std::vector<std::function<void()>>& beside = {}) {
        std::atomic<bool> over = false;
        std::vector<std::jthread> others;
        for (const auto& task : beside) {
            others.emplace_back([&task, &over] {
                while (!over) {
                    task();
                }
            });
        }
        std::vector<std::jthread> threads;
        for (const auto& task : tasks) {
            threads.emplace_back([&task] {
                for (int round = 1; round <= rounds; ++round) {
                    task(round);
                }
            });
        }
        threads.clear();
        over = true;
    }

    /// One of the account's numbers, or any number if it has none.
    std::string any_number_of(const std::string& account) {
        const auto devices = directory.devices(model::AccountId::parse(account));
        return devices.empty() ? any_number()
                               : devices[random.between(0, devices.size() - 1)].number.text();
    }

    std::vector<std::string> devices_in_store() {
        return shown(*(*store->open_reader())->devices());
    }
    static std::vector<std::string> shown(const std::vector<model::Device>& devices) {
        std::vector<std::string> all;
        for (const auto& device : devices) {
            all.push_back(fmt::format("{} {} {} {} {}", device.number.text(), device.account.text(),
                                      model::to_string(device.state), device.webhook_url,
                                      to_rfc3339(device.state_since)));
        }
        std::ranges::sort(all);
        return all;
    }
    static std::vector<std::string> shown(const std::vector<model::ApiKey>& keys) {
        std::vector<std::string> all;
        for (const auto& key : keys) {
            all.push_back(fmt::format("{} {} {}", key.id.text(), key.revoked_at.has_value(),
                                      key.expires_at ? to_rfc3339(*key.expires_at) : "never"));
        }
        std::ranges::sort(all);
        return all;
    }
    static std::vector<std::string> shown(const std::vector<model::Account>& accounts) {
        std::vector<std::string> all;
        for (const auto& account : accounts) {
            all.push_back(fmt::format("{} {} {} {} {} {}", account.id.text(), account.name,
                                      account.rate.text(), account.callback_url,
                                      account.devices_max, to_base64(account.webhook_secret)));
        }
        std::ranges::sort(all);
        return all;
    }

    /// Call after `stop`.
    void expect_agreement() {
        const auto reader = *store->open_reader();
        EXPECT_EQ(devices_in_store(), shown(directory.devices(std::nullopt)));
        EXPECT_EQ(shown(*reader->keys()), shown(directory.keys(std::nullopt)));
        EXPECT_EQ(shown(*reader->accounts()), shown(directory.accounts()));
        std::set<model::PhoneNumber> connected;
        for (const auto& device : directory.devices(std::nullopt)) {
            if (device.state == model::DeviceState::connected) {
                connected.insert(device.number);
            }
        }
        EXPECT_EQ(platform->connected(), connected);
        EXPECT_EQ(platform->wrong_threads, 0);
        EXPECT_EQ(platform->wrong_senders, 0);
        EXPECT_EQ(limits.exceeded, 0);
    }
};

TEST_F(ConcurrencyTest, StoreMemoryAndPlatformAgreeAfterManagementBesideTraffic) {
    const std::vector<Customer> customers{make_customer(R"("devices_max":2,"credit":100000)"),
                                          make_customer(R"("devices_max":3,"credit":100000)"),
                                          make_customer(R"("devices_max":1000)")};
    std::array<std::atomic<int>, 3> accepted{};
    Tasks tasks;
    std::vector<std::function<void()>> traffic;
    for (std::size_t which = 0; which < customers.size(); ++which) {
        const auto& customer = customers[which];
        tasks.emplace_back([&](int round) {
            const auto reply = addnew(customer.key, any_number(),
                                      fmt::format("https://toko.example.com/{}", round));
            EXPECT_TRUE(reply.status == 200 || reply.status == 403 || reply.status == 409)
                << reply.body;
        });
        traffic.emplace_back([&, which] {
            const auto reply = send(customer.key, any_number_of(customer.account));
            EXPECT_TRUE(reply.status == 200 || reply.status == 400 || reply.status == 503)
                << reply.body;
            accepted.at(which) += reply.status == 200 ? 1 : 0;
        });
    }
    for (int operators = 0; operators < 2; ++operators) {
        tasks.emplace_back([&](int) {
            const auto path = "/devices/" + any_number();
            call(http::Method::post, path + "/disconnect");
            call(http::Method::post, path + "/connect");
            call(http::Method::del, "/devices/" + any_number());
        });
    }
    tasks.emplace_back([&](int) {
        call(http::Method::post, "/devices",
             fmt::format(R"({{"account":"{}","number":"{}"}})",
                         customers[random.between(0, 2)].account, any_number()));
    });
    run(tasks, traffic);
    stop();

    expect_agreement();
    EXPECT_GT(platform->sent, 0);
    const auto reader = *store->open_reader();
    for (std::size_t which = 0; which < 2; ++which) {
        const auto id = *model::AccountId::parse(customers[which].account);
        EXPECT_EQ((*reader->account(id))->credit, 100'000 - accepted.at(which));
    }
}

TEST_F(ConcurrencyTest, ChangesOfDifferentFieldsAllSurvive) {
    const auto customer = make_customer(R"("credit":0)");
    const auto path = "/admin/accounts/" + customer.account;
    const auto set = [&](std::string_view field, auto value_of) {
        return [this, path, field, value_of](int round) {
            const auto body = fmt::format(R"({{"{}":{}}})", field, value_of(round));
            EXPECT_EQ(call(http::Method::patch, path, body).status, 200);
        };
    };
    std::string secret;
    run({set("name", [](int round) { return fmt::format(R"("name {}")", round); }),
         set("rate", [](int round) { return fmt::format(R"("{}/min")", round); }),
         set("devices_max", [](int round) { return std::to_string(round); }),
         set("callback",
             [](int round) { return fmt::format(R"("https://a.example.com/{}")", round); }),
         [&](int) { secret = post(path + "/secret", {}, "webhook_secret"); },
         [&](int) { call(http::Method::post, path + "/topup", R"({"amount":1})"); },
         [&](int) { call(http::Method::post, path + "/topup", R"({"amount":2})"); }});
    stop();

    expect_agreement();
    const auto account =
        **(*store->open_reader())->account(*model::AccountId::parse(customer.account));
    EXPECT_EQ(account.name, fmt::format("name {}", rounds));
    EXPECT_EQ(account.rate.text(), fmt::format("{}/min", rounds));
    EXPECT_EQ(account.devices_max, rounds);
    EXPECT_EQ(account.callback_url, fmt::format("https://a.example.com/{}", rounds));
    EXPECT_EQ("whsec_" + to_base64(account.webhook_secret), secret);
    EXPECT_EQ(account.credit, rounds * 3);
}

TEST_F(ConcurrencyTest, ARevokedKeyStaysRevokedWhateverIsDoneToItAtOnce) {
    const auto customer = make_customer(R"("devices_max":1)");
    std::vector<std::string> keys;
    for (int count = 0; count < rounds; ++count) {
        keys.push_back(post("/keys", fmt::format(R"({{"account":"{}"}})", customer.account), "id"));
    }
    const auto rotate = [&](int round) {
        const auto path = "/keys/" + keys[static_cast<std::size_t>(round - 1)] + "/rotate";
        const auto status = call(http::Method::post, path, R"({"overlap_seconds":60})").status;
        EXPECT_TRUE(status == 200 || status == 409);
    };
    run({[&](int round) {
             const auto path = "/keys/" + keys[static_cast<std::size_t>(round - 1)];
             EXPECT_EQ(call(http::Method::del, path).status, 200);
         },
         rotate, rotate});
    stop();

    expect_agreement();
    for (const auto& key : directory.keys(std::nullopt)) {
        if (std::ranges::find(keys, key.id.text()) != keys.end()) {
            EXPECT_TRUE(key.revoked_at) << key.id.text();
        }
    }
}

TEST_F(ConcurrencyTest, AMessageIsNotStoredAfterTheCommitThatRevokedItsKey) {
    const auto customer = make_customer(R"("devices_max":1)");
    ASSERT_EQ(addnew(customer.key, number(1)).status, 200);
    const auto id = directory.keys(model::AccountId::parse(customer.account)).front().id;
    std::promise<void> opened;
    const auto go_on = opened.get_future().share();
    std::counting_semaphore<2> revoking{0};  // The change runs twice.
    std::promise<Result<void>> revoked;
    ASSERT_TRUE(committer.change(
        [&, go_on](store::Tables& tables) -> Result<void> {
            const auto done = tables.revoke_key(id, machine.now());
            revoking.release();
            go_on.wait();
            return done ? Result<void>{} : pass(done);
        },
        [&](Result<void> done) { revoked.set_value(std::move(done)); }));
    revoking.acquire();

    // The revocation is not committed yet, so the message is admitted, and waits for the next
    // commit.
    auto answer = std::async(std::launch::async, [&] { return send(customer.key, number(1)); });
    while (committer.counts().waiting == 0) {
        std::this_thread::yield();
    }
    opened.set_value();

    EXPECT_TRUE(revoked.get_future().get());
    EXPECT_EQ(answer.get().status, 401);
    stop();
    EXPECT_EQ(platform->sent, 0);
}

TEST_F(ConcurrencyTest, ARetryThatMayPassLaterIsAnsweredAsBusy) {
    const auto customer = make_customer(R"("devices_max":1)");
    ASSERT_EQ(addnew(customer.key, number(1)).status, 200);
    send_later(customer);
    const auto listed = call(http::Method::get, "/messages");
    const auto id =
        std::string{boost::json::parse(listed.body).at("items").at(0).at("id").as_string().c_str()};
    ASSERT_EQ(call(http::Method::post, "/messages/" + id + "/cancel").status, 200);
    ASSERT_EQ(call(http::Method::post, "/devices/" + number(1) + "/disconnect").status, 200);

    const auto refused = call(http::Method::post, "/messages/" + id + "/retry");
    EXPECT_EQ(refused.status, 503) << refused.body;
    EXPECT_EQ(refused.code, "busy");
    EXPECT_THAT(refused.headers, HasSubstr("Retry-After"));
    EXPECT_THAT(refused.body, HasSubstr("Perangkat disconnect"));
}

TEST_F(ConcurrencyTest, AMessageThatIsErasedWhileItIsSentAgainIsRefused) {
    const auto customer = make_customer(R"("devices_max":1)");
    ASSERT_EQ(addnew(customer.key, number(1)).status, 200);
    send_later(customer);
    const auto found = (*store->open_reader())->messages({})->records.front().message;
    ASSERT_EQ(call(http::Method::post, "/messages/" + found.id.text() + "/cancel").status, 200);
    ASSERT_TRUE(committer.change_and_wait([&](store::Tables& tables) -> Result<void> {
        const auto erased = tables.contacts().erase_message(found.id);
        return erased ? Result<void>{} : pass(erased);
    }));
    const auto again = messages.retry(found, admission::Principal::local());
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::conflict);
}

TEST_F(ConcurrencyTest, AQueueWhoseAccountMovesMeanwhileIsNotSaidToBeCleared) {
    const auto customer = make_customer(R"("devices_max":1)");
    ASSERT_EQ(addnew(customer.key, number(1)).status, 200);
    send_later(customer);
    std::promise<void> detached;
    scheduler.detach({*model::PhoneNumber::parse(number(1))}, model::Leave::at_once,
                     [&] { detached.set_value(); });
    detached.get_future().get();
    const auto cleared = call(http::Method::del, "/devices/" + number(1) + "/queue");
    EXPECT_EQ(cleared.status, 503) << cleared.body;
    EXPECT_EQ(cleared.code, "busy");
}

TEST_F(ConcurrencyTest, OfManyRequestsWithOneKeyOneIsCarriedOut) {
    const auto customer = make_customer(R"("credit":1000)");
    ASSERT_EQ(addnew(customer.key, number(1)).status, 200);
    std::atomic<int> added = 0;
    std::atomic<int> sent = 0;
    const auto count = [](const http::Reply& reply, std::atomic<int>& first) {
        EXPECT_TRUE(reply.status == 200 || reply.status == 409) << reply.body;
        const bool replayed = reply.headers.contains("Idempotent-Replayed");
        first += reply.status == 200 && !replayed ? 1 : 0;
    };
    const auto ask = [&](int round) {
        const auto key = fmt::format("order-{}", round);
        count(send(customer.key, number(1), "send-" + key), sent);
        count(addnew(customer.key, number(static_cast<std::uint64_t>(round) + 1), {}, "add-" + key),
              added);
    };
    run({ask, ask, ask, ask});
    stop();

    expect_agreement();
    EXPECT_EQ(sent, rounds);
    EXPECT_EQ(added, rounds);
    // The last ones may have come too late to be sent before the scheduler stopped.
    EXPECT_EQ((*store->open_reader())->messages({.limit = 2 * rounds})->records.size(), rounds);
    EXPECT_LE(platform->sent, rounds);
}

TEST_F(ConcurrencyTest, AMessageWhoseDeviceChangedHandsBetweenCheckAndCommitIsRefused) {
    const auto seller = make_customer(R"("credit":5)");
    const auto buyer = make_customer(R"("credit":5)");
    ASSERT_EQ(addnew(seller.key, number(1)).status, 200);
    // The change that removes the device waits in the committer while the send is checked.
    std::counting_semaphore<2> removing{0};  // The change runs twice.
    std::promise<void> checked;
    const auto go_on = checked.get_future().share();
    ASSERT_TRUE(committer.change(
        [&, go_on](store::Tables& tables) {
            removing.release();
            go_on.wait();
            return tables.remove_device(*model::PhoneNumber::parse(number(1)));
        },
        [](const Result<void>& removed) { EXPECT_TRUE(removed); }));
    removing.acquire();
    auto adding = std::async(std::launch::async, [&] { return addnew(buyer.key, number(1)); });
    auto reply = std::async(std::launch::async, [&] { return send(seller.key, number(1)); });
    const auto deadline = clock.steady_now() + std::chrono::seconds{20};
    while (committer.counts().waiting < 2 && clock.steady_now() < deadline) {
        std::this_thread::yield();
    }
    EXPECT_GE(committer.counts().waiting, 2U) << "both are queued behind the removal";
    checked.set_value();
    const auto refused = reply.get();
    EXPECT_EQ(adding.get().status, 200);
    EXPECT_EQ(refused.status, 400);
    EXPECT_THAT(refused.body, ::testing::HasSubstr("Nomor pengirim tidak valid"));
    stop();

    expect_agreement();
    EXPECT_EQ(platform->sent, 0);
    EXPECT_EQ((*(*store->open_reader())->account(*model::AccountId::parse(seller.account)))->credit,
              5);
}

}  // namespace
}  // namespace merpati::daemon
