#include "api/manage/engine/whereabouts.hpp"

#include "base/uuid.hpp"
#include "store/campaigns.hpp"

namespace merpati::api::manage {
namespace {

using Found = Result<std::optional<model::AccountId>>;

template <class Record>
Found account_in(const Result<std::optional<Record>>& found, auto account) {
    if (!found) {
        return pass(found);
    }
    return *found ? std::optional{account(**found)} : std::nullopt;
}

std::optional<model::AccountId> of_device(const Context& context,
                                          std::optional<model::PhoneNumber> number) {
    const auto device = number ? context.directory.find_device(*number) : nullptr;
    return device == nullptr ? std::nullopt : std::optional{device->account};
}

Found of_message(store::Reader& reader, std::string_view id) {
    const auto parsed = Uuid::parse(id);
    return parsed ? account_in(reader.message(*parsed),
                               [](const auto& record) { return record.message.account; })
                  : std::nullopt;
}

Found of_callback(store::Reader& reader, std::string_view id) {
    const auto parsed = Uuid::parse(id);
    return parsed ? account_in(reader.callback(*parsed),
                               [](const auto& queued) { return queued.callback.account; })
                  : std::nullopt;
}

Found of_campaign(store::Reader& reader, std::string_view id) {
    const auto parsed = model::CampaignId::parse(id);
    return parsed ? account_in(reader.campaigns().campaign(*parsed),
                               [](const auto& campaign) { return campaign.account; })
                  : std::nullopt;
}

Found of_media(const Context& context, store::Reader& reader, std::string_view id) {
    const auto parsed = Uuid::parse(id);
    if (!parsed) {
        return std::nullopt;
    }
    const auto found = reader.received_media(*parsed);
    if (!found) {
        return pass(found);
    }
    return *found ? of_device(context, (*found)->device) : std::nullopt;
}

std::optional<model::AccountId> of_key(const Context& context, std::string_view id) {
    const auto parsed = model::KeyId::parse(id);
    if (!parsed) {
        return std::nullopt;
    }
    const model::KeyId before{.value = parsed->value - 1};
    const auto keys = context.directory.keys(std::nullopt, {.after = before, .limit = 1});
    return keys.empty() || keys.front().id != *parsed ? std::nullopt
                                                      : std::optional{keys.front().account};
}

/// Of the object that the path names.
Found of_named(const Context& context, Resource resource, const std::string& id) {
    const auto read = [&](auto ask) {
        return context.read([&](store::Reader& reader) -> Found { return ask(reader); });
    };
    switch (resource) {
        case Resource::message:
            return read([&](store::Reader& reader) { return of_message(reader, id); });
        case Resource::callback:
            return read([&](store::Reader& reader) { return of_callback(reader, id); });
        case Resource::campaign:
            return read([&](store::Reader& reader) { return of_campaign(reader, id); });
        case Resource::received_media:
            return read([&](store::Reader& reader) { return of_media(context, reader, id); });
        case Resource::device:
            return of_device(context, model::PhoneNumber::parse(id));
        case Resource::key:
            return of_key(context, id);
        case Resource::account:
        case Resource::membership:
            return model::AccountId::parse(id);
        case Resource::none:
        case Resource::recipient:
        case Resource::invitation:
        case Resource::person:
        case Resource::session:
            return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

Result<std::optional<model::AccountId>> account_meant(const Context& context,
                                                      const Operation& operation,
                                                      const Call& call) {
    auto named = of_named(context, operation.resource, call.id);
    if (!named || *named) {
        return named;
    }
    if (const auto given = call.fields.peek("account")) {
        return model::AccountId::parse(*given);
    }
    return operation.needs == model::Scope::admin ? std::nullopt : call.principal.only_account();
}

}  // namespace merpati::api::manage
