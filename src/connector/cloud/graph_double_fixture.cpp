#include "connector/cloud/graph_double_fixture.hpp"

#include <future>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "base/digest.hpp"
#include "connector/cloud/codec/json_reading.hpp"

namespace merpati::connector::cloud {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

std::string header_of(const std::string& head, std::string_view name) {
    const auto begin = head.find(name);
    if (begin == std::string::npos) {
        return {};
    }
    const auto from = begin + name.size();
    return head.substr(from, head.find("\r\n", from) - from);
}

std::string in_envelope(std::string_view number_id, std::string_view list, json::object event) {
    const json::object value{{"messaging_product", "whatsapp"},
                             {"metadata", json::object{{"display_phone_number", "62811"},
                                                       {"phone_number_id", number_id}}},
                             {list, json::array{std::move(event)}}};
    const json::object root{
        {"object", "whatsapp_business_account"},
        {"entry",
         json::array{json::object{
             {"id", "1"},
             {"changes", json::array{json::object{{"field", "messages"}, {"value", value}}}}}}}};
    return json::serialize(root);
}

}  // namespace

GraphDouble::GraphDouble() {
    thread_ = std::thread{[this] { io_.run(); }};
}

GraphDouble::~GraphDouble() {
    attach(nullptr);
    io_.stop();
    thread_.join();
}

void GraphDouble::play(Script script) {
    const std::lock_guard lock{mutex_};
    script_ = std::move(script);
}

std::vector<GraphDouble::Seen> GraphDouble::seen() const {
    const std::lock_guard lock{mutex_};
    return seen_;
}

std::vector<GraphDouble::Seen> GraphDouble::seen(std::string_view path_end) const {
    auto all = seen();
    std::erase_if(all, [path_end](const Seen& one) { return !one.path.ends_with(path_end); });
    return all;
}

Options GraphDouble::options() const {
    Options options;
    options.graph.url = fmt::format("http://127.0.0.1:{}", server_.port());
    options.app_secret = app_secret;
    options.verify_token = verify_token;
    options.retry_store = 1ms;
    return options;
}

void GraphDouble::attach(PlatformWebhook* webhook) {
    const std::lock_guard lock{webhook_mutex_};
    webhook_ = webhook;
}

void GraphDouble::detach(const PlatformWebhook* webhook) {
    const std::lock_guard lock{webhook_mutex_};
    if (webhook_ == webhook) {
        webhook_ = nullptr;
    }
}

/// A platform posts again what is not answered with 200.
void GraphDouble::post(const std::string& body) {
    for (bool stored = false; !stored;) {
        const auto promise = std::make_shared<std::promise<Result<PlatformWebhook::Taken>>>();
        auto answered = promise->get_future();
        {
            const std::lock_guard lock{webhook_mutex_};
            if (webhook_ == nullptr) {
                return;
            }
            webhook_->take({.body = body, .signature = sign(body, app_secret), .client = client},
                           [promise](auto taken) { promise->set_value(std::move(taken)); });
        }
        if (answered.wait_for(5s) != std::future_status::ready) {
            return;
        }
        const auto taken = answered.get();
        stored = taken || taken.error().code == ErrorCode::shutting_down;
    }
}

void GraphDouble::post_later(std::string body) {
    auto timer = std::make_shared<boost::asio::steady_timer>(io_, 2ms);
    timer->async_wait([this, timer, body = std::move(body)](auto) { post(body); });
}

GraphDouble::Reply GraphDouble::refusal(int status, std::int64_t code, std::string_view title,
                                        std::string_view details) {
    const json::object error{
        {"message", fmt::format("(#{}) {}", code, title)},
        {"type", "OAuthException"},
        {"code", code},
        {"error_data", json::object{{"messaging_product", "whatsapp"}, {"details", details}}}};
    return {.status = status, .body = json::serialize(json::object{{"error", error}})};
}

Sha256 GraphDouble::sign(std::string_view body, std::string_view secret) {
    return hmac_sha256(as_bytes(secret), body);
}

std::string GraphDouble::status_body(std::string_view number_id, std::string_view platform_id,
                                     std::string_view status, std::string_view opaque,
                                     std::int64_t code, std::string_view at) {
    json::object event{{"id", platform_id},
                       {"status", status},
                       {"timestamp", at},
                       {"recipient_id", "628"},
                       {"biz_opaque_callback_data", opaque}};
    if (status == "failed") {
        event["errors"] = json::array{json::object{{"code", code}, {"title", "It failed"}}};
    }
    return in_envelope(number_id, "statuses", std::move(event));
}

std::string GraphDouble::inbound_body(std::string_view number_id, std::string_view platform_id,
                                      std::string_view sender, std::string_view text) {
    return in_envelope(number_id, "messages",
                       {{"from", sender},
                        {"id", platform_id},
                        {"timestamp", "1700000000"},
                        {"type", "text"},
                        {"text", json::object{{"body", text}}}});
}

outbound::ScriptedReply GraphDouble::answer(const std::string& head) {
    Seen request;
    request.method = head.substr(0, head.find(' '));
    const auto target = header_of(head, request.method + " ");
    const auto path = target.substr(0, target.find(' '));
    request.path = path.substr(path.find('/', 1) + 1);
    request.token = header_of(head, "Authorization: Bearer ");
    request.body = server_.last_body;
    request.json = parse_object(request.body).value_or(json::object{});
    Script script;
    {
        const std::lock_guard lock{mutex_};
        seen_.push_back(request);
        script = script_;
    }
    auto reply = script ? script(request) : std::nullopt;
    if (!reply) {
        reply = take(request);
    }
    if (reply->silent) {
        return {};
    }
    if (reply->body.empty()) {
        return {.bytes = {}, .close = true};
    }
    return {.bytes = fmt::format("HTTP/1.1 {} Said\r\n{}Content-Length: {}\r\n\r\n{}",
                                 reply->status, reply->headers, reply->body.size(), reply->body)};
}

GraphDouble::Reply GraphDouble::take(const Seen& request) {
    const auto number_id = request.path.substr(0, request.path.find_first_of("/?"));
    if (request.method == "GET") {
        return {.body = R"({"id":")" + number_id + R"(","status":"CONNECTED"})"};
    }
    if (request.path.ends_with("/media")) {
        return {.body = fmt::format(R"({{"id":"{}"}})", 1'000 + ++given_)};
    }
    if (!request.path.ends_with("/messages") || request.json.contains("status")) {
        return {.body = R"({"success":true})"};
    }
    const auto to = find_text(request.json, "to", 32);
    const auto opaque = find_text(request.json, "biz_opaque_callback_data", 64);
    const auto attempt = ++attempts_[opaque];
    const auto id = fmt::format("wamid.{}", ++given_);
    const auto says = [&](std::string_view status, std::int64_t code = 0) {
        return status_body(number_id, id, status, opaque, code);
    };
    if (to.ends_with("991001")) {
        return refusal(400, 131'026, "Message undeliverable", "Message undeliverable.");
    }
    if (to.ends_with("995000") && attempt == 1) {
        return refusal(500, 131'000, "Something went wrong", "");
    }
    if (to.ends_with("995003") && attempt == 1) {
        return {.body = ""};
    }
    const bool first = to.ends_with("996002");
    const int times = to.ends_with("996003") ? 3 : 1;
    if (to.ends_with("996001")) {
        post_later(says("failed", 131'026));
    } else if (to.ends_with("997000")) {
        post_later(inbound_body(number_id, "in." + id, to, "halo"));
    } else if (to.contains("99600")) {
        for (const auto* status : {"sent", "delivered", "read"}) {
            for (int time = 0; time < times; ++time) {
                first ? post(says(status)) : post_later(says(status));
            }
        }
    }
    return {.body = fmt::format(R"({{"messaging_product":"whatsapp","messages":[{{"id":"{}"}}]}})",
                                id)};
}

}  // namespace merpati::connector::cloud
