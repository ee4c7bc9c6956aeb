// What people do with campaigns, as parts of changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "model/campaign.hpp"
#include "model/device.hpp"
#include "store/campaigns.hpp"
#include "store/reader_source.hpp"
#include "store/tables.hpp"

namespace merpati::campaign {

// Each of these decides in the transaction, from the rows that it reads there, and returns the
// campaign as it is then. What the state asks for already is answered as done. They need no server:
// the runner acts on what it finds in the store.
//
// Errors of all: not_found; conflict (its state, or that of its account or devices, does not allow
// it; the detail is a sentence about it); those of store::Tables. `now`: by the wall clock.

/// The campaign, which must exist.
[[nodiscard]] Result<model::Campaign> find(store::Tables& tables, model::CampaignId id);

/// Starts a draft or a scheduled campaign; one that runs already is answered as it is.
struct Start {
    model::CampaignId id;
    /// The campaign as `check` found it ready.
    const model::Campaign* checked = nullptr;
    /// When; empty: now. One that is scheduled already gets the new time.
    std::optional<Timestamp> at;
};
/// Reserves the credit, if it starts now. Errors: precondition_failed (it was changed since it was
/// checked: check it again), invalid_argument (`at` is not in the future), refused (too little
/// credit).
[[nodiscard]] Result<model::Campaign> start(store::Tables& tables, const Start& start,
                                            Timestamp now);

/// Starts a scheduled campaign whose time has come. Empty: it is not scheduled any more, or for
/// later. Errors: as `start`.
[[nodiscard]] Result<std::optional<model::Campaign>> start_due(store::Tables& tables,
                                                               const model::Campaign& checked,
                                                               Timestamp now);

/// Pauses a running campaign. One that is paused keeps its reason; if it is paused as restricted,
/// this keeps it from going on by itself.
[[nodiscard]] Result<model::Campaign> pause(store::Tables& tables, model::CampaignId id,
                                            Timestamp now);

/// Continues a paused campaign; one that runs only takes the new devices and pace.
struct Resume {
    model::CampaignId id;
    std::optional<std::vector<model::PhoneNumber>> devices{};  // Empty: as they are.
    std::optional<std::optional<std::uint32_t>> per_minute{};  // The same.
};
/// Reserves what the reserve lacks. Errors: refused (too little credit).
[[nodiscard]] Result<model::Campaign> resume(store::Tables& tables, const Resume& resume,
                                             Timestamp now);

/// Ends a campaign that is scheduled, running or paused. Its pending rows are cancelled later, by
/// `cancel_rows`.
[[nodiscard]] Result<model::Campaign> cancel(store::Tables& tables, model::CampaignId id,
                                             Timestamp now);

/// Gives the campaign a new plan. A draft or a scheduled one takes everything: a scheduled one
/// without `schedule_at` is a draft again. A running or paused one takes name, devices, pace, quiet
/// hours, stop rules and `finish_by`. Errors: conflict also if a device is not the account's.
[[nodiscard]] Result<model::Campaign> edit(store::Tables& tables, model::CampaignId id,
                                           const model::CampaignPlan& plan, Timestamp now);

/// A new draft with the same plan, to be sent at no particular time.
[[nodiscard]] Result<model::Campaign> clone(store::Tables& tables, model::CampaignId id,
                                            Timestamp now);

/// The same, hidden until `copy_audience` has given it its audience, and removed if that does not
/// come, because the process ends or another node takes the account over.
[[nodiscard]] Result<model::Campaign> begin_clone(store::Tables& tables, model::CampaignId id,
                                                  Timestamp now);

/// Removes a draft, or a campaign that has ended. Errors: conflict also while messages of it wait
/// or are being sent.
[[nodiscard]] Result<void> remove(store::Tables& tables, model::CampaignId id);

struct Retry {
    model::CampaignId id;
    store::RetryScope scope = store::RetryScope::failed;
    std::optional<model::StatusCode> code{};  // Only those that failed with it.
};
struct RetryStep {
    store::RowStep rows;
    std::optional<Timestamp> finished_at{};  // Of the campaign after the step.
};
/// One step of making rows pending again, after the step `before`. The first row pauses a campaign
/// that has ended; a running one whose credit no longer suffices is paused for `credit`. Errors:
/// conflict also if the campaign has ended since `before`.
[[nodiscard]] Result<RetryStep> retry_step(store::Tables& tables, const Retry& retry,
                                           const RetryStep& before, Timestamp now);

/// Runs one change (Committer::change_and_wait, api::manage::Context::change).
using RunChange =
    std::function<Result<void>(std::move_only_function<Result<void>(store::Tables&)>)>;

/// All steps of a retry. Returns how many rows are pending again.
[[nodiscard]] Result<std::uint64_t> retry(const RunChange& change, const Retry& retry,
                                          const Clock& clock);

/// Copies the audience of a campaign to a draft of the same account, such as `begin_clone` makes,
/// in steps and whole or not at all: every row, as it was uploaded. Suppressions are looked up
/// anew. The row of a person who was erased is copied as one without a number. Errors: conflict
/// also if rows are missing, because retention has removed them, or because the audience was
/// changed meanwhile.
[[nodiscard]] Result<store::UploadCounts> copy_audience(const RunChange& change,
                                                        store::ReaderSource& store,
                                                        model::CampaignId from,
                                                        model::CampaignId to, const Clock& clock);

/// Whether the device waits for a person to pair it again: its campaigns pause.
[[nodiscard]] bool is_lost(model::DeviceState state) noexcept;

/// Rows of one step, for which other commits wait some milliseconds.
constexpr std::size_t rows_step = 250;

}  // namespace merpati::campaign
