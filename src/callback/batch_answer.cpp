#include "callback/batch_answer.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

namespace merpati::callback {

bool begins_object(std::string_view body) noexcept {
    const auto begin = body.find_first_not_of(" \t\r\n");
    return begin != std::string_view::npos && body[begin] == '{';
}

std::unordered_set<Uuid> asked_again(std::string_view body) {
    if (!begins_object(body) || body.size() > batch_answer_bytes_max) {
        return {};
    }
    boost::system::error_code error;
    const auto answer = boost::json::parse({body.data(), body.size()}, error);
    const auto* fields = error ? nullptr : answer.if_object();
    const auto* named = fields != nullptr ? fields->if_contains("retry") : nullptr;
    const auto* list = named != nullptr ? named->if_array() : nullptr;
    if (list == nullptr) {
        return {};
    }
    std::unordered_set<Uuid> ids;
    for (const auto& one : *list) {
        const auto* text = one.if_string();
        if (text == nullptr) {
            return {};
        }
        if (const auto id = Uuid::parse({text->data(), text->size()})) {
            ids.insert(*id);
        }
    }
    return ids;
}

}  // namespace merpati::callback
