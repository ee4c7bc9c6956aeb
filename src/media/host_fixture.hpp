// For the tests of the fetcher's parts: scripted media hosts, and a scripted resolver.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include "media/request_tools.hpp"
#include "outbound/client.hpp"
#include "outbound/scripted_server_fixture.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::media {

/// Gives the answers of a name one after the other, and repeats the last one. Other names are
/// 127.0.0.1.
class ScriptedNames final : public outbound::Resolver {
public:
    explicit ScriptedNames(boost::asio::io_context& io) : io_(io) {}

    Ticket resolve(const std::string& host, Done done) override {
        const auto ticket = ++last_;
        waiting_.emplace(ticket, std::move(done));
        boost::asio::post(io_, [this, ticket, answer = answer(host)] {
            if (const auto found = waiting_.extract(ticket); !found.empty()) {
                found.mapped()(answer);
            }
        });
        return ticket;
    }
    void cancel(Ticket ticket) override { waiting_.erase(ticket); }

    void will_answer(const std::string& host, const std::vector<const char*>& texts) {
        outbound::Addresses addresses;
        for (const auto* text : texts) {
            addresses.push_back(boost::asio::ip::make_address(text));
        }
        names_[host].emplace_back(std::move(addresses));
    }
    void will_fail(const std::string& host) {
        names_[host].emplace_back(fail(ErrorCode::unreachable, "no such name"));
    }

private:
    Result<outbound::Addresses> answer(const std::string& host) {
        const auto found = names_.find(host);
        if (found == names_.end()) {
            return outbound::Addresses{boost::asio::ip::make_address("127.0.0.1")};
        }
        auto& answers = found->second;
        auto first = answers.front();
        if (answers.size() > 1) {
            answers.pop_front();
        }
        return first;
    }

    boost::asio::io_context& io_;
    Ticket last_ = 0;
    std::map<Ticket, Done> waiting_;
    std::map<std::string, std::deque<Result<outbound::Addresses>>> names_;
};

/// An answer with a Content-Length. `headers`: lines that end in CRLF.
[[nodiscard]] inline std::string answer(const std::string& status, const std::string& headers,
                                        const std::string& body = {}) {
    return "HTTP/1.1 " + status + "\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

[[nodiscard]] inline std::string redirect(const std::string& location) {
    return answer("302 Found", "Location: " + location + "\r\n");
}

/// The operator allows only 127.0.0.1, where one server stands for all hosts. It answers by path.
/// HEAD gets the head of GET's answer, unless it has a script of its own.
struct HostTest : ::testing::Test {
    using Script = std::function<outbound::ScriptedReply(const std::string& head)>;

    ~HostTest() override { client.close(); }

    void serve(const std::string& path, Script script) { scripts[path] = std::move(script); }
    void serve(const std::string& path, const std::string& bytes) {
        serve(path, [bytes](const std::string&) { return outbound::ScriptedReply{bytes}; });
    }

    [[nodiscard]] std::string url(const std::string& path,
                                  const std::string& host = "files.test") const {
        return "http://" + host + ":" + std::to_string(server.port()) + path;
    }

    /// How many requests began with `line`, for example "GET /a ".
    [[nodiscard]] int asked(const std::string& line) const {
        int count = 0;
        for (const auto& one : heads) {
            count += one.starts_with(line) ? 1 : 0;
        }
        return count;
    }

    /// Runs the io_context until `happened`; fails the test after 10 s of real time.
    template <class Condition>
    void run_until(Condition happened) {
        for (int steps = 0; !happened(); ++steps) {
            ASSERT_LT(steps, 200'000) << "it does not happen";
            ASSERT_GT(io.run_one_for(std::chrono::seconds{10}), 0U) << "nothing happens";
        }
    }

    boost::asio::io_context io;
    testing::ManualClock clock;
    outbound::AddressPolicy policy{{outbound::Cidr::parse("127.0.0.1").value()}};
    ScriptedNames names{io};
    outbound::Client client{clock, io.get_executor(), policy, names, {}};
    RedirectFollower redirects{clock, policy, client};
    const Sniffer sniffer = Sniffer::open().value();
    SuspectHosts suspects{{}, 1, clock.steady_now(), {}};
    RequestTools tools{clock, redirects, sniffer, suspects};
    std::map<std::string, Script> scripts;
    std::vector<std::string> heads;
    outbound::ScriptedServer server{io, [this](int, const std::string& head) {
                                        heads.push_back(head);
                                        return reply_to(head);
                                    }};

private:
    outbound::ScriptedReply reply_to(const std::string& head) {
        const auto method = head.substr(0, head.find(' '));
        const auto path_at = method.size() + 1;
        const auto path = head.substr(path_at, head.find(' ', path_at) - path_at);
        if (const auto own = scripts.find(method + " " + path); own != scripts.end()) {
            return own->second(head);
        }
        const auto found = scripts.find(path);
        auto reply = found == scripts.end() ? outbound::ScriptedReply{answer("404 Not Found", "")}
                                            : found->second(head);
        const auto head_end = reply.bytes.find("\r\n\r\n");
        if (method == "HEAD" && head_end != std::string::npos) {
            reply = {.bytes = reply.bytes.substr(0, head_end + 4)};
        }
        return reply;
    }
};

}  // namespace merpati::media
