#include "connector/process/codec/fields.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace merpati::connector::process {
namespace {

constexpr std::size_t code_bytes_max = 64;

}  // namespace

std::string Fields::text(std::string_view name, std::size_t bytes_max) {
    const auto* value = find(name);
    if (value == nullptr || !value->is_string() || value->get_string().size() > bytes_max) {
        refuse(name);
        return {};
    }
    return std::string{value->get_string()};
}

std::string Fields::text_or_empty(std::string_view name, std::size_t bytes_max) {
    return find(name) == nullptr ? std::string{} : text(name, bytes_max);
}

std::string Fields::code_or_empty(std::string_view name) {
    auto code = text_or_empty(name, code_bytes_max);
    if (!std::ranges::all_of(code, [](char c) { return c >= ' ' && c <= '~'; })) {
        refuse(name);
    }
    return code;
}

std::string Fields::words(std::string_view name, std::size_t bytes_max) const {
    const auto* value = find(name);
    if (value == nullptr || !value->is_string()) {
        return {};
    }
    return std::string{utf8_prefix(value->get_string(), bytes_max)};
}

std::uint64_t Fields::count(std::string_view name, std::uint64_t lowest, std::uint64_t highest) {
    const auto* value = find(name);
    std::optional<std::uint64_t> number;
    if (value != nullptr && value->is_uint64()) {
        number = value->get_uint64();
    } else if (value != nullptr && value->is_int64() && value->get_int64() >= 0) {
        number = static_cast<std::uint64_t>(value->get_int64());
    }
    if (!number || *number < lowest || *number > highest) {
        refuse(name);
        return lowest;
    }
    return *number;
}

std::optional<std::uint64_t> Fields::count_if(std::string_view name, std::uint64_t lowest,
                                              std::uint64_t highest) {
    return find(name) == nullptr ? std::nullopt : std::optional{count(name, lowest, highest)};
}

bool Fields::flag(std::string_view name) {
    const auto* value = find(name);
    if (value == nullptr) {
        return false;
    }
    if (!value->is_bool()) {
        refuse(name);
        return false;
    }
    return value->get_bool();
}

model::PhoneNumber Fields::device() {
    const auto number = model::PhoneNumber::parse(text("device", 15));
    if (!number) {
        refuse("device");
    }
    return number.value_or(model::PhoneNumber{});
}

const boost::json::object* Fields::object_if(std::string_view name) {
    const auto* value = find(name);
    if (value != nullptr && !value->is_object()) {
        refuse(name);
    }
    return value != nullptr && value->is_object() ? &value->get_object() : nullptr;
}

void Fields::refuse(std::string_view name) {
    if (wrong_.empty()) {
        wrong_ = name;
    }
}

const boost::json::value* Fields::find(std::string_view name) const {
    const auto* value = object_.if_contains(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

}  // namespace merpati::connector::process
