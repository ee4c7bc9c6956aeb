#include "api/json_fields.hpp"

#include <algorithm>

#include "api/json_fields_handler.hpp"

namespace merpati::api {

std::optional<JsonFields> JsonFields::parse(std::string_view body) {
    json::parse_options options;
    options.max_depth = levels_max;
    json::basic_parser<JsonFieldsHandler> parser{options};
    json::error_code error;
    const std::size_t used = parser.write_some(false, body.data(), body.size(), error);
    const auto rest = body.substr(std::min(used, body.size()));
    if (error || !parser.done() || rest.find_first_not_of(" \t\r\n") != std::string_view::npos) {
        return std::nullopt;
    }
    return std::move(parser.handler().result);
}

const JsonField* JsonFields::find(std::string_view name) const noexcept {
    for (const auto& [field, value] : fields_) {
        if (field == name) {
            return &value;
        }
    }
    return nullptr;
}

JsonField* JsonFields::find(std::string_view name) noexcept {
    return const_cast<JsonField*>(std::as_const(*this).find(name));
}

}  // namespace merpati::api
