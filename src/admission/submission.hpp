// A submitted message, decoded but not checked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "model/account.hpp"
#include "model/message.hpp"

namespace merpati::admission {

/// The delay that the caller asked for.
struct Delay {
    enum class Kind : std::uint8_t { none, seconds, random, malformed };
    Kind kind = Kind::none;
    std::uint32_t seconds = 0;
};

/// A message before any check. Decoders refuse no field, so that the order of the checks alone
/// decides the refusal.
struct Submission {
    model::Revision revision = model::Revision::a;
    std::optional<model::MessageType> type;  // Empty: missing or unknown.
    std::optional<std::string> content;      // The text or caption; empty: none.
    std::string media_url;                   // "": missing.
    std::string sender;                      // "": missing, or neither a string nor an integer.
    std::string recipient;                   // The same; any text.
    bool recipient_quoted = true;            // Came as a JSON string.
    Delay delay;
    std::optional<bool> typing = false;                      // Empty: malformed.
    std::optional<std::string> callback_url{std::in_place};  // "": the account's. Empty: malformed.
    /// Of a message that is sent again; instead of a text.
    std::shared_ptr<const model::FilledTemplate> filled_template{};
};

}  // namespace merpati::admission
