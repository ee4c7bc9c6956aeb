// What one request asks for, the same for both revisions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "admission/refusal.hpp"
#include "api/json_fields.hpp"
#include "base/random.hpp"
#include "model/account.hpp"
#include "model/message.hpp"

namespace merpati::api {

using admission::Refusal;

/// How the two revisions differ (interface 9.2). A field that is empty does not exist there.
struct RevisionRules {
    model::Revision revision = model::Revision::a;
    std::string_view text_field;      // "message" or "pesan"
    std::string_view callback_field;  // "callbackStatus" or none
    std::string_view typing_field;    // "typing" or none
    std::uint32_t delay_max = 0;      // Seconds.
};
extern const RevisionRules revision_a;  // send/revision_a.cpp
extern const RevisionRules revision_b;  // send/revision_b.cpp

/// The fields, decoded one by one. Each function is one check of decisions.md's order, so that the
/// operation can call them in that order; a refusal says which one failed.

template <class T>
using Decoded = std::variant<T, Refusal>;

/// `Type`: exactly `text` or `media`.
[[nodiscard]] Decoded<model::MessageType> decode_type(const JsonFields& fields);

/// The content: for text a string that is not only white space; for media the caption, or "".
[[nodiscard]] Decoded<std::string> decode_content(const JsonFields& fields,
                                                  const RevisionRules& rules,
                                                  model::MessageType type);

/// `url`, for media: present and a string that is not empty. Its form is judged later.
[[nodiscard]] Decoded<std::string> decode_media_url(const JsonFields& fields);

/// `from` as digits, or "" when it is missing or of another type.
[[nodiscard]] std::string decode_sender(const JsonFields& fields);

struct Recipient {
    std::string text;
    bool quoted = true;  // Came as a JSON string.
};
/// `to`: a string that is not empty, or an integer; of any length, the body's size is the limit.
[[nodiscard]] Decoded<Recipient> decode_recipient(const JsonFields& fields);

/// `delay` in seconds. Missing: empty, which sends at once ("within 1 second", interface 2.1).
/// `random`: drawn here, once, uniform in [1, min(random_max, the revision's bound)].
[[nodiscard]] Decoded<std::optional<std::chrono::seconds>> decode_delay(const JsonFields& fields,
                                                                        const RevisionRules& rules,
                                                                        std::uint32_t random_max,
                                                                        Random& random);

[[nodiscard]] Decoded<bool> decode_typing(const JsonFields& fields, const RevisionRules& rules);

/// `callbackStatus` as it came, or "" when it is missing or empty. Its form is judged later.
[[nodiscard]] Decoded<std::string> decode_callback(const JsonFields& fields,
                                                   const RevisionRules& rules);

/// Characters (code points) of valid UTF-8.
[[nodiscard]] std::size_t count_characters(std::string_view text) noexcept;

}  // namespace merpati::api
