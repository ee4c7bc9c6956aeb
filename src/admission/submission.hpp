// What a caller wants to be sent, as it was read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/account.hpp"
#include "model/message.hpp"

namespace merpati::admission {

/// When a message is to be sent, as it was asked for.
struct Delay {
    enum class Kind : std::uint8_t { none, seconds, random, malformed };
    Kind kind = Kind::none;
    std::uint32_t seconds = 0;
};

/// A message before any check: whoever decodes one judges nothing, so that the first refusal is
/// that of the first check that fails, whatever the form the message came in.
struct Submission {
    model::Revision revision = model::Revision::a;
    std::optional<model::MessageType> type;  // Empty: missing, or no type of ours.
    std::optional<std::string> content;      // The text or caption; empty: none.
    std::string media_url;                   // "": missing.
    std::string sender;                      // "": missing, or no number.
    std::string recipient;                   // The same; of any length.
    bool recipient_quoted = true;            // Came as a JSON string.
    Delay delay;
    std::optional<bool> typing = false;                      // Empty: neither yes nor no.
    std::optional<std::string> callback_url{std::in_place};  // "": the account's. Empty: no text.
};

}  // namespace merpati::admission
