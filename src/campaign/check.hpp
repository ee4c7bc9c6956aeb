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
#include "campaign/media_check.hpp"
#include "campaign/opt_out_links.hpp"
#include "campaign/problem.hpp"
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
    Timestamp now;  // By the wall clock.
};

struct CheckReport {
    bool ready = false;              // No problem is blocking.
    std::vector<Problem> problems;   // Blocking ones first.
    std::int64_t recipients = 0;     // Rows that would get a message if it started now.
    std::int64_t credit = 0;         // Credits that a start would reserve; 0: they are not counted.
    std::chrono::seconds seconds{};  // estimate.hpp
};

/// Reads all pending rows, a step at a time, with a reader of the caller's own: a million
/// in a few seconds, and as long as `probe` takes for each hundred distinct addresses of media.
///
/// Codes: docs/campaigns.md, Check. A row that suppression, exclusion or frequency leaves out is
/// neither counted nor judged, nor is the text of any row while the texts themselves have a
/// problem.
///
/// Errors: those of store::Reader; invalid_argument, io_failed (the campaign's time zone).
[[nodiscard]] Result<CheckReport> check(const CheckInput& input, store::Reader& reader);

/// The longest text that all devices of the plan take.
[[nodiscard]] std::size_t text_characters_max(const model::CampaignPlan& plan,
                                              std::span<const CheckedDevice> devices);

}  // namespace merpati::campaign
