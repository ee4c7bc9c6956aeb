#include "connector/cloud/sending/known_templates.hpp"

#include <algorithm>

#include "connector/cloud/codec/templates.hpp"
#include "connector/cloud/number/numbers.hpp"

namespace merpati::connector::cloud {

void KnownTemplates::find(const Access& access, const Wanted& wanted, Found found) {
    if (const auto* known = known_.find(access.id, wanted.text());
        known != nullptr && known->until > clock_.steady_now()) {
        found(std::optional{known->used});
        return;
    }
    find_now(access, wanted, std::move(found));
}

void KnownTemplates::find_now(const Access& access, const Wanted& wanted, Found found) {
    const Key key{access.id, wanted};
    auto& waiting = waiting_[key];
    waiting.push_back(std::move(found));
    if (waiting.size() == 1) {
        ask(key, access.token, {}, 1);
    }
}

/// The platform lists all templates whose names contain the wanted one.
void KnownTemplates::ask(const Key& key, const std::string& token, const std::string& cursor,
                         int page) {
    const auto& wanted = key.second;
    graph_.get(key.first, templates_path(wanted.waba_id, wanted.name, cursor), token,
               [this, key, token, page](const GraphAnswer& answer) {
                   if (!answer.is_fine()) {
                       take(key, failure_of(answer, token, ErrorCode::refused));
                       return;
                   }
                   const auto listed = read_templates(answer.body);
                   const auto found =
                       std::ranges::find_if(listed.items, [&key](const MessageTemplate& one) {
                           return one.name == key.second.name &&
                                  one.language == key.second.language;
                       });
                   if (found != listed.items.end()) {
                       take(key, std::optional{*found});
                   } else if (listed.next.empty() || page == pages_max) {
                       take(key, std::optional<MessageTemplate>{});
                   } else {
                       ask(key, token, listed.next, page + 1);
                   }
               });
}

void KnownTemplates::take(const Key& key, const Result<std::optional<MessageTemplate>>& found) {
    if (found && *found && (*found)->is_approved()) {
        known_.put(key.first, key.second.text(),
                   {.used = **found, .until = clock_.steady_now() + known_for});
    } else if (found) {
        known_.erase(key.first, key.second.text());
    }
    auto waiting = std::move(waiting_.extract(key).mapped());
    for (auto& one : waiting) {
        one(found);
    }
}

KnownTemplates::Wanted wanted_template(std::string_view waba_id,
                                       std::string_view name_and_language) {
    const auto colon = name_and_language.find(':');
    const bool has_both = colon != std::string_view::npos;
    return {.waba_id = std::string{waba_id},
            .name = std::string{name_and_language.substr(0, colon)},
            .language =
                std::string{has_both ? name_and_language.substr(colon + 1) : std::string_view{}}};
}

}  // namespace merpati::connector::cloud
