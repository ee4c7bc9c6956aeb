// Which messages a list or a search is about.
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

/// All that is given holds together.
struct MessageFilter {
    std::optional<model::AccountId> account;
    std::optional<model::MessageState> state;
    std::optional<model::PhoneNumber> device{};
    std::optional<std::string> recipient{};   // As the caller of the send wrote it.
    std::optional<model::StatusCode> code{};  // Of messages that have ended, or are held.
    std::optional<model::Source> source{};
    std::optional<Timestamp> since{};          // Of acceptance, in queue time.
    std::optional<Timestamp> until{};          // Before this.
    std::vector<std::string> words{};          // All of them in the details of the end (words_of).
    std::optional<model::MessageId> before{};  // `next` of the page before.
    std::size_t limit = 50;
};

struct MessagePage {
    std::vector<MessageRecord> records;
    /// `before` of the page that follows; empty: this is the last. Of an id that a page ended at
    /// without finding it, the tail is 0.
    std::optional<model::MessageId> next;
};

/// The words of a text, each once, in lower case: letters and digits of ASCII, and all bytes beyond
/// it. Everything else separates them.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

/// Whether all these words, as words_of makes them, are among the text's.
[[nodiscard]] bool has_words(std::string_view text, const std::vector<std::string>& words);

}  // namespace merpati::store
