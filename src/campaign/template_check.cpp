#include "campaign/template_check.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/connector.hpp"

namespace merpati::campaign {
namespace {

using connector::MessageTemplate;

/// Why the template's header does not go with what the campaign gives it; empty: it does.
std::optional<std::string> header_misfit_of(const MessageTemplate& found,
                                            const model::CampaignPlan& plan) {
    const bool has_text = !plan.message_template->header.empty();
    const bool needs_text = found.header_need == MessageTemplate::HeaderNeed::text;
    if (needs_text != has_text) {
        return needs_text ? "its header has a variable, and the campaign gives the header no text"
                          : "its header has no variable, and the campaign gives the header a text";
    }
    if (found.needs_file() != plan.media.has_value()) {
        return found.needs_file() ? "its header needs a file: give the campaign media"
                                  : "its header takes no file: remove the media";
    }
    return std::nullopt;
}

/// Why the template cannot be sent as the plan fills it; empty: it can.
std::optional<std::string> misfit_of(const MessageTemplate& found,
                                     const model::CampaignPlan& plan) {
    const auto& filled = *plan.message_template;
    if (!found.is_approved()) {
        return fmt::format("it is not approved: the platform calls it {}", found.status);
    }
    if (!found.is_understood) {
        return "it has parts that no campaign fills";
    }
    if (found.variables != filled.variables.size()) {
        return fmt::format("it has {} variables, and the campaign fills {}", found.variables,
                           filled.variables.size());
    }
    if (auto reason = header_misfit_of(found, plan)) {
        return reason;
    }
    if (found.buttons.size() != filled.buttons.size()) {
        return fmt::format("it has {} buttons with a variable, and the campaign fills {}",
                           found.buttons.size(), filled.buttons.size());
    }
    return std::nullopt;
}

}  // namespace

TemplateFinder find_in_time(const Clock& clock, Control& control) {
    return [&clock, &control, left = SteadyTime::duration{finding_max}](
               const model::Device& device, const model::CampaignTemplate& wanted) mutable
               -> Result<std::optional<connector::MessageTemplate>> {
        if (left <= SteadyTime::duration::zero()) {
            return fail(ErrorCode::timeout, "the platform does not answer: try again");
        }
        const auto began_at = clock.steady_now();
        auto found = control.find_template(device, wanted);
        left -= std::min(left, clock.steady_now() - began_at);
        return found;
    };
}

TemplateCheck::TemplateCheck(const model::CampaignPlan& plan,
                             std::vector<const model::Device*> devices, const TemplateFinder& find)
    : plan_(plan),
      devices_(plan.message_template ? std::move(devices) : std::vector<const model::Device*>{}),
      find_(find) {}

void TemplateCheck::ask_next() {
    const auto& device = *devices_[next_++];
    const auto& wanted = *plan_.message_template;
    if (device.connector != model::cloud_connector) {
        note(device, "only devices on the connector cloud send templates", true);
        return;
    }
    if (!find_) {
        note(device, "the platform was not asked", false);
        return;
    }
    const auto found = find_(device, wanted);
    if (!found) {
        note(device, found.error().detail, false);
    } else if (!*found) {
        note(device,
             fmt::format("its business account has no template {} in the language {}", wanted.name,
                         wanted.language),
             true);
    } else {
        judge(device, **found);
    }
}

void TemplateCheck::judge(const model::Device& device, const connector::MessageTemplate& found) {
    if (!found_) {
        found_ = found;
    }
    if (auto reason = misfit_of(found, plan_)) {
        note(device, *std::move(reason), true);
    }
}

void TemplateCheck::note(const model::Device& device, std::string reason, bool blocking) {
    const auto known = std::ranges::find(problems_, reason,
                                         [](const auto& one) -> const auto& { return one.first; });
    if (known != problems_.end()) {
        ++known->second.count;
        return;
    }
    const auto number = device.number.text();
    auto detail = blocking
                      ? fmt::format("device {} cannot send the template: {}", number, reason)
                      : fmt::format("nobody can tell whether device {} can send the template: {}",
                                    number, reason);
    problems_.emplace_back(std::move(reason),
                           Problem{.code = blocking ? "template" : "template_unchecked",
                                   .detail = std::move(detail),
                                   .blocking = blocking});
}

std::vector<Problem> TemplateCheck::problems() const {
    std::vector<Problem> all;
    for (const auto& [reason, problem] : problems_) {
        all.push_back(problem);
    }
    return all;
}

}  // namespace merpati::campaign
