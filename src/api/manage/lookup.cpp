#include "api/manage/lookup.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace merpati::api::manage {
namespace {

std::unexpected<Error> no_account(std::string_view id) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no account {}: see `merpati account list`", id));
}

std::unexpected<Error> no_key(std::string_view id) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no key {}: see `merpati key list ACCOUNT`", id));
}

std::unexpected<Error> no_device(std::string_view number) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no device {}: see `merpati device list`", number));
}

}  // namespace

Result<model::Account> find_account(store::Tables& tables, std::string_view id) {
    const auto parsed = model::AccountId::parse(id);
    if (!parsed) {
        return no_account(id);
    }
    auto found = tables.find_account(*parsed);
    if (!found) {
        return pass(found);
    }
    return *found ? Result<model::Account>{**std::move(found)} : no_account(id);
}

Result<model::ApiKey> find_key(store::Tables& tables, std::string_view id) {
    const auto parsed = model::KeyId::parse(id);
    if (!parsed) {
        return no_key(id);
    }
    auto found = tables.find_key(*parsed);
    if (!found) {
        return pass(found);
    }
    return *found ? Result<model::ApiKey>{**std::move(found)} : no_key(id);
}

Result<model::Device> find_device(store::Tables& tables, std::string_view number) {
    const auto parsed = model::PhoneNumber::parse(number);
    if (!parsed) {
        return no_device(number);
    }
    auto found = tables.find_device(*parsed);
    if (!found) {
        return pass(found);
    }
    return *found ? Result<model::Device>{**std::move(found)} : no_device(number);
}

Result<model::Account> find_account(const Context& context, std::string_view id) {
    const auto parsed = model::AccountId::parse(id);
    if (!parsed) {
        return no_account(id);
    }
    auto found = context.read([&](store::Reader& reader) { return reader.account(*parsed); });
    if (!found) {
        return pass(found);
    }
    return *found ? Result<model::Account>{**std::move(found)} : no_account(id);
}

Result<model::ApiKey> find_key(const Context& context, std::string_view id) {
    const auto parsed = model::KeyId::parse(id);
    const auto keys = context.directory.keys(std::nullopt);
    const auto found = std::ranges::find_if(
        keys, [&parsed](const model::ApiKey& key) { return parsed && key.id == *parsed; });
    if (found == keys.end()) {
        return no_key(id);
    }
    return *found;
}

Result<std::shared_ptr<const model::Device>> find_device(const Context& context,
                                                         std::string_view number) {
    const auto parsed = model::PhoneNumber::parse(number);
    auto found = parsed ? context.directory.find_device(*parsed) : nullptr;
    if (found == nullptr) {
        return no_device(number);
    }
    return found;
}

Result<std::optional<model::AccountId>> find_owner(const Context& context,
                                                   const std::optional<std::string>& account) {
    if (!account) {
        return std::nullopt;
    }
    const auto found = find_account(context, *account);
    if (!found) {
        return pass(found);
    }
    return found->id;
}

}  // namespace merpati::api::manage
