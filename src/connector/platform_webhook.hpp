// The official platform's webhook, as api/ serves it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.hpp"
#include "base/error.hpp"

namespace merpati::connector {

/// Takes what the platform posts: statuses of messages, and messages that numbers received.
///
/// Operation: the signature is verified over the raw bytes, in constant time, before anything is
/// parsed. Only events for devices whose app secret verified the body count.
///
/// Fairness: clients take turns, and known ones have half of all turns for themselves, so strangers
/// without a right signature delay the platform's posts little.
///
/// Threads: any; nothing blocks.
class PlatformWebhook {
public:
    /// The largest body (the platform's own limit).
    static constexpr std::size_t body_bytes_max = 3'145'728;

    virtual ~PlatformWebhook() = default;

    /// The answer to the platform's verification of the address. Empty: the token is wrong, none is
    /// set, or this is no verification.
    [[nodiscard]] virtual std::optional<std::string> challenge(
        std::string_view mode, std::string_view token, std::string_view challenge) const = 0;

    /// Whether any secret is known by which a body could be verified.
    [[nodiscard]] virtual bool has_secret() const = 0;

    /// The signature of a body, as X-Hub-Signature-256 has it: "sha256=" and 64 hexadecimal digits.
    /// Empty: it has another form.
    [[nodiscard]] static std::optional<Sha256> parse_signature(std::string_view header);

    /// What is known of a client, by its address.
    enum class Standing : std::uint8_t {
        known,  // A secret has verified a post of it lately.
        stranger,
        refused,  // A stranger with too many posts that no secret verified: take none for now.
    };
    [[nodiscard]] virtual Standing standing_of(const std::string& client) const = 0;
    /// Another node has verified a post of the client.
    virtual void note_verified(const std::string& client) = 0;

    struct Post {
        std::string body;
        Sha256 signature;
        std::string client;  // As for `standing_of`.
    };
    enum class Taken : std::uint8_t {
        stored,         // All that counts is durable.
        bad_signature,  // Nothing was parsed.
        no_secret,      // No body can be verified.
    };
    /// `done` is called once, on any thread, also from within the call, or not at all if the
    /// gateway stops first. Errors: those of ConnectorEvents::Stored; the platform must post the
    /// body again.
    using Done = std::move_only_function<void(Result<Taken>)>;
    virtual void take(Post post, Done done) = 0;
};

}  // namespace merpati::connector
