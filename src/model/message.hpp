// One message, from the request that asked for it to its final state.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "model/account.hpp"
#include "model/ids.hpp"

namespace merpati::model {

enum class MessageType : std::uint8_t { text, media };
[[nodiscard]] std::string_view to_string(MessageType type) noexcept;

/// The class of a message in its lane: API messages go before campaign messages. Stored as a
/// number: append only.
enum class Source : std::uint8_t { api, campaign };

/// A template of the platform, with what its variables stand for.
struct FilledTemplate {
    std::string name;
    std::string language;
    std::vector<std::string> values;     // Of its body's variables, in their order.
    std::string header{};                // Of its header's variable; empty: it has none.
    std::vector<std::string> buttons{};  // Of its buttons that have one each, in their order.
    friend bool operator==(const FilledTemplate&, const FilledTemplate&) = default;
};

/// A template as its recipient reads it: its own texts, as the platform had them when the message
/// was sent, with the variables filled.
struct SentTemplate {
    std::string name;
    std::string language;
    std::string header{};  // Empty: it has none, or a file.
    std::string body;
    std::string footer{};
    std::vector<std::string> buttons{};  // What those open or copy that differ between messages.
    friend bool operator==(const SentTemplate&, const SentTemplate&) = default;
};

/// An accepted message. Written once, never changed.
struct Message {
    MessageId id;
    AccountId account;
    PhoneNumber device;     // The sender number.
    std::string recipient;  // As the caller wrote it; in revision A any text.
    MessageType type = MessageType::text;
    std::string body;          // The text, or the caption of media.
    std::string media_url;     // Only for media.
    std::string callback_url;  // Empty: no callback.
    /// The message is sent as it; then it has no body, and a file is that of the template's header.
    /// Null: it is a text or media.
    std::shared_ptr<const FilledTemplate> filled_template{};
    bool typing = false;
    bool recipient_quoted = true;  // `to` came as a JSON string; answers echo its type.
    Revision revision = Revision::a;
    Source source = Source::api;
    std::optional<CampaignId> campaign;           // Empty: sent over the API.
    std::uint32_t campaign_row = 0;               // Its recipient's row; 0: of no row.
    bool test = false;                            // Sent to try a campaign, outside its counts.
    Delivery delivery = Delivery::at_least_once;  // The account's choice at acceptance.
    bool charged = false;   // One credit was taken for it; a failure refunds it.
    Timestamp accepted_at;  // By the wall clock.
    Timestamp due_at;       // In queue time (base/queue_clock.hpp).
};

/// States of a message. message_state.cpp lists the permitted moves; the scheduler asserts them
/// when it ends a message. Stored as a number: append only.
///
///   pending -> sending -> sent | failed
///   pending -> cancelled
///   pending -> failed      (given up, impossible recipient, or no file)
///   sending -> handed_over (the platform accepted it and reports the result later)
///   handed_over -> sent | failed  (by its report, or without one in time)
///   handed_over -> pending        (its report is a passing failure; or the answer to its send was
///                           lost and no report came, when sending again is allowed)
///   handed_over -> held           (the same, when sending again is not allowed)
///   sending -> pending     (passing failure; or a crash, when sending again is allowed)
///   sending -> held        (crash, the connector cannot recognise a repeat, at-most-once; or the
///                           second crash of its connector's program)
///   held    -> pending | failed   (a person decides)
enum class MessageState : std::uint8_t {
    pending,
    sending,
    sent,
    failed,
    cancelled,
    held,
    handed_over,
};
[[nodiscard]] std::string_view to_string(MessageState state) noexcept;
[[nodiscard]] std::optional<MessageState> parse_message_state(std::string_view word) noexcept;

/// Whether a message may move from one state to another.
[[nodiscard]] bool may_move(MessageState from, MessageState to) noexcept;

/// Whether the state is an end: no move leaves it.
[[nodiscard]] bool is_final(MessageState state) noexcept;

}  // namespace merpati::model
