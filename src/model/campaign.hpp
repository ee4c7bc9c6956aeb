// Campaigns: one message to many recipients (docs/campaigns.md).
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "model/ids.hpp"
#include "model/outcome.hpp"

namespace merpati::model {

///   draft <-> scheduled
///   draft, scheduled, paused -> running
///   running <-> paused
///   scheduled -> paused               (missed_schedule)
///   running -> finished               (no recipient is pending or queued)
///   scheduled, running, paused -> cancelled
///   finished, cancelled -> paused     (recipients are made pending again)
/// Stored as a word.
enum class CampaignState : std::uint8_t { draft, scheduled, running, paused, finished, cancelled };
constexpr std::size_t campaign_states_count =
    static_cast<std::size_t>(CampaignState::cancelled) + 1;
[[nodiscard]] std::string_view to_string(CampaignState state) noexcept;
[[nodiscard]] std::optional<CampaignState> parse_campaign_state(std::string_view word) noexcept;
[[nodiscard]] bool may_move(CampaignState from, CampaignState to) noexcept;
/// finished or cancelled.
[[nodiscard]] bool has_ended(CampaignState state) noexcept;

/// Why a campaign is paused, or what a running one waits for. Stored as a word; "" is none.
enum class CampaignReason : std::uint8_t {
    none,
    // Of `paused`:
    asked,            // A person paused it.
    failures,         // StopRules::failures_in_row
    unregistered,     // StopRules::unregistered_percent
    disconnected,     // A device logged out, was banned or removed.
    credit,           // Too little credit is left.
    expired,          // The account's validity is over.
    missed_schedule,  // It could not start within an hour of its time.
    opt_outs,         // StopRules::opt_outs_per_hundred
    restricted,       // The platform restricts its devices, until Campaign::until.
    // Of `running`:
    quiet_hours,
    devices,  // None of its devices can send now.
};
constexpr CampaignReason campaign_reason_last = CampaignReason::devices;
/// "" for none.
[[nodiscard]] std::string_view to_string(CampaignReason reason) noexcept;
[[nodiscard]] std::optional<CampaignReason> parse_campaign_reason(std::string_view word) noexcept;

/// Stored as a number: append only.
enum class RecipientState : std::uint8_t {
    pending,
    queued,  // Its message is in the lane of its device, or with the platform.
    sent,
    failed,
    skipped,    // It gets no message: SkipReason.
    uncertain,  // A crash interrupted its send, and nobody can tell whether it arrived.
    cancelled,  // With its message, or with its campaign.
};
constexpr std::size_t recipient_states_count =
    static_cast<std::size_t>(RecipientState::cancelled) + 1;
[[nodiscard]] std::string_view to_string(RecipientState state) noexcept;
[[nodiscard]] std::optional<RecipientState> parse_recipient_state(std::string_view word) noexcept;

/// Stored as a number: append only.
enum class SkipReason : std::uint8_t {
    none,
    invalid,    // Its number is none.
    duplicate,  // The campaign has the number in an earlier row.
    suppressed,
    frequency,    // Campaign::frequency
    excluded,     // Campaign::exclude
    empty_value,  // A variable without fallback has no value.
};
constexpr SkipReason skip_reason_last = SkipReason::empty_value;
/// "" for none.
[[nodiscard]] std::string_view to_string(SkipReason reason) noexcept;
[[nodiscard]] std::optional<SkipReason> parse_skip_reason(std::string_view word) noexcept;

enum class Purpose : std::uint8_t { marketing, transactional };
[[nodiscard]] std::string_view to_string(Purpose purpose) noexcept;
[[nodiscard]] std::optional<Purpose> parse_purpose(std::string_view word) noexcept;

/// How recipients can refuse further campaigns.
enum class OptOutWay : std::uint8_t { none, link, keyword };
[[nodiscard]] std::string_view to_string(OptOutWay way) noexcept;
[[nodiscard]] std::optional<OptOutWay> parse_opt_out_way(std::string_view word) noexcept;

/// One of several texts; recipients are shared among them by weight.
struct Variant {
    std::string message;
    std::uint32_t weight = 1;  // 1 to 1,000.
    friend bool operator==(const Variant&, const Variant&) = default;
};

/// A template that the platform has approved.
struct CampaignTemplate {
    std::string name;
    std::string language;
    // Texts with placeholders:
    std::vector<std::string> variables;  // One for each variable of its body.
    std::string header{};                // For the variable of its header; empty: it has none.
    std::vector<std::string> buttons{};  // One for each button that has a variable.
    friend bool operator==(const CampaignTemplate&, const CampaignTemplate&) = default;
};

/// Where the media come from: an address for all, or a column with one for each recipient.
struct CampaignMedia {
    std::string url;
    std::string column;  // Exactly one of both is empty.
    friend bool operator==(const CampaignMedia&, const CampaignMedia&) = default;
};

/// The time of day in which nothing is sent: from `from` until before `to`, past midnight if `to`
/// is earlier. Both are minutes after midnight in the campaign's time zone.
struct QuietHours {
    std::chrono::minutes from{0};
    std::chrono::minutes to{0};
    friend bool operator==(const QuietHours&, const QuietHours&) = default;
};

/// Recipients who get nothing, because a campaign of the account has sent them a message.
struct Exclusion {
    std::vector<CampaignId> campaigns;                   // In one of these,
    std::optional<std::uint32_t> contacted_within_days;  // or within so many days.
    friend bool operator==(const Exclusion&, const Exclusion&) = default;
};

/// At most `messages` messages of campaigns to one person within `days`.
struct Frequency {
    std::uint32_t messages = 0;
    std::uint32_t days = 0;
    friend bool operator==(const Frequency&, const Frequency&) = default;
};

/// When a running campaign pauses by itself; empty fields do not.
struct StopRules {
    std::optional<std::uint32_t> failures_in_row;       // Code 1001 counts, too.
    std::optional<std::uint32_t> unregistered_percent;  // Of the last 100, from the 20th on.
    std::optional<std::uint32_t> opt_outs_per_hundred;  // Of those sent, from the 20th on.
    friend bool operator==(const StopRules&, const StopRules&) = default;
};

/// What people choose for a campaign.
struct CampaignPlan {
    std::string name;
    Purpose purpose = Purpose::marketing;
    // Exactly one of these, once it is ready to start:
    std::optional<std::string> message;
    std::vector<Variant> variants;
    std::optional<CampaignTemplate> message_template;
    std::optional<CampaignMedia> media;
    bool typing = false;
    std::vector<PhoneNumber> devices;         // Without repeats.
    std::optional<std::uint32_t> per_minute;  // Messages of the whole campaign; empty: no limit.
    std::optional<QuietHours> quiet_hours;
    std::string timezone;                  // An IANA name, such as "Asia/Jakarta".
    std::optional<Timestamp> schedule_at;  // By the wall clock.
    std::optional<Timestamp> finish_by;    // The same; its messages are spread evenly until then.
    std::optional<Exclusion> exclude;
    std::optional<Frequency> frequency;
    StopRules stop_rules;
    OptOutWay optout = OptOutWay::link;
    std::string consent;   // Why these people may be written to; needed for marketing.
    std::string callback;  // Empty: the account's.
    friend bool operator==(const CampaignPlan&, const CampaignPlan&) = default;
};

/// How many recipients are in each state, and how many messages were delivered and read. Changed
/// only in the transaction that changes the rows.
struct CampaignCounts {
    std::array<std::int64_t, recipient_states_count> by_state{};
    std::int64_t delivered = 0;  // Those that were read included.
    std::int64_t read = 0;

    [[nodiscard]] std::int64_t& of(RecipientState state) noexcept {
        return by_state[static_cast<std::size_t>(state)];
    }
    [[nodiscard]] std::int64_t of(RecipientState state) const noexcept {
        return by_state[static_cast<std::size_t>(state)];
    }
    [[nodiscard]] std::int64_t total() const noexcept;
    /// Recipients that are pending or queued.
    [[nodiscard]] std::int64_t open() const noexcept {
        return of(RecipientState::pending) + of(RecipientState::queued);
    }
    friend bool operator==(const CampaignCounts&, const CampaignCounts&) = default;
};

/// The last ends of a campaign's messages, for its stop rules. Begins anew when it is resumed.
struct CampaignEnds {
    static constexpr std::uint32_t recent_max = 100;

    std::uint32_t failures_in_row = 0;
    /// Whether each of the last `recent_max` ended with code 1001: bit 0 of [0] is the latest.
    std::array<std::uint64_t, 2> unregistered{};
    std::uint32_t recent = 0;    // How many of those bits count.
    std::uint32_t sent = 0;      // Messages,
    std::uint32_t opt_outs = 0;  // and how many people have opted out since.

    void note(StatusCode code) noexcept;
    [[nodiscard]] std::uint32_t unregistered_recently() const noexcept;
    /// The rule that they break: failures, unregistered, opt_outs; or none.
    [[nodiscard]] CampaignReason broken(const StopRules& rules) const noexcept;
    friend bool operator==(const CampaignEnds&, const CampaignEnds&) = default;
};

struct Campaign {
    CampaignId id;
    AccountId account;
    CampaignState state = CampaignState::draft;
    CampaignReason reason = CampaignReason::none;
    std::optional<Timestamp> until;  // The end of `restricted`, by the wall clock.
    CampaignPlan plan;
    /// Names of the columns of its audience, in their order; recipients' values are in this order.
    std::vector<std::string> columns;
    CampaignCounts counts;
    CampaignEnds ends;
    /// Credits that are reserved for its recipients and not used yet.
    std::int64_t reserved = 0;
    /// The earliest due time of its next message (queue time), by `per_minute` alone; `finish_by`
    /// may put it off. Zero: it has sent nothing.
    Timestamp next_due_at{};
    Timestamp created_at{};
    std::optional<Timestamp> started_at;
    std::optional<Timestamp> finished_at;

    static constexpr std::size_t columns_max = 64;
};

/// A row of an audience.
struct Recipient {
    CampaignId campaign;
    std::uint32_t row = 0;              // From 1, in the order of upload.
    std::optional<PhoneNumber> number;  // Empty: it is invalid.
    std::string original;               // As uploaded.
    RecipientState state = RecipientState::pending;
    SkipReason reason = SkipReason::none;
    StatusCode code = StatusCode::sent;  // Of `failed`.
    /// By Campaign::columns; missing ones at the end are "".
    std::vector<std::string> values;
    std::uint32_t variant = 0;  // 1-based; 0: none, or it is not queued yet.
    std::optional<PhoneNumber>
        device;                        // Once it was queued; kept, so that a person keeps a sender.
    std::optional<MessageId> message;  // Empty: it has none (any more).
    std::optional<Progress> progress;  // delivered or read.
    Timestamp at{};                    // Of its last change, by the wall clock.
};

}  // namespace merpati::model
