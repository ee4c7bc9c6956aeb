// Who sends: accounts, and the API keys that speak for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "model/ids.hpp"
#include "model/scope.hpp"

namespace merpati::model {

/// `free` and `trial` accounts cannot add devices over the API (docs/api.md, Adding a device).
enum class Plan : std::uint8_t { paid, trial, free };
[[nodiscard]] std::string_view to_string(Plan plan) noexcept;
[[nodiscard]] std::optional<Plan> parse_plan(std::string_view word) noexcept;

/// How many requests an account may make: `count` per `period`, from a token bucket of `count`.
struct Rate {
    std::uint32_t count = 0;
    std::chrono::seconds period{1};  // 1 s or 1 min.

    /// "50/s", "600/min"
    [[nodiscard]] std::string text() const;
    friend bool operator==(const Rate&, const Rate&) = default;
};

/// An account's rate: the server's default, no limit, or its own.
struct RateChoice {
    enum class Kind : std::uint8_t { server_default, unlimited, own };
    Kind kind = Kind::server_default;
    Rate rate;  // Only where kind is `own`.

    /// Reads "50/s", "600/min", "none", "default". Empty: malformed, or not 1 to 1,000,000.
    [[nodiscard]] static std::optional<RateChoice> parse(std::string_view text) noexcept;
    [[nodiscard]] std::string text() const;
    friend bool operator==(const RateChoice&, const RateChoice&) = default;
};

/// What recovery does with a message whose send was in flight at a crash, on a connector that
/// cannot recognise a repeat.
enum class Delivery : std::uint8_t {
    at_least_once,  // Send it again: never lost, perhaps sent twice.
    at_most_once,   // Hold it for a person: never sent twice.
};
[[nodiscard]] std::string_view to_string(Delivery delivery) noexcept;
[[nodiscard]] std::optional<Delivery> parse_delivery(std::string_view word) noexcept;

/// How statuses for one address are posted together (docs/api.md, Callbacks in batches).
struct CallbackBatch {
    std::uint32_t max = 0;  // Events of one request: 1 to `max_most`.
    Millis wait{0};         // How long an event may wait for others: up to `wait_most`.

    static constexpr std::uint32_t max_most = 100;
    static constexpr Millis wait_most{5'000};

    /// Reads "100/200ms". Empty: malformed, or beyond the limits.
    [[nodiscard]] static std::optional<CallbackBatch> parse(std::string_view text) noexcept;
    [[nodiscard]] std::string text() const;
    friend bool operator==(const CallbackBatch&, const CallbackBatch&) = default;
};

struct Account {
    AccountId id;
    std::string name;
    Plan plan = Plan::paid;
    std::optional<std::int64_t> credit;   // Messages left; empty: not counted.
    std::optional<Timestamp> expires_at;  // End of validity; empty: never.
    RateChoice rate;
    std::string callback_url;  // Default callback; empty: none.
    Delivery delivery = Delivery::at_least_once;
    std::uint32_t devices_max = 1000;  // The plan's device limit.
    /// The country code of numbers that an audience has with a leading 0: 1 to 3 digits.
    std::string country = "62";
    std::optional<CallbackBatch> callback_batch;  // Empty: each status has its own request.
    Bytes webhook_secret;                         // 32 bytes, signs callbacks. Encrypted at rest.
    Bytes webhook_secret_previous;                // During a rotation: signs as well.
    std::optional<Timestamp> previous_secret_until;
    Timestamp created_at;
};

/// The published revision of POST /v1/send that a request uses (docs/api.md, The two revisions).
enum class Revision : std::uint8_t { a, b };
[[nodiscard]] std::string_view to_string(Revision revision) noexcept;

/// "A" or "B", in either case.
[[nodiscard]] std::optional<Revision> parse_revision(std::string_view word) noexcept;

struct ApiKey {
    KeyId id;
    AccountId account;
    std::string name;
    std::string hint;                  // First characters of the key, for recognition.
    Sha256 digest{};                   // SHA-256 of the whole key; the key itself is never kept.
    std::optional<Revision> revision;  // Pinned revision; empty: auto.
    Scopes scopes{Scope::send};
    Timestamp created_at;
    std::optional<Timestamp> expires_at;  // Set by a rotation with overlap.
    std::optional<Timestamp> revoked_at;
};

}  // namespace merpati::model
