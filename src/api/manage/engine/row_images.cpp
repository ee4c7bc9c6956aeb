#include "api/manage/engine/row_images.hpp"

#include <algorithm>
#include <memory>
#include <variant>

#include "api/manage/campaigns/campaign_view.hpp"
#include "api/manage/engine/views.hpp"
#include "api/manage/people/person_fields.hpp"
#include "people/email.hpp"
#include "store/campaigns.hpp"
#include "store/people.hpp"

namespace merpati::api::manage {
namespace {

using boost::json::object;

template <class Record>
const Record* find_in(std::span<const store::RowChange> rows, auto matches) {
    for (const auto& row : rows) {
        const auto* record = std::get_if<Record>(&row);
        if (record != nullptr && matches(*record)) {
            return record;
        }
    }
    return nullptr;
}

/// Makes the image of a row of any kind.
class Painter {
public:
    Painter(std::span<const store::RowChange> known, const admission::Directory& directory,
            Timestamp now, std::optional<model::AccountId> member_of)
        : known_(known), directory_(directory), now_(now), member_of_(member_of) {}

    std::optional<RowImage> operator()(const model::Account& account) const {
        const auto entry = directory_.find_account(account.id);
        const auto* before = find_in<model::Account>(
            known_, [&](const model::Account& one) { return one.id == account.id; });
        if (before == nullptr && entry != nullptr) {
            before = &entry->account;
        }
        return RowImage{.object = account.id.text(),
                        .account = account.id,
                        .before = before == nullptr ? object{} : view(*before),
                        .after = view(account)};
    }
    std::optional<RowImage> operator()(const model::ApiKey& key) const {
        const auto entry = directory_.find_key(key.digest);
        const auto* before = find_in<model::ApiKey>(
            known_, [&](const model::ApiKey& one) { return one.id == key.id; });
        if (before == nullptr && entry) {
            before = entry->key.get();
        }
        return RowImage{.object = key.id.text(),
                        .account = key.account,
                        .before = before == nullptr ? object{} : view(*before, now_),
                        .after = view(key, now_)};
    }
    /// Retention removes keys, and so does a new key that needs their place. Nobody asked for it.
    std::optional<RowImage> operator()(const store::KeyRemoved& /*removed*/) const {
        return std::nullopt;
    }
    std::optional<RowImage> operator()(const store::DeviceWritten& written) const {
        const auto& device = written.device;
        const auto entry = directory_.find_device(device.number);
        const auto* found = find_in<store::DeviceWritten>(
            known_, [&](const auto& one) { return one.device.number == device.number; });
        const auto* before = found == nullptr ? entry.get() : &found->device;
        RowImage image{.object = device.number.text(),
                       .account = device.account,
                       .before = before == nullptr || written.is_new ? object{} : view(*before),
                       .after = view(device)};
        if (written.has_new_access) {
            image.after["access"] = "changed";
        }
        return image;
    }
    std::optional<RowImage> operator()(const store::DeviceRemoved& removed) const {
        return RowImage{.object = removed.device.number.text(),
                        .account = removed.device.account,
                        .before = view(removed.device),
                        .after = {}};
    }
    std::optional<RowImage> operator()(const model::Callback& /*callback*/) const {
        return std::nullopt;
    }
    std::optional<RowImage> operator()(const store::CampaignWritten& written) const {
        const auto& campaign = *written.campaign;
        const auto* known = find_in<store::CampaignWritten>(
            known_, [&](const auto& one) { return one.campaign->id == campaign.id; });
        // Every message of a campaign writes it, too.
        if (known == nullptr && campaign.state != model::CampaignState::draft) {
            return std::nullopt;
        }
        RowImage image{.object = campaign.id.text(),
                       .account = campaign.account,
                       .before = known == nullptr ? object{} : log_view(*known->campaign),
                       .after = log_view(campaign)};
        if (known != nullptr && !have_same_texts(known->campaign->plan, campaign.plan)) {
            image.after["message"] = "changed";
        }
        return image;
    }
    std::optional<RowImage> operator()(const store::CampaignRemoved& removed) const {
        const auto* known = find_in<store::CampaignWritten>(
            known_, [&](const auto& one) { return one.campaign->id == removed.campaign; });
        return RowImage{.object = removed.campaign.text(),
                        .account = removed.account,
                        .before = known == nullptr ? object{} : log_view(*known->campaign),
                        .after = {}};
    }
    std::optional<RowImage> operator()(const model::Person& person) const {
        const auto entry = directory_.people().find(person.id);
        const auto* before = find_in<model::Person>(
            known_, [&](const model::Person& one) { return one.id == person.id; });
        if (before == nullptr) {
            before = entry.get();
        }
        auto image = image_of(before, &person);
        if (!member_of_ && before != nullptr && before->password_hash != person.password_hash) {
            image.after["password"] = "changed";
        }
        return image;
    }
    std::optional<RowImage> operator()(const store::PersonRemoved& removed) const {
        return image_of(&removed.person, nullptr);
    }
    std::optional<RowImage> operator()(const store::InvitationChanged& changed) const {
        const auto shown = view(changed.invitation);
        return RowImage{.object = changed.invitation.id.text(),
                        .account = changed.invitation.account,
                        .before = changed.removed ? shown : object{},
                        .after = changed.removed ? object{} : shown};
    }
    std::optional<RowImage> operator()(const model::Session& session) const {
        if (member_of_) {
            return std::nullopt;  // A person's sessions do not concern the account.
        }
        return RowImage{
            .object = session.id.text(), .account = {}, .before = {}, .after = shown(session)};
    }
    std::optional<RowImage> operator()(const store::SessionEnded& ended) const {
        if (member_of_) {
            return std::nullopt;
        }
        return RowImage{.object = ended.session.id.text(),
                        .account = {},
                        .before = shown(ended.session),
                        .after = {}};
    }

private:
    static object shown(const model::Session& session) {
        return {{"person", session.person.text()},
                {"by", model::to_string(session.by)},
                {"address", session.address}};
    }

    [[nodiscard]] object as_member(const model::Person& person) const {
        const auto role = person.role_in(*member_of_);
        return role ? object{{"email", person.email}, {"role", model::to_string(*role)}} : object{};
    }

    [[nodiscard]] RowImage image_of(const model::Person* before, const model::Person* after) const {
        const auto paint = [&](const model::Person* person) {
            if (person == nullptr) {
                return object{};
            }
            return member_of_ ? as_member(*person) : view(*person);
        };
        const auto& person = after == nullptr ? *before : *after;
        return {.object = member_of_ ? person.email : person.id.text(),
                .account = member_of_,
                .before = paint(before),
                .after = paint(after)};
    }

    std::span<const store::RowChange> known_;
    const admission::Directory& directory_;
    Timestamp now_;
    std::optional<model::AccountId> member_of_;
};

/// Removes the fields that are equal before and after.
void keep_differences(RowImage& image) {
    if (image.before.empty() || image.after.empty()) {
        return;
    }
    object before;
    object after;
    for (const auto& [name, is] : image.after) {
        const auto* was = image.before.if_contains(name);
        if (was == nullptr || *was != is) {
            after[name] = is;
            if (was != nullptr) {
                before[name] = *was;
            }
        }
    }
    image.before = std::move(before);
    image.after = std::move(after);
}

template <class Found>
Result<std::vector<store::RowChange>> rows_of(Result<std::optional<Found>> found, auto wrap) {
    if (!found) {
        return pass(found);
    }
    std::vector<store::RowChange> rows;
    if (*found) {
        rows.emplace_back(wrap(**std::move(found)));
    }
    return rows;
}

}  // namespace

Result<std::vector<store::RowChange>> named_row(store::Tables& tables, Resource resource,
                                                std::string_view id) {
    using Rows = std::vector<store::RowChange>;
    const auto as_it_is = [](auto record) { return record; };
    switch (resource) {
        case Resource::key: {
            const auto key = model::KeyId::parse(id);
            return key ? rows_of(tables.find_key(*key), as_it_is) : Rows{};
        }
        case Resource::device: {
            const auto number = model::PhoneNumber::parse(id);
            return number ? rows_of(tables.find_device(*number),
                                    [](model::Device device) {
                                        return store::DeviceWritten{.device = std::move(device)};
                                    })
                          : Rows{};
        }
        case Resource::campaign: {
            const auto campaign = model::CampaignId::parse(id);
            return campaign
                       ? rows_of(tables.campaigns().find_campaign(*campaign),
                                 [](model::Campaign found) {
                                     return store::CampaignWritten{
                                         std::make_shared<const model::Campaign>(std::move(found))};
                                 })
                       : Rows{};
        }
        case Resource::account: {
            const auto account = model::AccountId::parse(id);
            return account ? rows_of(tables.find_account(*account), as_it_is) : Rows{};
        }
        case Resource::person: {
            if (const auto number = model::PersonId::parse(id)) {
                return rows_of(tables.people().find_person(*number), as_it_is);
            }
            const auto email = people::normalised_email(id);
            return email ? rows_of(tables.people().find_person(*email), as_it_is) : Rows{};
        }
        case Resource::none:
        case Resource::message:
        case Resource::recipient:
        case Resource::callback:
        case Resource::received_media:
        case Resource::membership:
        case Resource::invitation:
        case Resource::session:
            break;
    }
    return Rows{};
}

std::vector<RowImage> images_of(std::span<const store::RowChange> written,
                                std::span<const store::RowChange> known,
                                const admission::Directory& directory, Timestamp now,
                                std::optional<model::AccountId> member_of) {
    const Painter painter{known, directory, now, member_of};
    std::vector<RowImage> images;
    for (const auto& row : written) {
        auto image = std::visit(painter, row);
        if (!image) {
            continue;
        }
        // A row that was written more than once is shown in its last state.
        const auto same = std::ranges::find(images, image->object, &RowImage::object);
        if (same == images.end()) {
            images.push_back(*std::move(image));
        } else {
            same->after = std::move(image->after);
        }
    }
    for (auto& image : images) {
        keep_differences(image);
    }
    return images;
}

}  // namespace merpati::api::manage
