// Decodes the body of POST /v1/messages/bulk.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/submission.hpp"
#include "base/error.hpp"

namespace merpati::api {

/// One message of the body, not judged yet.
struct BulkItem {
    /// The field `key`.
    struct Key {
        std::string text;  // "": it is no string.
        /// The message without its key, as the body of a `POST /v1/send` without blanks: by it a
        /// repeat is told from another message with the same key.
        std::string content;
    };

    admission::Submission submission;
    std::size_t bytes = 0;  // Of its names and values.
    std::optional<Key> key;
};

/// The body: `{"messages":[…]}`, perhaps with `account` and `dry_run`.
struct BulkBody {
    static constexpr std::size_t bytes_max = 8UL * 1024 * 1024;
    static constexpr std::size_t messages_max = 1'000;
    /// The most names in one message; its limit keeps the memory near the body's size.
    static constexpr std::size_t names_max = 4'096;

    std::optional<std::string> account;
    bool dry_run = false;
    std::vector<BulkItem> messages;

    /// Reads the whole of `body`, strictly (JsonFields). A message's fields are decoded as those of
    /// revision A (decode), which refuses none. Errors: invalid_argument, with a sentence for the
    /// caller: not one JSON object in UTF-8, an unknown field beside `messages`, none or too many
    /// messages, one that is not an object, or has a field twice or too many.
    [[nodiscard]] static Result<BulkBody> parse(std::string_view body);
};

}  // namespace merpati::api
