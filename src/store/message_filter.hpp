// Which messages a list or a search selects.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "model/message.hpp"
#include "model/outcome.hpp"
#include "store/records.hpp"

namespace merpati::store {

/// A message must meet all conditions that are set.
struct MessageFilter {
    std::optional<model::AccountId> account;
    std::optional<model::MessageState> state;
    std::optional<model::PhoneNumber> device{};
    std::optional<std::string> recipient{};      // As the caller wrote it.
    std::optional<std::string> recipient_end{};  // Its last digits. No summary helps to find them.
    std::optional<model::StatusCode> code{};     // Of messages that have ended, or are held.
    std::optional<model::Source> source{};
    std::optional<Timestamp> since{};          // Of acceptance, in queue time.
    std::optional<Timestamp> until{};          // Exclusive.
    std::vector<std::string> words{};          // All occur in the completion's details (words_of).
    std::optional<model::MessageId> before{};  // `next` of the previous page.
    std::size_t limit = 50;
};

struct MessagePage {
    std::vector<MessageRecord> records;
    /// `before` of the next page; empty: this is the last. Its tail is 0 if the page ended at an id
    /// that it does not contain.
    std::optional<model::MessageId> next;
};

/// The words of a text, each once, in lower case. A word consists of ASCII letters and digits and
/// of bytes from 0x80 on.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

/// Whether the text contains all of `words`, which must come from words_of.
[[nodiscard]] bool has_words(std::string_view text, const std::vector<std::string>& words);

}  // namespace merpati::store
