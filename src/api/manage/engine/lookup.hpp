// Finds the object that a call names, and checks the caller's right to it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"

namespace merpati::api::manage {

/// Operation: an object of an account that the caller does not know is not found, with the same
/// text as an object that does not exist. In an account that the caller knows, it must have the
/// scope that the operation needs.
///
/// "Named" is the object in the call's path. Functions for it, and those that find the account of a
/// call outside a change, are for handlers that have taken all fields: they fail with the fields'
/// mistakes first.
///
/// Errors of all: not_found, also for a malformed id; forbidden; those of the store.

/// For use inside a change, where the result stays true until the commit.
[[nodiscard]] Result<model::Account> find_account(store::AccountTables& tables, const Call& call,
                                                  std::string_view id);
[[nodiscard]] Result<model::ApiKey> find_key(store::AccountTables& tables, const Call& call,
                                             std::string_view id);
[[nodiscard]] Result<model::Device> find_device(store::DeviceTables& tables, const Call& call,
                                                std::string_view number);

[[nodiscard]] Result<model::Campaign> find_campaign(store::Tables& tables, const Call& call,
                                                    std::string_view id);
[[nodiscard]] Result<model::Campaign> find_campaign(store::CampaignReader& reader, const Call& call,
                                                    std::string_view id);
[[nodiscard]] Result<model::Campaign> find_campaign(const Context& context, const Call& call,
                                                    std::string_view id);
[[nodiscard]] Result<model::Campaign> find_named_campaign(const Context& context, const Call& call);

/// Read from the store, because the directory does not have the present credit.
[[nodiscard]] Result<model::Account> find_account(const Context& context, const Call& call,
                                                  std::string_view id);
[[nodiscard]] Result<std::shared_ptr<const model::Device>> find_device(const Context& context,
                                                                       const Call& call,
                                                                       std::string_view number);
[[nodiscard]] Result<std::shared_ptr<const model::Device>> find_named_device(const Context& context,
                                                                             const Call& call);
[[nodiscard]] Result<store::MessageRecord> find_message(store::ListReader& reader, const Call& call,
                                                        std::string_view id);
[[nodiscard]] Result<store::MessageRecord> find_message(const Context& context, const Call& call,
                                                        std::string_view id);
[[nodiscard]] Result<store::MessageRecord> find_named_message(const Context& context,
                                                              const Call& call);
/// Calls `show` with a reader of the store and the named message, and answers its result.
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
[[nodiscard]] Result<store::QueuedCallback> find_named_callback(const Context& context,
                                                                const Call& call);

/// Received media, with the device that received them.
struct FoundMedia {
    store::ReceivedMedia media;
    std::shared_ptr<const model::Device> device;
};
[[nodiscard]] Result<FoundMedia> find_named_media(const Context& context, const Call& call);

/// The mistake in `account` where none was named and the caller has not exactly one.
inline constexpr std::string_view account_needed =
    "must be given: it is not clear which account is meant";

/// For a list: the account that was named, or else the caller's only one. Empty: all accounts, for
/// an administrator who has named none. Further errors: invalid_argument (account_needed).
[[nodiscard]] Result<std::optional<model::AccountId>> find_owner(
    const Context& context, Call& call, const std::optional<std::string>& account);

/// For an operation on one account: the account that was named, or else the caller's only one.
/// Further errors: invalid_argument (account_needed).
[[nodiscard]] Result<model::Account> find_own_account(const Context& context, Call& call,
                                                      const std::optional<std::string>& account);
[[nodiscard]] Result<model::Account> find_own_account(store::Tables& tables, Call& call,
                                                      const std::optional<std::string>& account);
/// The same for a call whose only field is `account`, or whose others were taken.
[[nodiscard]] Result<model::Account> take_own_account(const Context& context, Call& call);

/// Checks the caller's right to the operation in the account. `missing` is the error if the caller
/// does not know the account. Sets Call::account. Needed only for objects that no function above
/// finds.
[[nodiscard]] Result<void> check_right(const Call& call, model::AccountId account,
                                       std::unexpected<Error> missing);

}  // namespace merpati::api::manage
