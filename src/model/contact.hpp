// People who are kept for campaigns, and numbers that campaigns must not reach.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "model/ids.hpp"

namespace merpati::model {

/// That a person has agreed to get messages.
struct Consent {
    std::string source;  // Where: "form on the web site".
    Timestamp at;        // By the wall clock.
    std::string text;    // What the person agreed to.
    friend bool operator==(const Consent&, const Consent&) = default;
};

/// A person, kept by an account for later campaigns.
struct Contact {
    AccountId account;
    PhoneNumber number;
    std::string name;
    std::vector<std::pair<std::string, std::string>> values;  // By name; names differ.
    std::vector<std::string> tags;                            // Sorted, without repeats.
    std::optional<Consent> consent;
    Timestamp created_at;
    Timestamp updated_at;

    static constexpr std::size_t values_max = 64;
    static constexpr std::size_t tags_max = 32;
    static constexpr std::size_t tag_bytes_max = 64;
    friend bool operator==(const Contact&, const Contact&) = default;
};

/// Why campaigns must not reach a number. Stored as a word.
enum class SuppressionReason : std::uint8_t { manual, import, opt_out, unregistered };
[[nodiscard]] std::string_view to_string(SuppressionReason reason) noexcept;
[[nodiscard]] std::optional<SuppressionReason> parse_suppression_reason(
    std::string_view word) noexcept;

struct Suppression {
    AccountId account;
    PhoneNumber number;
    SuppressionReason reason = SuppressionReason::manual;
    Timestamp at;                        // By the wall clock.
    std::optional<CampaignId> campaign;  // To which the person answered, or that met 1001.
    friend bool operator==(const Suppression&, const Suppression&) = default;
};

}  // namespace merpati::model
