#include "api/manage/engine/lookup.hpp"

#include <functional>

#include <fmt/format.h>

#include "base/uuid.hpp"
#include "store/campaigns.hpp"

namespace merpati::api::manage {
namespace {

std::unexpected<Error> no_account(std::string_view id) {
    return fail(ErrorCode::not_found, fmt::format("there is no account {}", id));
}

std::unexpected<Error> no_key(std::string_view id) {
    return fail(ErrorCode::not_found, fmt::format("there is no key {}", id));
}

std::unexpected<Error> no_device(std::string_view number) {
    return fail(ErrorCode::not_found, fmt::format("there is no device {}", number));
}

std::unexpected<Error> no_message(std::string_view id) {
    return fail(ErrorCode::not_found, fmt::format("there is no message {}", id));
}

std::unexpected<Error> no_campaign(std::string_view id) {
    return fail(ErrorCode::not_found, fmt::format("there is no campaign {}", id));
}

std::unexpected<Error> no_callback(std::string_view id) {
    return fail(ErrorCode::not_found, fmt::format("there is no callback {}", id));
}

std::unexpected<Error> no_media(std::string_view id) {
    return fail(ErrorCode::not_found,
                fmt::format("there are no received media {}, or none that are still kept", id));
}

std::unexpected<Error> no_choice(Fields& fields) {
    fields.mistake("account", std::string{account_needed});
    return pass(fields.finish());
}

/// The record that was found, if the caller has the right to it. `account_of` answers whose it is.
template <class Record, class AccountOf>
Result<Record> admit(const Call& call, Result<std::optional<Record>> found, AccountOf account_of,
                     std::unexpected<Error> missing) {
    if (!found) {
        return pass(found);
    }
    if (!*found) {
        return missing;
    }
    if (auto checked = check_right(call, std::invoke(account_of, **found), std::move(missing));
        !checked) {
        return pass(checked);
    }
    return **std::move(found);
}

/// The account that a call names, or the caller's only one. `find` finds an account by its id's
/// text.
template <class Find>
Result<model::Account> own_account(Call& call, const std::optional<std::string>& account,
                                   Find find) {
    if (account) {
        return find(*account);
    }
    const auto only = call.principal.only_account();
    return only ? find(only->text()) : no_choice(call.fields);
}

}  // namespace

Result<void> check_right(const Call& call, model::AccountId account,
                         std::unexpected<Error> missing) {
    if (!call.principal.knows(account)) {
        return missing;
    }
    call.account = account;
    if (call.needs && !call.principal.permits(account, *call.needs)) {
        return fail(ErrorCode::forbidden,
                    fmt::format("this needs the scope {}", model::to_string(*call.needs)));
    }
    return {};
}

Result<model::Account> find_account(store::AccountTables& tables, const Call& call,
                                    std::string_view id) {
    const auto parsed = model::AccountId::parse(id);
    return parsed ? admit(call, tables.find_account(*parsed), &model::Account::id, no_account(id))
                  : no_account(id);
}

Result<model::ApiKey> find_key(store::AccountTables& tables, const Call& call,
                               std::string_view id) {
    const auto parsed = model::KeyId::parse(id);
    return parsed ? admit(call, tables.find_key(*parsed), &model::ApiKey::account, no_key(id))
                  : no_key(id);
}

Result<model::Device> find_device(store::DeviceTables& tables, const Call& call,
                                  std::string_view number) {
    const auto parsed = model::PhoneNumber::parse(number);
    return parsed ? admit(call, tables.find_device(*parsed), &model::Device::account,
                          no_device(number))
                  : no_device(number);
}

Result<model::Campaign> find_campaign(store::Tables& tables, const Call& call,
                                      std::string_view id) {
    const auto parsed = model::CampaignId::parse(id);
    return parsed ? admit(call, tables.campaigns().find_campaign(*parsed),
                          &model::Campaign::account, no_campaign(id))
                  : no_campaign(id);
}

Result<model::Campaign> find_campaign(store::CampaignReader& reader, const Call& call,
                                      std::string_view id) {
    const auto parsed = model::CampaignId::parse(id);
    return parsed
               ? admit(call, reader.campaign(*parsed), &model::Campaign::account, no_campaign(id))
               : no_campaign(id);
}

Result<model::Campaign> find_campaign(const Context& context, const Call& call,
                                      std::string_view id) {
    return context.read(
        [&](store::Reader& reader) { return find_campaign(reader.campaigns(), call, id); });
}

Result<model::Campaign> find_named_campaign(const Context& context, const Call& call) {
    auto checked = call.fields.finish();
    return checked ? find_campaign(context, call, call.id) : pass(checked);
}

Result<model::Account> find_account(const Context& context, const Call& call, std::string_view id) {
    const auto parsed = model::AccountId::parse(id);
    if (!parsed) {
        return no_account(id);
    }
    return admit(call, context.read([&](store::Reader& reader) { return reader.account(*parsed); }),
                 &model::Account::id, no_account(id));
}

Result<std::shared_ptr<const model::Device>> find_device(const Context& context, const Call& call,
                                                         std::string_view number) {
    const auto parsed = model::PhoneNumber::parse(number);
    auto found = parsed ? context.directory.find_device(*parsed) : nullptr;
    if (found == nullptr) {
        return no_device(number);
    }
    if (auto checked = check_right(call, found->account, no_device(number)); !checked) {
        return pass(checked);
    }
    return found;
}

Result<std::shared_ptr<const model::Device>> find_named_device(const Context& context,
                                                               const Call& call) {
    auto checked = call.fields.finish();
    return checked ? find_device(context, call, call.id) : pass(checked);
}

Result<store::MessageRecord> find_message(store::ListReader& reader, const Call& call,
                                          std::string_view id) {
    const auto parsed = Uuid::parse(id);
    const auto account_of = [](const store::MessageRecord& record) {
        return record.message.account;
    };
    return parsed ? admit(call, reader.message(*parsed), account_of, no_message(id))
                  : no_message(id);
}

Result<store::MessageRecord> find_message(const Context& context, const Call& call,
                                          std::string_view id) {
    return context.read([&](store::Reader& reader) { return find_message(reader, call, id); });
}

Result<store::MessageRecord> find_named_message(const Context& context, const Call& call) {
    auto checked = call.fields.finish();
    return checked ? find_message(context, call, call.id) : pass(checked);
}

Result<store::QueuedCallback> find_named_callback(const Context& context, const Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto parsed = Uuid::parse(call.id);
    if (!parsed) {
        return no_callback(call.id);
    }
    return admit(
        call, context.read([&](store::Reader& reader) { return reader.callback(*parsed); }),
        [](const store::QueuedCallback& queued) { return queued.callback.account; },
        no_callback(call.id));
}

/// Received media belong to the account that the device belongs to now.
Result<FoundMedia> find_named_media(const Context& context, const Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    const auto parsed = Uuid::parse(call.id);
    if (!parsed) {
        return no_media(call.id);
    }
    auto found =
        context.read([&](store::Reader& reader) { return reader.received_media(*parsed); });
    if (!found) {
        return pass(found);
    }
    auto device = *found ? context.directory.find_device((*found)->device) : nullptr;
    if (device == nullptr) {
        return no_media(call.id);
    }
    if (auto checked = check_right(call, device->account, no_media(call.id)); !checked) {
        return pass(checked);
    }
    return FoundMedia{.media = **std::move(found), .device = std::move(device)};
}

Result<std::optional<model::AccountId>> find_owner(const Context& context, Call& call,
                                                   const std::optional<std::string>& account) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    if (!account && call.principal.is_administrator()) {
        return std::nullopt;
    }
    const auto found = find_own_account(context, call, account);
    if (!found) {
        return pass(found);
    }
    return found->id;
}

Result<model::Account> find_own_account(const Context& context, Call& call,
                                        const std::optional<std::string>& account) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return own_account(call, account,
                       [&](const std::string& id) { return find_account(context, call, id); });
}

Result<model::Account> find_own_account(store::Tables& tables, Call& call,
                                        const std::optional<std::string>& account) {
    return own_account(call, account,
                       [&](const std::string& id) { return find_account(tables, call, id); });
}

Result<model::Account> take_own_account(const Context& context, Call& call) {
    const auto account = call.fields.account();
    return find_own_account(context, call, account);
}

}  // namespace merpati::api::manage
