// Erases a person from an account's campaigns and messages.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"
#include "campaign/acts.hpp"
#include "store/campaigns.hpp"
#include "store/store.hpp"

namespace merpati::campaign {

/// Does what is left to do for a wish that is kept (CampaignTables::put_erasure), in steps: pending
/// rows are cancelled, values and originals of all rows are erased, and so are texts and details of
/// messages up to the wish that have ended. Ends the wish if nothing is left; otherwise messages
/// are under way, or damage was met, and somebody must call this again. Safe at any time, beside
/// everything else: what it has erased does not come back.
///
/// Returns whether nothing is left. Errors: those of a change and of store::Reader; damaged (what
/// is beside the damage is erased nevertheless).
[[nodiscard]] Result<bool> erase_person(const RunChange& change, store::Store& store,
                                        const store::Erasure& erasure, const Clock& clock);

/// The same for every wish that is kept. Errors of one do not hold up the others: `on_fault` gets
/// them.
void continue_erasures(const RunChange& change, store::Store& store, const Clock& clock,
                       const std::function<void(const Error&)>& on_fault);

}  // namespace merpati::campaign
