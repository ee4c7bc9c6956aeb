// Erases a person from an account's campaigns and messages.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "campaign/acts.hpp"
#include "store/contacts.hpp"
#include "store/message_filter.hpp"
#include "store/reader_pool.hpp"
#include "store/records.hpp"

namespace merpati::campaign {

/// Does what is left to do for a wish that is kept (ContactTables::put_erasure), in steps: pending
/// rows are cancelled, values and originals of all rows are erased, and so are texts and details of
/// messages up to the wish that have ended. Ends the wish if nothing is left; otherwise messages
/// are under way, or damage was met, and somebody must begin again. Safe at any time, beside
/// everything else: what it has erased does not come back.
///
/// Limits: a step is one commit of a bounded number of rows or messages.
class PersonErasure {
public:
    struct Rooms {
        const RunChange& change;
        store::ReaderPool& readers;
        const Clock& clock;
    };
    PersonErasure(Rooms rooms, const store::Erasure& erasure);

    enum class Progress : std::uint8_t {
        more,       // There is a next step.
        under_way,  // Ended: some messages have not.
        complete,   // Ended: nothing is left, and the wish is no longer kept.
    };
    /// Call it as long as there is more. Errors: those of a change and of store::Reader; damaged
    /// (what is beside the damage is erased nevertheless). Each ends it.
    [[nodiscard]] Result<Progress> step();

    [[nodiscard]] const store::Erasure& erasure() const noexcept { return erasure_; }

private:
    [[nodiscard]] Result<void> erase_rows();
    [[nodiscard]] Result<Progress> erase_messages();
    [[nodiscard]] Result<void> erase(const std::vector<store::MessageRecord>& records);
    [[nodiscard]] Result<Progress> end();

    const Rooms rooms_;
    const store::Erasure erasure_;
    store::ContactTables::ErasureStep rows_;
    int damages_ = 0;
    std::optional<Error> damage_;  // The last one.
    store::MessageFilter filter_;
    bool is_under_way_ = false;
};

/// All steps. Returns whether nothing is left. Errors: those of a step.
[[nodiscard]] Result<bool> erase_person(PersonErasure::Rooms rooms, const store::Erasure& erasure);

}  // namespace merpati::campaign
