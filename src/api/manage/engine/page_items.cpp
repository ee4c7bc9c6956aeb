#include "api/manage/engine/page_items.hpp"

#include <string_view>

namespace merpati::api::manage {
namespace {

constexpr std::size_t number_bytes = 24;  // Of any number, or of a word.

std::size_t string_bytes(std::string_view text) noexcept {
    std::size_t bytes = text.size() + 2;
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20) {
            bytes += 5;  // \u001f
        } else if (c == '"' || c == '\\') {
            bytes += 1;
        }
    }
    return bytes;
}

}  // namespace

std::size_t json_bytes(const boost::json::value& value) noexcept {
    std::size_t bytes = 2;
    if (const auto* text = value.if_string()) {
        return string_bytes(*text);
    }
    if (const auto* array = value.if_array()) {
        for (const auto& item : *array) {
            bytes += json_bytes(item) + 1;
        }
        return bytes;
    }
    if (const auto* object = value.if_object()) {
        for (const auto& [key, item] : *object) {
            bytes += string_bytes(key) + json_bytes(item) + 2;
        }
        return bytes;
    }
    return number_bytes;
}

bool PageItems::add(boost::json::value item) {
    const auto bytes = json_bytes(item) + 1;
    if (!items_.empty() && bytes_ + bytes > bytes_max) {
        return false;
    }
    bytes_ += bytes;
    items_.push_back(std::move(item));
    return true;
}

}  // namespace merpati::api::manage
