#include "campaign/erasure.hpp"

#include <algorithm>

#include "store/reader.hpp"

namespace merpati::campaign {
namespace {

constexpr std::size_t erased_rows_step = 250;
constexpr std::size_t erased_messages_step = 200;
/// A try that meets damage lets the next one pass over it (CampaignTables).
constexpr int damages_max = 16;

/// Whether the message may have something to erase. One that waits has: it must end first.
bool has_texts(const store::MessageRecord& record) {
    return !record.completion || !record.message.body.empty() ||
           !record.message.media_url.empty() || record.message.filled_template != nullptr ||
           !record.completion->details.empty();
}

}  // namespace

PersonErasure::PersonErasure(Rooms rooms, const store::Erasure& erasure)
    : rooms_(rooms),
      erasure_(erasure),
      rows_{.last = 0, .changed = 0, .complete = !erasure.rows_left} {
    filter_.account = erasure_.account;
    filter_.recipient = erasure_.number.text();
    filter_.limit = erased_messages_step;
}

Result<PersonErasure::Progress> PersonErasure::step() {
    if (rows_.complete || damages_ >= damages_max) {
        return erase_messages();
    }
    auto erased = erase_rows();
    return erased ? Result<Progress>{Progress::more} : pass(erased);
}

Result<void> PersonErasure::erase_rows() {
    const auto after = rows_.last;
    auto done = rooms_.change([&](store::Tables& tables) -> Result<void> {
        auto made = tables.contacts().erase_person(erasure_.account, erasure_.number, after,
                                                   erased_rows_step, rooms_.clock.now());
        if (!made) {
            return pass(made);
        }
        rows_ = *made;
        return rows_.complete && !damage_ ? tables.contacts().note_rows_erased(erasure_)
                                          : Result<void>{};
    });
    if (done) {
        return done;
    }
    rows_ = {.last = after, .changed = 0, .complete = false};
    if (done.error().code != ErrorCode::damaged) {
        return done;
    }
    damage_ = done.error();
    ++damages_;
    return {};
}

Result<PersonErasure::Progress> PersonErasure::erase_messages() {
    const auto page =
        rooms_.readers.read([this](store::Reader& reader) { return reader.messages(filter_); });
    if (!page) {
        return pass(page);
    }
    if (auto erased = erase(page->records); !erased) {
        return pass(erased);
    }
    filter_.before = page->next;
    return filter_.before ? Result<Progress>{Progress::more} : end();
}

Result<void> PersonErasure::erase(const std::vector<store::MessageRecord>& records) {
    std::vector<model::MessageId> meant;
    for (const auto& record : records) {
        if (record.message.accepted_at <= erasure_.at && has_texts(record)) {
            meant.push_back(record.message.id);
        }
    }
    if (meant.empty()) {
        return {};
    }
    bool all_ended = true;
    auto done = rooms_.change([&](store::Tables& tables) -> Result<void> {
        all_ended = true;
        for (const auto id : meant) {
            const auto erased = tables.contacts().erase_message(id);
            if (!erased) {
                return pass(erased);
            }
            all_ended = all_ended && *erased;
        }
        return {};
    });
    is_under_way_ = is_under_way_ || !all_ended;
    return done;
}

Result<PersonErasure::Progress> PersonErasure::end() {
    if (damage_) {
        return std::unexpected(*damage_);
    }
    if (is_under_way_) {
        return Progress::under_way;
    }
    auto ended = rooms_.change(
        [&](store::Tables& tables) { return tables.contacts().end_erasure(erasure_); });
    return ended ? Result<Progress>{Progress::complete} : pass(ended);
}

Result<bool> erase_person(PersonErasure::Rooms rooms, const store::Erasure& erasure) {
    PersonErasure person{rooms, erasure};
    for (;;) {
        const auto progress = person.step();
        if (!progress) {
            return pass(progress);
        }
        if (*progress != PersonErasure::Progress::more) {
            return *progress == PersonErasure::Progress::complete;
        }
    }
}

}  // namespace merpati::campaign
