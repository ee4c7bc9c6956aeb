// Whether the template of a campaign can be sent.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "campaign/control.hpp"
#include "campaign/problem.hpp"
#include "connector/connector.hpp"
#include "model/campaign.hpp"
#include "model/device.hpp"

namespace merpati::campaign {

/// Finds the template in the business account of a device; empty: there is none. Waits for the
/// platform. Errors: of Control::find_template.
using TemplateFinder = std::function<Result<std::optional<connector::MessageTemplate>>(
    const model::Device& device, const model::CampaignTemplate& wanted)>;

/// Asks `control`, and nobody any more once that has taken `finding_max` in all: then the error is
/// timeout.
[[nodiscard]] TemplateFinder find_in_time(const Clock& clock, Control& control);
inline constexpr std::chrono::seconds finding_max{20};

/// Asks the platform of each device about the plan's template, one device a step.
///
/// What nobody can tell now is left to the platform, which judges each message.
class TemplateCheck {
public:
    /// `devices`: the plan's, of which the platform is asked in this order. `find` may be empty:
    /// then nobody can tell.
    TemplateCheck(const model::CampaignPlan& plan, std::vector<const model::Device*> devices,
                  const TemplateFinder& find);

    /// Whether there is a device to ask about. A plan without a template has none.
    [[nodiscard]] bool has_next() const noexcept { return next_ < devices_.size(); }
    void ask_next();

    /// The template as the first device with it has it; empty: none has, or nobody can tell.
    [[nodiscard]] const std::optional<connector::MessageTemplate>& found() const noexcept {
        return found_;
    }
    /// `template`: why devices cannot send it. `template_unchecked`, which is not blocking: why
    /// nobody can tell. One for each reason, which names the first device and counts all.
    [[nodiscard]] std::vector<Problem> problems() const;

private:
    void judge(const model::Device& device, const connector::MessageTemplate& found);
    void note(const model::Device& device, std::string reason, bool blocking);

    const model::CampaignPlan& plan_;
    const std::vector<const model::Device*> devices_;
    const TemplateFinder& find_;
    std::size_t next_ = 0;
    std::optional<connector::MessageTemplate> found_;
    std::vector<std::pair<std::string, Problem>> problems_;  // By reason.
};

}  // namespace merpati::campaign
