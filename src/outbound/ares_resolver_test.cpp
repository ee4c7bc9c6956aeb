#include "outbound/ares_resolver.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "outbound/name_server_fixture.hpp"

namespace merpati::outbound {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

const std::string local{"\x7f\0\0\1", 4};

struct AresResolverTest : ::testing::Test {
    void TearDown() override {
        resolver.reset();  // Before the io_context, as in the rooms.
        io.poll();
    }

    void serve(ScriptedNameServer::Script script) {
        server.emplace(io, std::move(script));
        options = {.servers = server->address(), .timeout = 100ms, .rounds = 2};
        resolver = std::make_unique<AresResolver>(io.get_executor(), options);
    }

    struct Asked {
        Resolver::Ticket ticket;
        std::optional<Result<Addresses>> answer;
    };
    Asked& ask(const std::string& host) {
        auto& one = asked.emplace_back();
        one.ticket = resolver->resolve(
            host, [&one](Result<Addresses> answer) { one.answer = std::move(answer); });
        EXPECT_FALSE(one.answer) << "done was called from within resolve";
        return one;
    }
    template <class Condition>
    bool run_until(Condition done) {
        const auto end = std::chrono::steady_clock::now() + 20s;
        while (!done() && std::chrono::steady_clock::now() < end) {
            io.run_one_for(20ms);
        }
        return done();
    }
    bool answered(const Asked& one) {
        return run_until([&one] { return one.answer.has_value(); });
    }
    ErrorCode failed(const Asked& one) {
        EXPECT_TRUE(answered(one));
        return one.answer && !*one.answer ? one.answer->error().code : ErrorCode::conflict;
    }
    std::vector<std::string> addresses(const Asked& one) {
        EXPECT_TRUE(answered(one));
        std::vector<std::string> texts;
        if (one.answer && *one.answer) {
            for (const auto& address : **one.answer) {
                texts.push_back(address.to_string());
            }
        }
        std::ranges::sort(texts);
        return texts;
    }

    asio::io_context io;
    std::optional<ScriptedNameServer> server;
    NameServerOptions options;
    std::unique_ptr<AresResolver> resolver;
    std::deque<Asked> asked;
};

std::vector<std::string> usual(const Question& question) {
    return {question.v6 ? question.answer({std::string(15, '\0') + "\1"})
                        : question.answer({local, {"\x7f\0\0\2", 4}})};
}
std::vector<std::string> silence(const Question&) {
    return {};
}

TEST_F(AresResolverTest, AnswersWithTheAddressesOfBothFamilies) {
    serve(usual);
    EXPECT_EQ(addresses(ask("both.test")),
              (std::vector<std::string>{"127.0.0.1", "127.0.0.2", "::1"}));
}

TEST_F(AresResolverTest, AnswersWithOneFamilyWhereTheOtherHasNothing) {
    serve([](const Question& question) {
        return std::vector{question.v6 ? question.answer({}) : question.answer({local})};
    });
    EXPECT_EQ(addresses(ask("four.test")), (std::vector<std::string>{"127.0.0.1"}));
}

/// A name server that answers for one family only. The resolver's timeout is far longer than the
/// test may take.
struct OneFamilyTest : AresResolverTest {
    void serve_only(bool v6) {
        serve([v6](const Question& question) {
            return question.v6 == v6 ? usual(question) : silence(question);
        });
        options.timeout = 10min;
        resolver = std::make_unique<AresResolver>(io.get_executor(), options);
    }
};

TEST_F(OneFamilyTest, DoesNotAwaitASilentAaaaOnceAHasAnswered) {
    serve_only(false);
    EXPECT_EQ(addresses(ask("four.test")), (std::vector<std::string>{"127.0.0.1", "127.0.0.2"}));
}

TEST_F(OneFamilyTest, DoesNotAwaitASilentAForLongOnceAaaaHasAnswered) {
    serve_only(true);
    EXPECT_EQ(addresses(ask("six.test")), (std::vector<std::string>{"::1"}));
}

TEST_F(AresResolverTest, AwaitsAaaaWhereANameHasNoIpv4Address) {
    int asked_for_v6 = 0;
    serve([&asked_for_v6](const Question& question) -> std::vector<std::string> {
        if (!question.v6) {
            return {question.answer({})};
        }
        return ++asked_for_v6 == 1 ? silence(question) : usual(question);
    });
    EXPECT_EQ(addresses(ask("six.test")), (std::vector<std::string>{"::1"}));
    EXPECT_EQ(asked_for_v6, 2);
}

TEST_F(OneFamilyTest, BelievesOneFamilyThatTheNameDoesNotExist) {
    serve([](const Question& question) -> std::vector<std::string> {
        return question.v6 ? silence(question) : std::vector{question.answer({}, 3)};
    });
    options.timeout = 10min;
    resolver = std::make_unique<AresResolver>(io.get_executor(), options);
    EXPECT_EQ(failed(ask("missing.test")), ErrorCode::unreachable);
}

TEST_F(OneFamilyTest, EndsWhileItAwaitsTheOtherFamily) {
    serve_only(true);
    auto& one = ask("six.test");
    ASSERT_TRUE(run_until([this] { return server->asked("six.test") > 0; }));
    resolver->cancel(one.ticket);
    io.poll();
    EXPECT_FALSE(one.answer);
}

TEST_F(AresResolverTest, KnowsTheNamesOfTheHostsFile) {
    serve(silence);
    const auto found = addresses(ask("localhost"));
    EXPECT_TRUE(std::ranges::count(found, "127.0.0.1") > 0 || std::ranges::count(found, "::1") > 0);
    EXPECT_EQ(server->asked("localhost"), 0);
}

TEST_F(AresResolverTest, TellsANameThatDoesNotExistFromAServerThatIsSilent) {
    serve([](const Question& question) -> std::vector<std::string> {
        if (question.name == "silent.test") {
            return {};
        }
        return {question.answer({}, 3)};
    });
    auto& missing = ask("missing.test");
    auto& silent = ask("silent.test");
    EXPECT_EQ(failed(missing), ErrorCode::unreachable);
    EXPECT_EQ(failed(silent), ErrorCode::timeout);
}

TEST_F(AresResolverTest, CompletesNoNameWithADomainOfTheMachine) {
    ASSERT_EQ(::setenv("LOCALDOMAIN", "corp.test", 1), 0);
    serve([](const Question& question) -> std::vector<std::string> {
        return question.name.ends_with("corp.test") ? usual(question)
                                                    : std::vector{question.answer({}, 3)};
    });
    auto& missing = ask("missing.test");
    auto& label = ask("foo");
    EXPECT_EQ(failed(missing), ErrorCode::unreachable);
    EXPECT_EQ(failed(label), ErrorCode::unreachable);
    EXPECT_EQ(server->asked("missing.test.corp.test") + server->asked("foo.corp.test"), 0);
    EXPECT_GT(server->asked("missing.test"), 0);
    ::unsetenv("LOCALDOMAIN");
}

TEST_F(AresResolverTest, ASilentServerHoldsUpNoOtherName) {
    serve([](const Question& question) -> std::vector<std::string> {
        return question.name.starts_with("silent") ? silence(question) : usual(question);
    });
    std::vector<Asked*> silent;
    for (int count = 0; count < 300; ++count) {
        silent.push_back(&ask("silent" + std::to_string(count) + ".test"));
    }
    auto& alive = ask("alive.test");
    EXPECT_FALSE(addresses(alive).empty());
    for (const auto* one : silent) {
        EXPECT_FALSE(one->answer);
    }
}

TEST_F(AresResolverTest, OutlivesAnswersThatAreNoAnswers) {
    serve([](const Question& question) -> std::vector<std::string> {
        const auto whole = usual(question).front();
        std::vector<std::string> sent{"", "x", std::string(600, '\xff'), "\1" + whole.substr(1)};
        for (std::size_t size = 2; size < whole.size(); size += 7) {
            auto cut = whole.substr(0, size);
            cut[0] = static_cast<char>(~cut[0]);  // The id of no question that was asked.
            sent.push_back(std::move(cut));
        }
        sent.push_back(whole);
        return sent;
    });
    auto& one = ask("garbage.test");
    ASSERT_TRUE(answered(one));
    if (*one.answer) {
        EXPECT_FALSE((*one.answer)->empty());
    }
}

TEST_F(AresResolverTest, AsksAgainOverTcpWhereAnAnswerWasCut) {
    std::vector<std::string> many;
    for (int count = 0; count < 3'000; ++count) {
        many.push_back(
            {'\x7f', '\2', static_cast<char>(count / 250), static_cast<char>(count % 250)});
    }
    serve([&many](const Question& question) -> std::vector<std::string> {
        if (!question.tcp) {
            return {question.answer({}, 0x0200)};
        }
        return {question.v6 ? question.answer({}) : question.answer(many)};
    });
    auto& one = ask("huge.test");
    ASSERT_TRUE(answered(one));
    ASSERT_TRUE(*one.answer);
    EXPECT_EQ((*one.answer)->size(), many.size());
}

TEST_F(AresResolverTest, RequestsForOneNameShareOneLookUp) {
    serve(usual);
    for (int count = 0; count < 50; ++count) {
        ask("shared.test");
    }
    for (const auto& one : asked) {
        EXPECT_EQ(addresses(one).size(), 3U);
    }
    EXPECT_EQ(server->asked("shared.test"), 1);
    EXPECT_EQ(addresses(ask("shared.test")).size(), 3U);
    EXPECT_EQ(server->asked("shared.test"), 2) << "results are not cached";
}

TEST_F(AresResolverTest, CancelsForOneOfManyAndForTheLast) {
    serve(silence);
    auto& first = ask("shared.test");
    auto& second = ask("shared.test");
    ASSERT_TRUE(run_until([this] { return server->asked("shared.test") > 0; }));
    resolver->cancel(first.ticket);
    EXPECT_EQ(failed(second), ErrorCode::timeout);
    EXPECT_FALSE(first.answer);
    auto& third = ask("shared.test");
    resolver->cancel(third.ticket);
    resolver->cancel(third.ticket);
    auto& fourth = ask("shared.test");
    EXPECT_EQ(failed(fourth), ErrorCode::timeout);
    EXPECT_FALSE(third.answer);
}

TEST_F(AresResolverTest, AHandlerMayResolveAndCancel) {
    serve(usual);
    bool again = false;
    resolver->resolve("handler.test", [&](const Result<Addresses>&) {
        resolver->cancel(1);
        resolver->cancel(2);
        resolver->resolve("handler.test", [&again](const Result<Addresses>&) { again = true; });
    });
    auto& cancelled = ask("handler.test");
    ASSERT_EQ(cancelled.ticket, 2U);
    EXPECT_TRUE(run_until([&again] { return again; }));
    EXPECT_FALSE(cancelled.answer);
}

TEST_F(AresResolverTest, EndsAtOnceWithLookUpsUnderWay) {
    serve(silence);
    auto& one = ask("silent.test");
    ASSERT_TRUE(run_until([this] { return server->asked("silent.test") > 0; }));
    resolver.reset();
    io.poll();
    EXPECT_FALSE(one.answer);
}

}  // namespace
}  // namespace merpati::outbound
