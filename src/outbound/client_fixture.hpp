// For the client's tests: a client, a scripted server and a scripted resolver.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "outbound/client.hpp"
#include "outbound/scripted_server_fixture.hpp"

namespace merpati::outbound {

namespace asio = boost::asio;
using namespace std::chrono_literals;

/// Gives its answers one after the other, and repeats the last one.
class ScriptedResolver final : public Resolver {
public:
    explicit ScriptedResolver(asio::io_context& io) : io_(io) {}

    Ticket resolve(const std::string&, Done done) override {
        const auto ticket = static_cast<Ticket>(++asked);
        waiting_.emplace(ticket, std::move(done));
        if (!silent) {
            auto answer = answers.front();
            if (answers.size() > 1) {
                answers.pop_front();
            }
            asio::post(io_, [this, ticket, answer] {
                if (const auto found = waiting_.extract(ticket); !found.empty()) {
                    found.mapped()(answer);
                }
            });
        }
        return ticket;
    }
    void cancel(Ticket ticket) override { cancelled += static_cast<int>(waiting_.erase(ticket)); }

    void will_answer(std::initializer_list<const char*> texts) {
        Addresses addresses;
        for (const auto* text : texts) {
            addresses.push_back(asio::ip::make_address(text));
        }
        answers.emplace_back(std::move(addresses));
    }

    std::deque<Result<Addresses>> answers;
    bool silent = false;
    int asked = 0;
    int cancelled = 0;

private:
    asio::io_context& io_;
    std::map<Ticket, Done> waiting_;
};

/// The operator allows only 127.0.0.1. The server also listens on 127.0.0.2, which is private.
template <class ClockUsed>
struct ClientFixture : ::testing::Test {
    void SetUp() override { resolver.will_answer({"127.0.0.1"}); }
    void TearDown() override { client.close(); }

    void answer_with(ScriptedServer::Script script) { server.emplace(io, std::move(script)); }
    void answer_with(ScriptedReply reply) {
        answer_with([reply](int, const std::string&) { return reply; });
    }

    [[nodiscard]] Request request(const std::string& method = "GET",
                                  const std::string& host = "example.test") const {
        Request made;
        made.method = method;
        made.url =
            Url::parse("http://" + host + ":" + std::to_string(server->port()) + "/path").value();
        made.timeout = 5s;
        return made;
    }

    Result<Response> fetch(Request asked) {
        std::optional<Result<Response>> result;
        client.send(std::move(asked), [&result](Result<Response> got) { result = std::move(got); });
        while (!result && io.run_one_for(10s) > 0) {
        }
        return result ? std::move(*result) : fail(ErrorCode::busy, "the handler was not called");
    }

    ErrorCode failure(Request asked) {
        const auto result = fetch(std::move(asked));
        EXPECT_FALSE(result);
        return result ? ErrorCode::conflict : result.error().code;
    }

    asio::io_context io;
    ClockUsed clock;
    AddressPolicy policy{{Cidr::parse("127.0.0.1").value()}};
    ScriptedResolver resolver{io};
    ClientOptions options;
    Client client{clock, io.get_executor(), policy, resolver, options};
    std::optional<ScriptedServer> server;
};

inline const ScriptedReply fine{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"};

}  // namespace merpati::outbound
