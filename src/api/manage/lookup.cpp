#include "api/manage/lookup.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace merpati::api::manage {

Result<model::Account> find_account(const Context& context, std::string_view id) {
    if (const auto parsed = model::AccountId::parse(id)) {
        auto reader = context.store.open_reader();
        if (!reader) {
            return pass(reader);
        }
        auto found = (*reader)->account(*parsed);
        if (!found) {
            return pass(found);
        }
        if (*found) {
            return **std::move(found);
        }
    }
    return fail(ErrorCode::not_found,
                fmt::format("there is no account {}: see `merpati account list`", id));
}

Result<model::ApiKey> find_key(const Context& context, std::string_view id) {
    const auto parsed = model::KeyId::parse(id);
    const auto keys = context.directory.keys(std::nullopt);
    const auto found = std::ranges::find_if(
        keys, [&parsed](const model::ApiKey& key) { return parsed && key.id == *parsed; });
    if (found == keys.end()) {
        return fail(ErrorCode::not_found,
                    fmt::format("there is no key {}: see `merpati key list ACCOUNT`", id));
    }
    return *found;
}

Result<std::shared_ptr<const model::Device>> find_device(const Context& context,
                                                         std::string_view number) {
    const auto parsed = model::PhoneNumber::parse(number);
    auto found = parsed ? context.directory.find_device(*parsed) : nullptr;
    if (found == nullptr) {
        return fail(ErrorCode::not_found,
                    fmt::format("there is no device {}: see `merpati device list`", number));
    }
    return found;
}

}  // namespace merpati::api::manage
