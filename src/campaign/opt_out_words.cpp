#include "campaign/opt_out_words.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace merpati::campaign {
namespace {

constexpr std::array<std::string_view, 11> opt_out_words{
    "STOP",   "STOPALL", "UNSUBSCRIBE", "CANCEL", "END",  "QUIT",
    "REVOKE", "OPTOUT",  "BERHENTI",    "UNREG",  "UNSUB"};
constexpr std::array<std::string_view, 3> opt_in_words{"START", "UNSTOP", "MULAI"};

/// Beyond ASCII: punctuation that keyboards write by themselves or that other scripts use, and
/// characters that no one sees.
constexpr auto ignored = std::to_array<std::string_view>(
    {"\u00a1", "\u00ab", "\u00ad", "\u00b7", "\u00bb", "\u00bf", "\u200b", "\u200c",
     "\u200d", "\u200e", "\u200f", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014",
     "\u2015", "\u2018", "\u2019", "\u201a", "\u201b", "\u201c", "\u201d", "\u201e",
     "\u201f", "\u2022", "\u2026", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e",
     "\u2039", "\u203a", "\u2060", "\u2066", "\u2067", "\u2068", "\u2069", "\u3001",
     "\u3002", "\ufe0e", "\ufe0f", "\ufeff", "\uff01", "\uff0c", "\uff0e", "\uff1f"});

/// Longer messages are no such word, whatever is around it.
constexpr std::size_t reply_bytes_max = 256;

bool is_ascii_punctuation(char c) {
    return c > ' ' && c < '\x7f' && !is_letter(c) && !is_digit(c);
}

/// The word in the middle of what is ignored.
std::string_view inner_word(std::string_view text) {
    for (;;) {
        text = trim_blanks(text);
        const auto* first = std::ranges::find_if(
            ignored, [text](std::string_view one) { return text.starts_with(one); });
        const auto* last = std::ranges::find_if(
            ignored, [text](std::string_view one) { return text.ends_with(one); });
        if (first != ignored.end()) {
            text.remove_prefix(first->size());
        } else if (last != ignored.end()) {
            text.remove_suffix(last->size());
        } else if (!text.empty() && is_ascii_punctuation(text.front())) {
            text.remove_prefix(1);
        } else if (!text.empty() && is_ascii_punctuation(text.back())) {
            text.remove_suffix(1);
        } else {
            return text;
        }
    }
}

}  // namespace

Reply reply_of(std::string_view text) {
    if (text.size() > reply_bytes_max) {
        return Reply::none;
    }
    const auto word = inner_word(text);
    const auto is_word = [word](std::string_view one) { return equals_ignoring_case(one, word); };
    if (std::ranges::any_of(opt_out_words, is_word)) {
        return Reply::opt_out;
    }
    return std::ranges::any_of(opt_in_words, is_word) ? Reply::opt_in : Reply::none;
}

}  // namespace merpati::campaign
