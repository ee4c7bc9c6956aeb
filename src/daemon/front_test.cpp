// Which node carries a request out, and what becomes of it while accounts move. The rooms are
// played: an operation answers with the name of its node.
#include "daemon/front.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/manage/engine/problem.hpp"
#include "base/digest.hpp"
#include "daemon/gateway_fixture.hpp"
#include "daemon/late_answer_fixture.hpp"
#include "http/server_fixture.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::daemon {
namespace {

using namespace std::chrono_literals;
using admission::Stay;
using http::Method;
using http::testing::eventually;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const model::AccountId toko{1};
const model::AccountId warung{2};

/// What a request is about, and whose it is.
struct Asked {
    std::string key{};                        // Empty: a person who is not signed in.
    std::optional<model::AccountId> about{};  // Which only the operation finds out.
    std::string body{};
    bool is_local = false;  // By the management socket.
};

struct FrontTest : ::testing::Test {
    /// A node. Its operations look first whether they are about an account that is elsewhere.
    class Machine {
    public:
        Machine(FrontTest& test, std::int64_t id)
            : test_(test),
              settings_(settings_of(test.folder)),
              front_(test.clock, test.random, settings_, telemetry::Log::none(),
                     forwarding::NodeSecret::of("a secret of all nodes")),
              node_{.id = {.node = id, .generation = 1},
                    .entry = {.name = fmt::format("node-{}", id), .address = {}, .version = "1"}} {
            EXPECT_TRUE(front_.start());
            node_.entry.address = front_.told_address();
            front_.attend(ownership, callers_, webhook_);
            for (const auto& operation : api::operations()) {
                add(operation);
            }
            front_.open(passed_);
        }
        Machine(const Machine&) = delete;
        Machine& operator=(const Machine&) = delete;

        [[nodiscard]] Front& front() { return front_; }
        [[nodiscard]] store::Node& node() { return node_; }
        [[nodiscard]] const std::string& name() const { return node_.entry.name; }

        LateAnswerPtr ask(Method method, std::string_view path, const Asked& asked = {}) {
            auto answer = std::make_shared<LateAnswer>();
            const auto bearer = "Bearer " + asked.key;
            const auto about = std::to_string(asked.about.value_or(model::AccountId{}).value);
            const std::array headers{http::Request::Header{"X-About", about}};
            http::Request request{.method = method, .path = path, .headers = headers};
            request.authorization = asked.key.empty() ? std::string_view{} : bearer;
            request.from_local_socket = asked.is_local;
            const auto match = own_.find(method, path);
            if (match.upload != nullptr) {
                const auto receiver =
                    (*match.upload)(request, http::Responder{answer}, http::PieceHold{nullptr, 0});
                if (receiver != nullptr) {
                    receiver->take(asked.body, http::PieceHold{nullptr, 0});
                    receiver->finish();
                }
            } else {
                request.body = asked.body;
                (*match.handler)(request, http::Responder{answer});
            }
            return answer;
        }

        /// Of its accounts.
        admission::Ownership ownership{Stay::elsewhere};
        std::atomic<int> calls{0};

    private:
        static config::Settings settings_of(const testing::TemporaryFolder& folder) {
            auto settings = settings_in(folder);
            settings.cluster.listen = "127.0.0.1:0";
            return settings;
        }

        void add(const api::Operation& operation) {
            const std::string path{operation.path};
            if (operation.is_for_strangers()) {
                return;
            }
            if (operation.is_upload() || operation.takes_body()) {
                const http::UploadHandler handler = [this](const http::Request& request,
                                                           http::Responder responder,
                                                           const http::PieceHold& /*hold*/) {
                    return receive(request, std::move(responder));
                };
                passed_.add_upload(operation.method, path, handler);
                own_.add_upload(operation.method, path, front_.guard(operation, handler));
            } else {
                const http::Handler handler = [this](const http::Request& request,
                                                     http::Responder responder) {
                    const bool asks = request.method == Method::get;
                    answer(about(request), request.body, std::move(responder), asks);
                };
                passed_.add(operation.method, path, handler);
                own_.add(operation.method, path, front_.guard(operation, handler));
            }
        }

        static std::int64_t about(const http::Request& request) {
            return std::stoll(std::string{request.header("X-About").value_or("0")});
        }
        void answer(std::int64_t about, std::string_view body, http::Responder responder,
                    bool asks = false) {
            const model::AccountId account{about};
            const bool is_here =
                asks ? ownership.answers_for(account) : ownership.works_for(account);
            if (about != 0 && !is_here) {
                responder.send(
                    api::manage::reply_of(api::manage::elsewhere(account), api::Language::english));
                return;
            }
            ++calls;
            responder.send({.body = fmt::format("{} {}", name(), body)});
        }
        /// A bulk, whose account may be in its body, is looked at when that has come; an upload
        /// before.
        std::unique_ptr<http::BodyReceiver> receive(const http::Request& request,
                                                    http::Responder responder) {
            const auto account = about(request);
            if (request.path == "/v1/messages/bulk" || account == 0 ||
                ownership.works_for(model::AccountId{account})) {
                return std::make_unique<Receiver>(*this, account, std::move(responder));
            }
            answer(account, {}, std::move(responder));
            return nullptr;
        }
        class Receiver final : public http::BodyReceiver {
        public:
            Receiver(Machine& machine, std::int64_t about, http::Responder responder)
                : machine_(machine), about_(about), responder_(std::move(responder)) {}
            void take(std::string piece, http::PieceHold /*hold*/) override { body_ += piece; }
            void finish() override { machine_.answer(about_, body_, std::move(responder_)); }

        private:
            Machine& machine_;
            const std::int64_t about_;
            http::Responder responder_;
            std::string body_;
        };

        FrontTest& test_;
        const config::Settings settings_;
        Front front_;
        store::Node node_;
        const api::Callers callers_{test_.clock, test_.directory, api::AppAddress{}, {}, {}};
        const api::CloudWebhook webhook_{[] { return nullptr; }, api::AppAddress{},
                                         [] { return std::optional<std::uint64_t>{0}; }};
        http::Router own_;     // What callers of this node ask.
        http::Router passed_;  // What other nodes pass on.
    };

    FrontTest() {
        for (const auto account : {toko, warung}) {
            directory.put_account({.id = account, .name = "toko"});
            directory.put_key(
                {.id = {account.value}, .account = account, .digest = sha256(key_of(account))});
        }
        for (store::Shard shard = 0; shard < store::shard_count; ++shard) {
            owners.push_back({.shard = shard, .owner = std::nullopt});
        }
    }
    ~FrontTest() override {
        for (const auto& machine : machines) {
            machine->front().stop();
        }
    }

    static std::string key_of(model::AccountId account) {
        return fmt::format("mpt_{}", account.value);
    }
    static Asked by(model::AccountId account, std::string body = {}) {
        return {.key = key_of(account), .body = std::move(body)};
    }

    Machine& add() {
        return *machines.emplace_back(
            std::make_unique<Machine>(*this, static_cast<std::int64_t>(machines.size() + 1)));
    }
    /// Null: nobody.
    void give(store::Shard shard, Machine* machine) {
        auto& owner = owners.at(static_cast<std::size_t>(shard)).owner;
        for (const auto& each : machines) {
            const bool has_it = each.get() == machine;
            each->ownership.set(std::array{shard}, has_it ? Stay::here : Stay::elsewhere);
        }
        owner = machine == nullptr ? std::nullopt : std::optional{machine->node().id};
        tell();
    }
    void give(model::AccountId account, Machine* machine) {
        give(store::shard_of(account), machine);
    }
    void give_all(Machine& machine) {
        for (store::Shard shard = 0; shard < store::shard_count; ++shard) {
            machine.ownership.set(std::array{shard}, Stay::here);
            owners.at(static_cast<std::size_t>(shard)).owner = machine.node().id;
        }
        tell();
    }
    /// All nodes look at who works for what.
    void tell() {
        std::vector<store::Node> nodes;
        for (const auto& machine : machines) {
            nodes.push_back(machine->node());
        }
        for (const auto& machine : machines) {
            machine->front().note_owners(machine->node().id, nodes, owners);
        }
    }
    /// After some looks at what waits.
    static bool is_unanswered(LateAnswer& answer) {
        const auto until = std::chrono::steady_clock::now() + 300ms;
        while (!answer.is_there() && std::chrono::steady_clock::now() < until) {
            std::this_thread::yield();
        }
        return !answer.is_there();
    }

    testing::TemporaryFolder folder;
    testing::ManualClock clock;
    testing::FixedRandom random;
    admission::Directory directory;  // Of all nodes.
    std::vector<store::ShardOwner> owners;
    std::vector<std::unique_ptr<Machine>> machines;
};

/// Two nodes: the first works for `toko`, and the second for `warung` and all else.
struct TwoFrontsTest : FrontTest {
    TwoFrontsTest() {
        give_all(second);
        give(toko, &first);
    }

    Machine& first = add();
    Machine& second = add();
};

TEST_F(TwoFrontsTest, ACallByAKeyIsCarriedOutWhereItsAccountIs) {
    for (auto* asked : {&first, &second}) {
        EXPECT_EQ(asked->ask(Method::post, "/v1/send", by(toko, "a"))->body(), "node-1 a");
        EXPECT_EQ(asked->ask(Method::get, "/v1/messages", by(warung))->body(), "node-2 ");
    }
    EXPECT_EQ(first.front().passed_total(), 1U);
    EXPECT_EQ(second.front().passed_total(), 1U);
}

TEST_F(TwoFrontsTest, AKeyThatNobodyHasIsRefusedByTheNodeThatIsAsked) {
    EXPECT_THAT(first.ask(Method::get, "/v1/messages", {.key = "mpt_none"})->body(),
                StartsWith("node-1"));
    EXPECT_EQ(second.calls, 0);
}

TEST_F(TwoFrontsTest, WhatIsAboutNoAccountIsAnsweredByTheNodeThatIsAsked) {
    EXPECT_THAT(first.ask(Method::get, "/v1/errors", by(warung))->body(), StartsWith("node-1"));
    EXPECT_THAT(second.ask(Method::get, "/v1/errors", by(toko))->body(), StartsWith("node-2"));
}

TEST_F(TwoFrontsTest, SessionsAreAtTheNodeThatHasTheFirstShard) {
    EXPECT_THAT(first.ask(Method::post, "/v1/session")->body(), StartsWith("node-2"));
    EXPECT_THAT(second.ask(Method::post, "/v1/session")->body(), StartsWith("node-2"));
}

TEST_F(TwoFrontsTest, AnOperationThatFindsItsAccountElsewhereIsPassedOn) {
    const Asked asked{.about = warung, .body = "x", .is_local = true};
    EXPECT_EQ(first.ask(Method::post, "/v1/messages", asked)->body(), "node-2 x");
    EXPECT_EQ(second.ask(Method::post, "/v1/messages", asked)->body(), "node-2 x");
}

TEST_F(TwoFrontsTest, ABulkIsPassedOnWithItsBodyOnceThatNamesItsAccount) {
    const Asked asked{.about = warung, .body = "all of it", .is_local = true};
    EXPECT_EQ(first.ask(Method::post, "/v1/messages/bulk", asked)->body(), "node-2 all of it");
}

TEST_F(TwoFrontsTest, AnUploadOfWhichNothingWasReadIsPassedOn) {
    const Asked asked{.about = warung, .body = "all of it", .is_local = true};
    EXPECT_EQ(first.ask(Method::post, "/v1/contacts/import", asked)->body(), "node-2 all of it");
}

TEST_F(TwoFrontsTest, FilesOfSecretsAreTheOperatorsOfTheMachineThatHasTheDevice) {
    const Asked asked{.about = warung, .is_local = true};
    const auto refused = first.ask(Method::post, "/v1/devices/6281100000001/export", asked);
    EXPECT_EQ(refused->wait(), 409);
    EXPECT_THAT(refused->body(), HasSubstr(R"(\"node-2\")"));
    EXPECT_THAT(second.ask(Method::post, "/v1/devices/6281100000001/export", asked)->body(),
                StartsWith("node-2"));
}

TEST_F(TwoFrontsTest, ACallWaitsWhileNobodyWorksForItsAccount) {
    give(warung, nullptr);
    auto waiting = first.ask(Method::post, "/v1/send", by(warung, "a"));
    EXPECT_TRUE(is_unanswered(*waiting));
    EXPECT_EQ(first.ask(Method::post, "/v1/send", by(toko))->wait(), 200) << "others do not wait";
    give(warung, &second);
    EXPECT_EQ(waiting->body(), "node-2 a");
}

TEST_F(TwoFrontsTest, ACallMayWaitForItsOwnNodeToo) {
    give(warung, nullptr);
    auto waiting = first.ask(Method::post, "/v1/send", by(warung, "a"));
    EXPECT_TRUE(is_unanswered(*waiting));
    give(warung, &first);
    EXPECT_EQ(waiting->body(), "node-1 a");
}

TEST_F(TwoFrontsTest, ACallThatHasWaitedTooLongIsAnswered503) {
    give(warung, nullptr);
    auto waiting = first.ask(Method::post, "/v1/send", by(warung));
    EXPECT_TRUE(is_unanswered(*waiting));
    clock.advance(forwarding::SendingDesk::patience);
    EXPECT_EQ(waiting->wait(), 503);
    EXPECT_THAT(waiting->headers(), HasSubstr("Retry-After: 1\r\n"));
    EXPECT_THAT(waiting->headers(), Not(HasSubstr("merpati")));
    EXPECT_EQ(first.calls + second.calls, 0);
}

TEST_F(TwoFrontsTest, WhenTooManyWaitFurtherOnesOfTheSameAccountAreRefused) {
    give(toko, nullptr);
    give(warung, nullptr);
    std::vector<LateAnswerPtr> waiting;
    constexpr std::size_t share = forwarding::Forwarder::Options{}.requests_max / 2;
    while (waiting.size() < share) {
        waiting.push_back(first.ask(Method::post, "/v1/send", by(warung)));
    }
    const auto refused = first.ask(Method::post, "/v1/send", by(warung));
    EXPECT_EQ(refused->wait(), 503);
    EXPECT_THAT(refused->headers(), HasSubstr("Retry-After: 1\r\n"));
    auto other = first.ask(Method::post, "/v1/send", by(toko, "other"));
    EXPECT_TRUE(is_unanswered(*other));
    give(toko, &second);
    EXPECT_EQ(other->body(), "node-2 other");
    EXPECT_FALSE(waiting.front()->is_there());
}

TEST_F(TwoFrontsTest, StrangersAreOnePartyWhateverKeyOrCookieTheyShow) {
    give(store::Shard{0}, nullptr);
    const auto sign_in = [this](int turn) {
        return first.ask(Method::post, "/v1/session", {.key = fmt::format("mpt_none_{}", turn)});
    };
    constexpr int share = forwarding::Forwarder::Options{}.requests_max / 2;
    std::vector<LateAnswerPtr> waiting;
    for (int turn = 0; turn < share; ++turn) {
        waiting.push_back(sign_in(turn));
    }
    EXPECT_EQ(sign_in(share)->wait(), 503);
    auto known = first.ask(Method::post, "/v1/session", by(toko, "known"));
    EXPECT_TRUE(is_unanswered(*known));
}

TEST_F(TwoFrontsTest, ANodeThatHasLostAnAccountIsAskedAgainOnceAnotherWorksForIt) {
    auto& third = add();
    const auto shard = store::shard_of(warung);
    second.ownership.set(std::array{shard}, Stay::elsewhere);  // The others have not seen it yet.
    auto waiting = first.ask(Method::get, "/v1/messages", {.key = key_of(warung), .about = warung});
    EXPECT_TRUE(is_unanswered(*waiting));
    give(warung, &third);
    EXPECT_EQ(waiting->body(), "node-3 ");
    EXPECT_EQ(second.calls, 0);
}

TEST_F(TwoFrontsTest, ACallThatItsOwnNodeTakesNoMoreGoesToTheNext) {
    const Asked asked{.key = key_of(toko), .about = toko, .body = "late"};
    first.ownership.set(std::array{store::shard_of(toko)}, Stay::elsewhere);
    auto waiting = first.ask(Method::post, "/v1/send", asked);
    EXPECT_TRUE(is_unanswered(*waiting));
    give(toko, &second);
    EXPECT_EQ(waiting->body(), "node-2 late");
}

TEST_F(TwoFrontsTest, WhileAnAccountLeavesItsNodeSaysWhatItStillCarriesOut) {
    give(toko, nullptr);
    first.ownership.set(std::array{store::shard_of(toko)}, Stay::leaving);
    const Asked asked{.key = key_of(toko), .about = toko};
    EXPECT_EQ(first.ask(Method::get, "/v1/messages", asked)->body(), "node-1 ");
    auto change = first.ask(Method::post, "/v1/messages", asked);
    EXPECT_TRUE(is_unanswered(*change));
    give(toko, &second);
    EXPECT_EQ(change->body(), "node-2 ");
}

TEST_F(TwoFrontsTest, WhileTheFirstShardLeavesNobodySignsIn) {
    give(store::Shard{0}, nullptr);
    second.ownership.set(std::array{store::Shard{0}}, Stay::leaving);
    auto waiting = second.ask(Method::post, "/v1/session");
    EXPECT_TRUE(is_unanswered(*waiting));
    give(store::Shard{0}, &first);
    EXPECT_EQ(waiting->body(), "node-1 ");
}

TEST_F(TwoFrontsTest, ANodeThatLeavesIsAskedNothingMoreByThoseWhoHaveSeenIt) {
    second.node().state = store::Node::State::leaving;
    tell();
    auto waiting = first.ask(Method::post, "/v1/send", by(warung));
    EXPECT_TRUE(is_unanswered(*waiting));
    EXPECT_EQ(second.ask(Method::post, "/v1/send", by(warung))->body(), "node-2 ")
        << "it still answers its own callers";
    give(warung, &first);
    EXPECT_EQ(waiting->body(), "node-1 ");
    EXPECT_EQ(second.calls, 1);
}

TEST_F(TwoFrontsTest, ANodeThatLeavesCarriesOutNothingOfOthersAnyMore) {
    second.front().leave();
    auto waiting = first.ask(Method::post, "/v1/send", by(warung));
    EXPECT_TRUE(is_unanswered(*waiting));
    EXPECT_EQ(second.calls, 0);
    give(warung, &first);
    EXPECT_EQ(waiting->body(), "node-1 ");
}

TEST_F(TwoFrontsTest, ANodeThatLeavesGivesThoseWithoutAccountsTimeToSeeIt) {
    const auto takes = [](Front& front) {
        const auto began = std::chrono::steady_clock::now();
        front.leave();
        front.drain(0ms);
        return std::chrono::steady_clock::now() - began;
    };
    give_all(first);  // The second one works for nothing, and passes on what it is asked.
    EXPECT_EQ(second.ask(Method::post, "/v1/send", by(toko))->wait(), 200);
    EXPECT_GE(takes(first.front()), 250ms);
}

TEST_F(TwoFrontsTest, ANodeThatStopsAnswersWhatStillWaitsThere) {
    give(warung, nullptr);
    auto waiting = first.ask(Method::post, "/v1/send", by(warung));
    EXPECT_TRUE(is_unanswered(*waiting));
    first.front().stop();
    EXPECT_EQ(waiting->wait(), 503);
    EXPECT_EQ(first.ask(Method::post, "/v1/send", by(warung))->wait(), 503);
}

TEST_F(TwoFrontsTest, ItIsSettledOnceAllKnowWhoWorksForWhat) {
    EXPECT_FALSE(first.front().is_settled()) << "others may know later";
    clock.advance(1s);
    EXPECT_TRUE(first.front().is_settled());
    give(warung, nullptr);
    clock.advance(1s);
    EXPECT_FALSE(first.front().is_settled()) << "nobody works for it";
    give(warung, &second);
    EXPECT_FALSE(first.front().is_settled());
    clock.advance(1s);
    EXPECT_TRUE(first.front().is_settled());
    give(toko, nullptr);
    first.ownership.set(std::array{store::shard_of(toko)}, Stay::leaving);
    clock.advance(1s);
    EXPECT_TRUE(first.front().is_settled()) << "its devices are still here";
    give(toko, &first);
    clock.advance(1s);
    first.ownership.set(std::array{store::shard_of(toko)}, Stay::elsewhere);
    EXPECT_FALSE(first.front().is_settled()) << "its own rooms do not work for it";
    EXPECT_TRUE(second.front().is_settled());
}

}  // namespace
}  // namespace merpati::daemon
