// Finding what a call names, with an error that says where to look.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/manage/context.hpp"

namespace merpati::api::manage {

/// Errors of all: not_found, also for ids that cannot be one; store_failed.

/// Inside a change, where the answer holds until it commits.
[[nodiscard]] Result<model::Account> find_account(store::Tables& tables, std::string_view id);
[[nodiscard]] Result<model::ApiKey> find_key(store::Tables& tables, std::string_view id);
[[nodiscard]] Result<model::Device> find_device(store::Tables& tables, std::string_view number);

/// The account as the store has it, with its present credit.
[[nodiscard]] Result<model::Account> find_account(const Context& context, std::string_view id);
[[nodiscard]] Result<model::ApiKey> find_key(const Context& context, std::string_view id);
[[nodiscard]] Result<std::shared_ptr<const model::Device>> find_device(const Context& context,
                                                                       std::string_view number);

/// Of a list that may be asked for one account: its id, or empty where none was named.
[[nodiscard]] Result<std::optional<model::AccountId>> find_owner(
    const Context& context, const std::optional<std::string>& account);

}  // namespace merpati::api::manage
