// For tests of the webhook of the official platform: a connector that takes posts.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.hpp"
#include "connector/platform_webhook.hpp"
#include "http/body_receiver.hpp"
#include "http/reply.hpp"

namespace merpati::api {

/// Takes every post, and says of it what the test wants.
struct FakeWebhook final : connector::PlatformWebhook {
    [[nodiscard]] std::optional<std::string> challenge(std::string_view mode,
                                                       std::string_view token,
                                                       std::string_view challenge) const override {
        return mode == "subscribe" && token == "a b" ? std::optional{std::string{challenge}}
                                                     : std::nullopt;
    }
    [[nodiscard]] bool has_secret() const override { return secret; }
    [[nodiscard]] Standing standing_of(const std::string& client) const override {
        const auto found = standings.find(client);
        return found == standings.end() ? Standing::stranger : found->second;
    }
    void note_verified(const std::string& client) override { standings[client] = Standing::known; }
    void take(Post post, Done done) override {
        taken.push_back(std::move(post.body));
        signatures.push_back(post.signature);
        clients.push_back(std::move(post.client));
        if (answer) {
            done(*answer);
        } else {
            waiting.push_back(std::move(done));
        }
    }

    bool secret = true;
    std::optional<Result<Taken>> answer = Taken::stored;  // Empty: it answers later.
    std::vector<std::string> taken;
    std::vector<Sha256> signatures;
    std::vector<std::string> clients;
    std::map<std::string, Standing> standings;
    std::vector<Done> waiting;
};

/// Keeps the answer.
struct Caught final : http::ReplySink {
    void deliver(http::Reply&& given) override { reply = std::move(given); }
    std::optional<http::Reply> reply;
};

struct IdleFeed final : http::BodyFeed {
    void go_on(std::uint64_t /*hold*/) override {}
};

}  // namespace merpati::api
