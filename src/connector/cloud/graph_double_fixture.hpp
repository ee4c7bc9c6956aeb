// A small stand-in for the official platform, for unit tests.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>

#include "connector/cloud/cloud.hpp"
#include "connector/platform_webhook.hpp"
#include "outbound/scripted_server_fixture.hpp"

namespace merpati::connector::cloud {

/// Operation: answers each request by the script, or takes it. The default script plays what the
/// simulator's recipients do (simulator/recipients.hpp), and posts their statuses to the webhook,
/// again and again until they are stored.
///
/// Threads: one of its own; the rest from any.
class GraphDouble {
public:
    static constexpr const char* app_secret = "app-secret";
    static constexpr const char* verify_token = "verify-token";
    static constexpr const char* client = "192.0.2.1";  // From which it posts.

    GraphDouble();
    ~GraphDouble();
    GraphDouble(const GraphDouble&) = delete;
    GraphDouble& operator=(const GraphDouble&) = delete;

    struct Seen {
        std::string method;
        std::string path;  // Below the version, with its query.
        std::string token;
        std::string body;
        boost::json::object json;  // Empty: the body is no JSON.
    };
    /// An answer with an empty text is none: the connection is closed.
    struct Reply {
        int status = 200;
        std::string body = "{}";
        std::string headers{};
        bool silent = false;  // No answer, and no end.
    };
    /// Empty: the default script answers.
    using Script = std::function<std::optional<Reply>(const Seen&)>;
    void play(Script script);

    [[nodiscard]] std::vector<Seen> seen() const;
    /// The requests whose path ends so.
    [[nodiscard]] std::vector<Seen> seen(std::string_view path_end) const;

    [[nodiscard]] Options options() const;
    /// Where events are posted from now on.
    void attach(PlatformWebhook* webhook);
    /// Nothing is posted to it any more.
    void detach(const PlatformWebhook* webhook);
    /// Posts the body, signed, until it is stored; at once on the calling thread.
    void post(const std::string& body);

    /// The platform's error envelope.
    [[nodiscard]] static Reply refusal(int status, std::int64_t code, std::string_view title,
                                       std::string_view details);
    [[nodiscard]] static Sha256 sign(std::string_view body, std::string_view secret);
    /// A webhook's body with one status, or one text message.
    [[nodiscard]] static std::string status_body(std::string_view number_id,
                                                 std::string_view platform_id,
                                                 std::string_view status, std::string_view opaque,
                                                 std::int64_t code = 0,
                                                 std::string_view at = "1700000000");
    [[nodiscard]] static std::string inbound_body(std::string_view number_id,
                                                  std::string_view platform_id,
                                                  std::string_view sender, std::string_view text);

private:
    [[nodiscard]] outbound::ScriptedReply answer(const std::string& head);
    [[nodiscard]] Reply take(const Seen& request);
    void post_later(std::string body);

    mutable std::mutex mutex_;
    std::vector<Seen> seen_;
    Script script_;
    std::map<std::string, int> attempts_;  // By the message's opaque data.
    int given_ = 0;                        // Ids.

    std::recursive_mutex webhook_mutex_;
    PlatformWebhook* webhook_ = nullptr;

    boost::asio::io_context io_;
    outbound::ScriptedServer server_{io_,
                                     [this](int, const std::string& head) { return answer(head); }};
    std::thread thread_;
};

/// A connector to the stand-in, from which nothing is posted to it after its end.
class CloudToDouble final : public Cloud {
public:
    CloudToDouble(const Clock& clock, GraphDouble& graph, Options options)
        : Cloud(clock, std::move(options), telemetry::Log::none()), graph_(graph) {
        graph_.attach(platform_webhook());
    }
    ~CloudToDouble() override { graph_.detach(platform_webhook()); }

private:
    GraphDouble& graph_;
};

}  // namespace merpati::connector::cloud
