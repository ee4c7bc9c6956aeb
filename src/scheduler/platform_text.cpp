#include "scheduler/platform_text.hpp"

#include "base/utf8.hpp"
#include "model/texts.hpp"

namespace merpati::scheduler {

std::string of_platform(std::string text, std::string_view otherwise) {
    if (text.empty()) {
        return std::string{otherwise};
    }
    text.resize(utf8_prefix(text, platform_text_max).size());
    return text;
}

model::Completion gave_up(std::string_view last) {
    model::Completion completion{.state = model::MessageState::failed,
                                 .code = model::StatusCode::failed,
                                 .details = std::string{model::details::gave_up}};
    if (!last.empty()) {
        completion.details.append(": ").append(last);
    }
    return completion;
}

}  // namespace merpati::scheduler
