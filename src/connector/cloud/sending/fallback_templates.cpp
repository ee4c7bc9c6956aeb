#include "connector/cloud/sending/fallback_templates.hpp"

#include <algorithm>

#include "connector/cloud/codec/templates.hpp"
#include "connector/cloud/number/numbers.hpp"

namespace merpati::connector::cloud {

void FallbackTemplates::find(const Access& access, const std::string& waba_id,
                             const std::string& wanted, Found found) {
    const Key key{access.id, waba_id + '/' + wanted};
    if (const auto* known = known_.find(key.first, key.second);
        known != nullptr && known->until > clock_.steady_now()) {
        found(known->used);
        return;
    }
    auto& waiting = waiting_[key];
    waiting.push_back(std::move(found));
    if (waiting.size() > 1) {
        return;
    }
    const auto name = wanted.substr(0, wanted.find(':'));
    graph_.get(access.id, templates_path(waba_id, name, {}), access.token,
               [this, key, wanted, token = access.token](const GraphAnswer& answer) {
                   take(key, answer.is_fine() ? usable_template(read_templates(answer.body), wanted)
                                              : failure_of(answer, token, ErrorCode::refused));
               });
}

void FallbackTemplates::take(const Key& key, Result<MessageTemplate> found) {
    if (found) {
        known_.put(key.first, key.second,
                   {.used = *found, .until = clock_.steady_now() + known_for});
    }
    auto waiting = std::move(waiting_.extract(key).mapped());
    for (auto& one : waiting) {
        one(found);
    }
}

Result<MessageTemplate> usable_template(const TemplatePage& page, std::string_view wanted) {
    const auto colon = wanted.find(':');
    const auto name = wanted.substr(0, colon);
    const auto language =
        colon == std::string_view::npos ? std::string_view{} : wanted.substr(colon + 1);
    const auto found = std::ranges::find_if(page.items, [&](const MessageTemplate& one) {
        return one.name == name && one.language == language;
    });
    if (found == page.items.end()) {
        return fail(ErrorCode::refused, "there is no such template");
    }
    if (found->status != "APPROVED") {
        return fail(ErrorCode::refused, "the template is not approved");
    }
    if (!found->carries_a_text()) {
        return fail(ErrorCode::refused, "the template needs other than one variable in its body");
    }
    return *found;
}

}  // namespace merpati::connector::cloud
