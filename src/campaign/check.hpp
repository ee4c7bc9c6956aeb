// What a campaign needs before it can start, and how long it takes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "campaign/audience_check.hpp"
#include "campaign/media_check.hpp"
#include "campaign/opt_out_links.hpp"
#include "campaign/problem.hpp"
#include "campaign/template_check.hpp"
#include "campaign/text/campaign_text.hpp"
#include "model/campaign.hpp"
#include "model/device.hpp"
#include "outbound/address_policy.hpp"
#include "store/reader.hpp"

namespace merpati::campaign {

/// A device of the account, with what its connector takes.
struct CheckedDevice {
    model::Device device;
    std::size_t text_characters_max = 4096;  // connector::Capabilities
};

struct CheckInput {
    const model::Campaign& campaign;
    std::optional<std::int64_t> balance;     // The account's credit; empty: not counted.
    std::span<const CheckedDevice> devices;  // The account's; others than the plan's are ignored.
    const OptOutLinks& links;
    const outbound::AddressPolicy& policy;
    MediaProbe probe{};
    TemplateFinder find_template{};
    Timestamp now;  // By the wall clock.
};

struct CheckReport {
    bool ready = false;              // No problem is blocking.
    std::vector<Problem> problems;   // Blocking ones first.
    std::int64_t recipients = 0;     // Rows that would get a message if it started now.
    std::int64_t credit = 0;         // Credits that a start would reserve; 0: they are not counted.
    std::chrono::seconds seconds{};  // estimate.hpp
};

/// Checks a campaign in steps. Asks the platform of each device about the template, if there is
/// one. Reads all pending rows: a million in a few seconds, and as long as `probe` takes for the
/// distinct addresses of media.
///
/// Codes: docs/campaigns.md, Check. A row that suppression, exclusion or frequency leaves out is
/// neither counted nor judged, nor is the text of any row while the texts themselves have a
/// problem.
///
/// Limits: a step judges AudienceCheck::rows_max rows, probes MediaCheck::step files, or asks one
/// platform.
class CampaignCheck {
public:
    /// What `input` refers to must outlive it.
    explicit CampaignCheck(const CheckInput& input);
    CampaignCheck(const CampaignCheck&) = delete;
    CampaignCheck& operator=(const CampaignCheck&) = delete;

    /// Whether the next step waits for hosts. The first one does not.
    [[nodiscard]] bool probes_next() const noexcept {
        return has_begun_ && (templates_.has_next() || audience_.probes_next());
    }
    /// The report, once it is complete: call it until then. Each step may have another reader.
    /// Errors, which end it: those of store::Reader; invalid_argument, io_failed (the campaign's
    /// time zone).
    [[nodiscard]] Result<std::optional<CheckReport>> step(store::Reader& reader);

private:
    void add(Problem problem);
    void check_plan();
    void check_devices();
    void ask_about_template();
    void check_credit();
    [[nodiscard]] Result<void> estimate_time(store::LaneReader& lanes);
    [[nodiscard]] Result<std::optional<CheckReport>> report(store::LaneReader& lanes);

    const CheckInput input_;
    const model::CampaignPlan& plan_;
    CampaignText content_;
    TemplateCheck templates_;
    AudienceCheck audience_;
    bool has_begun_ = false;
    std::vector<const model::Device*> able_;
    std::vector<const model::Device*> unable_;
    CheckReport report_;
    std::vector<Problem> warnings_;  // Those that do not block.
};

/// All steps, with one reader.
[[nodiscard]] Result<CheckReport> check(const CheckInput& input, store::Reader& reader);

/// The longest text that all devices of the plan take, or that a template has with its variables.
[[nodiscard]] std::size_t text_characters_max(const model::CampaignPlan& plan,
                                              std::span<const CheckedDevice> devices);

}  // namespace merpati::campaign
