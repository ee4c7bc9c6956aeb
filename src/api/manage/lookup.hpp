// Finding what a call names: the one place that decides whether the caller may see it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "api/manage/call.hpp"
#include "api/manage/context.hpp"

namespace merpati::api::manage {

/// Operation: what is of an account that the caller knows nothing of is not found, in the words of
/// what does not exist. In an account that the caller knows, it must have the scope that the
/// operation needs.
///
/// Errors of all: not_found, also for ids that cannot be one; forbidden; store_failed.

/// Inside a change, where the answer holds until it commits.
[[nodiscard]] Result<model::Account> find_account(store::Tables& tables, const Call& call,
                                                  std::string_view id);
[[nodiscard]] Result<model::ApiKey> find_key(store::Tables& tables, const Call& call,
                                             std::string_view id);
[[nodiscard]] Result<model::Device> find_device(store::Tables& tables, const Call& call,
                                                std::string_view number);

/// The account as the store has it, with its present credit.
[[nodiscard]] Result<model::Account> find_account(const Context& context, const Call& call,
                                                  std::string_view id);
[[nodiscard]] Result<std::shared_ptr<const model::Device>> find_device(const Context& context,
                                                                       const Call& call,
                                                                       std::string_view number);
/// The device in the call's path, for a handler that has taken all fields: what is wrong with them
/// comes first.
[[nodiscard]] Result<std::shared_ptr<const model::Device>> find_named_device(const Context& context,
                                                                             const Call& call);
[[nodiscard]] Result<store::MessageRecord> find_message(store::Reader& reader, const Call& call,
                                                        std::string_view id);
[[nodiscard]] Result<store::MessageRecord> find_message(const Context& context, const Call& call,
                                                        std::string_view id);
/// What `show` answers of the message in the call's path and a reader of the store, for a handler
/// that has taken all fields.
template <class Show>
[[nodiscard]] Result<boost::json::value> with_named_message(const Context& context,
                                                            const Call& call, Show show) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.read([&](store::Reader& reader) -> Result<boost::json::value> {
        const auto record = find_message(reader, call, call.id);
        return record ? show(reader, *record) : pass(record);
    });
}
[[nodiscard]] Result<store::QueuedCallback> find_callback(const Context& context, const Call& call,
                                                          std::string_view id);

/// Of what a device of the caller's received.
struct FoundMedia {
    store::ReceivedMedia media;
    std::shared_ptr<const model::Device> device;
};
[[nodiscard]] Result<FoundMedia> find_received_media(const Context& context, const Call& call,
                                                     std::string_view id);

/// Of a list: the account that was named, or else the caller's only one. Empty: those of all
/// accounts, which administrators alone are told. Errors: invalid_argument too (several accounts).
[[nodiscard]] Result<std::optional<model::AccountId>> find_owner(
    const Context& context, const Call& call, const std::optional<std::string>& account);

/// Of an operation on one account: the account that was named, or else the caller's only one.
/// Errors: invalid_argument too (none was named, and the caller has not exactly one).
[[nodiscard]] Result<model::Account> find_own_account(const Context& context, const Call& call,
                                                      const std::optional<std::string>& account);
[[nodiscard]] Result<model::Account> find_own_account(store::Tables& tables, const Call& call,
                                                      const std::optional<std::string>& account);

/// Whether the caller may do what the operation does in the account; `missing` is the answer where
/// it may not even know of it. For what no function above finds.
[[nodiscard]] Result<void> check_right(const Call& call, model::AccountId account,
                                       std::unexpected<Error> missing);

}  // namespace merpati::api::manage
