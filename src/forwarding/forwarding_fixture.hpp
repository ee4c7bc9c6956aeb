// For tests of forwarding: a node that passes requests on, and one that works.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forwarding/channel_text.hpp"
#include "forwarding/forwarder.hpp"
#include "forwarding/node_secret.hpp"
#include "forwarding/passage_text.hpp"
#include "forwarding/receiving_desk.hpp"
#include "forwarding/sending_desk.hpp"
#include "http/server_fixture.hpp"

namespace merpati::forwarding {

using namespace std::chrono_literals;
using http::testing::Answer;
using http::testing::eventually;
using http::testing::RawClient;

/// Callers are told apart by their keys alone, whatever these are.
inline http::Party party_of(const http::Request& request) {
    return http::Party::account(
        static_cast<std::int64_t>(std::hash<std::string_view>{}(request.authorization)));
}

/// One node works for everything.
inline Owners owner_of_all(const std::optional<Owner>& owner) {
    Owners owners;
    owners.fill(owner);
    return owners;
}

/// Appends what it takes to a text, and a point at the end of the body.
class NotingReceiver final : public http::BodyReceiver {
public:
    explicit NotingReceiver(std::string& into) : into_(into) {}
    void take(std::string piece, http::PieceHold /*hold*/) override { into_ += piece; }
    void finish() override { into_ += '.'; }

private:
    std::string& into_;
};

inline std::string name_of_this_thread() {
    std::string name(16, '\0');
    pthread_getname_np(pthread_self(), name.data(), name.size());
    return name.c_str();
}

/// Where requests are carried out. /echo answers body and headers, and the name of its thread,
/// /wait and /shards/{} keep the Responders, /upload counts the bytes of a body, /pages answers
/// with as many bytes as its query says.
class WorkingNode {
public:
    explicit WorkingNode(const Clock& clock, Random& random, const NodeSecret& secret)
        : desk_(secret, http::testing::refusal_text, {}, party_of, telemetry::Log::none()) {
        add_routes();
        desk_.open(routes);
        desk_.add_routes(router_);
        http::Options options{.listen = {"127.0.0.1:0"}};
        options.limits.sweep_interval = 2ms;
        server_.emplace(clock, random, options, router_, router_, http::testing::refusal_text);
        EXPECT_TRUE(server_->start());
    }

    [[nodiscard]] std::string address() const { return server_->addresses().at(0); }
    void stop() {
        server_.reset();
        desk_.stop();
    }
    void leave() { desk_.leave(); }
    void drain(std::chrono::milliseconds patience) { desk_.drain(patience); }

    /// The Responders of /wait, once there are `count`.
    std::vector<http::Responder> take(std::size_t count) {
        EXPECT_TRUE(eventually([&] {
            const std::lock_guard lock{mutex_};
            return waiting_.size() >= count;
        }));
        const std::lock_guard lock{mutex_};
        return std::exchange(waiting_, {});
    }

    http::Router routes;
    std::atomic<int> calls{0};
    static constexpr std::size_t large = std::size_t{4} << 20;  // The largest body of /wait.

private:
    class CountingReceiver final : public http::BodyReceiver {
    public:
        explicit CountingReceiver(http::Responder responder) : responder_(std::move(responder)) {}
        void take(std::string piece, http::PieceHold /*hold*/) override { bytes_ += piece.size(); }
        void finish() override { responder_.send({.body = std::to_string(bytes_)}); }

    private:
        http::Responder responder_;
        std::size_t bytes_ = 0;
    };
    class RepeatingSource final : public http::BodySource {
    public:
        explicit RepeatingSource(std::size_t bytes) : left_(bytes) {}
        void next(http::BodyWriter writer) override {
            std::string piece(std::min(left_, std::size_t{100'000}), 'x');
            left_ -= piece.size();
            if (left_ > 0) {
                writer.give(std::move(piece));
            } else {
                writer.finish(std::move(piece));
            }
        }

    private:
        std::size_t left_;
    };

    void add_routes() {
        using http::Method;
        routes.add(
            Method::post, "/echo", [this](const http::Request& request, http::Responder responder) {
                ++calls;
                auto text = std::string{request.query} + "|" + std::string{request.body};
                for (const auto& [name, value] : request.headers) {
                    text += "\n" + std::string{name} + ": " + std::string{value};
                }
                http::Reply reply{
                    .status = 201, .body = std::move(text), .content_type = "text/plain"};
                reply.add_header("X-Peer", request.peer.text());
                reply.add_header("X-Thread", name_of_this_thread());
                reply.add_header("X-Way", std::string{request.is_encrypted ? "tls" : "plain"} +
                                              (request.from_local_socket ? " socket" : ""));
                responder.send(std::move(reply));
            });
        for (const auto method : {Method::get, Method::post}) {
            for (const auto* path : {"/wait", "/shards/{}"}) {
                const auto keep = [this](const http::Request&, http::Responder responder) {
                    ++calls;
                    const std::lock_guard lock{mutex_};
                    waiting_.push_back(std::move(responder));
                };
                routes.add(method, path, keep, large);
            }
        }
        routes.add_upload(Method::post, "/upload",
                          [](const http::Request&, http::Responder responder,
                             const http::PieceHold&) -> std::unique_ptr<http::BodyReceiver> {
                              return std::make_unique<CountingReceiver>(std::move(responder));
                          });
        routes.add(
            Method::get, "/pages", [](const http::Request& request, http::Responder responder) {
                const auto bytes = static_cast<std::size_t>(std::stoul(std::string{request.query}));
                responder.send({.source = std::make_unique<RepeatingSource>(bytes)});
            });
    }

    std::mutex mutex_;
    std::vector<http::Responder> waiting_;
    ReceivingDesk desk_;
    http::Router router_;
    std::optional<http::Server> server_;
};

/// `requests_max`: of the forwarder. `channels`: /echo and /wait may take them.
template <std::size_t requests_max = 100, bool channels = false>
struct ForwardingFixture : ::testing::Test {
    ForwardingFixture() {
        using http::Method;
        for (const auto method : {Method::get, Method::head, Method::post, Method::put,
                                  Method::patch, Method::del, Method::options, Method::other}) {
            router.add_upload(method, "/*",
                              [this](const http::Request& request, http::Responder responder,
                                     const http::PieceHold&) {
                                  return sending.take(Shard{0}, request, std::move(responder));
                              });
        }
        for (const auto method : {http::Method::get, http::Method::post}) {
            router.add_upload(method, "/shards/{}",
                              [this](const http::Request& request, http::Responder responder,
                                     const http::PieceHold&) {
                                  const auto shard =
                                      http::match_path("/shards/{}", request.path).value_or("");
                                  return sending.take(parse_shard(shard).value_or(0), request,
                                                      std::move(responder));
                              });
        }
        if constexpr (channels) {
            add_brief_routes();
        }
        http::Options options{.listen = {"127.0.0.1:0"}};
        options.limits.sweep_interval = 2ms;
        server.emplace(clock, random, options, router, router, http::testing::refusal_text);
        EXPECT_TRUE(server->start());
        forwarder.start();
    }
    ~ForwardingFixture() override {
        forwarder.stop();
        server->stop();
    }

    void add_brief_routes() {
        for (const auto method : {http::Method::get, http::Method::post}) {
            for (const auto* path : {"/echo", "/wait", "/pages"}) {
                const auto pass_on = [this](const http::Request& request,
                                            http::Responder responder) {
                    sending.pass_on(Shard{0}, request, std::move(responder), AnswerSize::brief);
                };
                router.add(method, path, pass_on, WorkingNode::large);
            }
        }
    }

    /// The node works for everything, in a new life.
    void let_work(const WorkingNode& node) {
        forwarder.set_owners(
            owner_of_all(Owner{.node = 1, .generation = ++generation, .address = node.address()}));
    }
    static std::optional<Owner> owner_at(std::int64_t node, const WorkingNode& where) {
        return Owner{.node = node, .generation = 1, .address = where.address()};
    }
    RawClient connect() { return RawClient::connect(server->addresses().at(0)); }
    /// Sends a request for /wait, which the first node begins.
    std::pair<RawClient, std::vector<http::Responder>> begin_at_first(std::string_view line,
                                                                      std::string_view body) {
        let_work(first);
        auto client = connect();
        client.send(request(line, body));
        return {std::move(client), first.take(1)};
    }
    static std::string request(std::string_view line, std::string_view body = {},
                               std::string_view headers = {}) {
        return std::string{line} + " HTTP/1.1\r\nHost: a\r\n" + std::string{headers} +
               "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
    }

    testing::ManualClock clock;
    testing::FixedRandom random;
    NodeSecret secret = NodeSecret::of("a secret of all nodes");
    Forwarder forwarder{
        clock,
        http::testing::refusal_text,
        {.requests_max = requests_max, .channel_request = channels ? channel_request(secret) : ""},
        telemetry::Log::none()};
    SendingDesk sending{
        forwarder, secret,
        [](const http::Request& request) { return request.method == http::Method::get; }, party_of};
    http::Router router;
    std::optional<http::Server> server;
    WorkingNode first{clock, random, secret};
    WorkingNode second{clock, random, secret};
    std::int64_t generation = 0;
};

}  // namespace merpati::forwarding
