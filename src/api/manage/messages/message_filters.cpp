#include "api/manage/messages/message_filters.hpp"

#include <algorithm>
#include <limits>

#include "api/manage/engine/lookup.hpp"
#include "api/manage/engine/typed_number.hpp"
#include "base/ascii.hpp"

namespace merpati::api::manage {
namespace {

constexpr std::string_view states =
    "pending, sending, handed_over, sent, failed, cancelled or held";
constexpr std::size_t end_digits_min = 4;     // Fewer would select too many.
constexpr std::size_t number_digits_min = 8;  // Of a whole number.
constexpr std::size_t text_bytes_max = 128;

/// Takes the field `to`: a number, or its last digits.
void take_recipient(Fields& fields, store::MessageFilter& filter) {
    const auto to = fields.text("to", typed_number_bytes_max);
    auto number = to ? international(*to) : std::nullopt;
    if (to && (!number || number->size() < end_digits_min)) {
        fields.mistake("to", "must be a number, or its last digits, at least four");
    } else if (to && number->size() < number_digits_min && may_be_an_end(*to)) {
        filter.recipient_end = std::move(number);
    } else {
        filter.recipient = std::move(number);
    }
}

std::optional<model::Source> parse_source(std::string_view word) {
    return word == "api"        ? std::optional{model::Source::api}
           : word == "campaign" ? std::optional{model::Source::campaign}
                                : std::nullopt;
}

}  // namespace

MessageFilters::MessageFilters(Fields& fields) {
    account_ = fields.account();
    filter_.state = fields.word("state", model::parse_message_state, states);
    take_recipient(fields, filter_);
    filter_.device = fields.word("device", parse_typed, "the number of a device");
    if (const auto code = fields.integer("code", 1, std::numeric_limits<std::uint16_t>::max())) {
        filter_.code = static_cast<model::StatusCode>(*code);
    }
    filter_.source = fields.word("source", parse_source, "api or campaign");
    filter_.since = fields.time("since");
    filter_.until = fields.time("until");
    if (filter_.since && filter_.until && *filter_.since >= *filter_.until) {
        fields.mistake("since", "must be before until");
    }
    if (const auto text = fields.text("text", text_bytes_max)) {
        filter_.words = store::words_of(*text);
        if (filter_.words.empty()) {
            fields.mistake("text", "must have a word: letters or digits");
        }
    }
    note("account", account_.value_or(""));
    note("state", filter_.state ? model::to_string(*filter_.state) : "");
    note("to", filter_.recipient.value_or(""));
    note("to_end", filter_.recipient_end.value_or(""));
    note("device", filter_.device ? filter_.device->text() : "");
    note("code", filter_.code ? std::to_string(static_cast<int>(*filter_.code)) : "");
    note("source", !filter_.source                              ? ""
                   : *filter_.source == model::Source::campaign ? "campaign"
                                                                : "api");
    note("since", filter_.since ? to_rfc3339(*filter_.since) : "");
    note("until", filter_.until ? to_rfc3339(*filter_.until) : "");
    for (const auto& word : filter_.words) {
        note("text", word);
    }
}

/// `value` must have no line break, which separates the filters in `list_`.
void MessageFilters::note(std::string_view name, std::string_view value) {
    if (!value.empty()) {
        list_.append("\n").append(name).append("=").append(value);
    }
}

Result<store::MessageFilter> MessageFilters::of(const Context& context, Call& call) const {
    const auto owner = find_owner(context, call, account_);
    if (!owner) {
        return pass(owner);
    }
    if ((filter_.recipient || filter_.recipient_end) && *owner &&
        call.principal.sees_masked(**owner)) {
        return fail(ErrorCode::forbidden,
                    "the numbers of recipients are masked for viewers, who cannot look for one");
    }
    if (!filter_.words.empty() && *owner && call.principal.sees_masked(**owner)) {
        return fail(ErrorCode::forbidden, "viewers cannot search in texts");
    }
    auto filter = filter_;
    filter.account = *owner;
    filter.since = context.queue_time(filter.since);
    filter.until = context.queue_time(filter.until);
    return filter;
}

}  // namespace merpati::api::manage
