#include "api/send/bulk_message.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "api/send/answers.hpp"

namespace merpati::api {

std::size_t count_accepted(const BulkMessages& messages) {
    return static_cast<std::size_t>(std::ranges::count_if(
        messages, [](const BulkMessage& one) { return one.end.has_value(); }));
}

std::string bulk_answer(const BulkMessages& messages) {
    std::string text;
    text.reserve(64 + messages.size() * 128);
    const auto accepted = count_accepted(messages);
    fmt::format_to(std::back_inserter(text), R"({{"accepted":{},"refused":{},"results":[)",
                   accepted, messages.size() - accepted);
    for (const auto& one : messages) {
        text += &one == &messages.front() ? "" : ",";
        append_bulk_result(text, one.end, one.recipient, one.recipient_quoted);
    }
    text += "]}";
    return text;
}

}  // namespace merpati::api
