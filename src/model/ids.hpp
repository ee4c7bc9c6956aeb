// Ids: numbers given by the store, phone numbers, message ids.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/uuid.hpp"

namespace merpati::model {

/// A number given by the store, with a type of its own and a prefix in print ("acc_12").
template <class Tag>
struct RowId {
    std::int64_t value = 0;

    [[nodiscard]] std::string text() const {
        return std::string{Tag::prefix} + std::to_string(value);
    }

    /// Reads the printed form, or the bare number; no other spelling of either.
    [[nodiscard]] static std::optional<RowId> parse(std::string_view text) noexcept {
        if (text.starts_with(Tag::prefix)) {
            text.remove_prefix(Tag::prefix.size());
        }
        if (text.empty() || text.size() > 18 || text.front() == '0') {
            return std::nullopt;
        }
        std::int64_t value = 0;
        for (const char c : text) {
            if (c < '0' || c > '9') {
                return std::nullopt;
            }
            value = value * 10 + (c - '0');
        }
        return value > 0 ? std::optional{RowId{value}} : std::nullopt;
    }

    friend constexpr auto operator<=>(const RowId&, const RowId&) = default;
};

struct AccountTag {
    static constexpr std::string_view prefix = "acc_";
};
struct KeyTag {
    static constexpr std::string_view prefix = "key_";
};

struct CampaignTag {
    static constexpr std::string_view prefix = "cmp_";
};

using AccountId = RowId<AccountTag>;
using KeyId = RowId<KeyTag>;

/// Shown to receivers of callbacks as `campaignId`.
using CampaignId = RowId<CampaignTag>;

/// Shown to callers as `requestId`.
using MessageId = Uuid;

/// A callback's `webhook-id`: unique per event, the same on every attempt.
using EventId = Uuid;

/// A messaging-account number in international format: 8 to 15 digits, no leading 0 (docs/api.md,
/// Fields). Held as an integer, because callbacks carry it as one.
class PhoneNumber {
public:
    constexpr PhoneNumber() = default;

    /// Empty unless `digits` has the form above. Does not check whether such a number can exist;
    /// admission::recipient_possible does.
    [[nodiscard]] static std::optional<PhoneNumber> parse(std::string_view digits) noexcept;

    /// For numbers that come back from a store.
    [[nodiscard]] static constexpr PhoneNumber from_stored(std::int64_t value) noexcept {
        PhoneNumber number;
        number.value_ = value;
        return number;
    }

    [[nodiscard]] constexpr std::int64_t value() const noexcept { return value_; }
    [[nodiscard]] std::string text() const { return std::to_string(value_); }

    friend constexpr auto operator<=>(const PhoneNumber&, const PhoneNumber&) = default;

private:
    std::int64_t value_ = 0;
};

}  // namespace merpati::model

template <class Tag>
struct std::hash<merpati::model::RowId<Tag>> {
    std::size_t operator()(merpati::model::RowId<Tag> id) const noexcept {
        return std::hash<std::int64_t>{}(id.value);
    }
};

template <>
struct std::hash<merpati::model::PhoneNumber> {
    std::size_t operator()(merpati::model::PhoneNumber number) const noexcept {
        return std::hash<std::int64_t>{}(number.value());
    }
};
