#include "campaign/erasure.hpp"

#include <optional>
#include <vector>

#include "store/reader.hpp"

namespace merpati::campaign {
namespace {

constexpr std::size_t erased_rows_step = 1'000;
constexpr std::size_t erased_messages_step = 200;
constexpr std::size_t erasures_page = 100;
/// A try that meets damage lets the next one pass over it (CampaignTables).
constexpr int damages_max = 16;

class PersonErasure {
public:
    PersonErasure(const RunChange& change, store::Store& store, const store::Erasure& erasure,
                  const Clock& clock)
        : change_(change), store_(store), erasure_(erasure), clock_(clock) {}

    Result<bool> run() {
        if (auto erased = erasure_.rows_left ? erase_rows() : Result<void>{}; !erased) {
            return pass(erased);
        }
        if (auto erased = erase_messages(); !erased) {
            return pass(erased);
        }
        if (damage_) {
            return std::unexpected(*damage_);
        }
        if (is_under_way_) {
            return false;
        }
        auto ended = change_(
            [&](store::Tables& tables) { return tables.campaigns().end_erasure(erasure_); });
        return ended ? Result<bool>{true} : pass(ended);
    }

private:
    Result<void> erase_rows() {
        store::CampaignTables::ErasureStep step;
        for (int damages = 0; !step.complete && damages < damages_max;) {
            const auto after = step.last;
            auto done = change_([&](store::Tables& tables) -> Result<void> {
                auto made = tables.campaigns().erase_person(erasure_.account, erasure_.number,
                                                            after, erased_rows_step, clock_.now());
                if (!made) {
                    return pass(made);
                }
                step = *made;
                return {};
            });
            if (!done && done.error().code != ErrorCode::damaged) {
                return done;
            }
            if (!done) {
                damage_ = done.error();
                ++damages;
            }
        }
        return damage_ ? Result<void>{} : change_([&](store::Tables& tables) {
            return tables.campaigns().note_rows_erased(erasure_);
        });
    }

    Result<void> erase_messages() {
        store::MessageFilter filter;
        filter.account = erasure_.account;
        filter.recipient = erasure_.number.text();
        filter.limit = erased_messages_step;
        do {
            // A reader for each page, so that none holds old pages of the store for long.
            auto reader = store_.open_reader();
            if (!reader) {
                return pass(reader);
            }
            const auto page = (*reader)->messages(filter);
            if (!page) {
                return pass(page);
            }
            if (auto erased = erase(page->records); !erased) {
                return erased;
            }
            filter.before = page->next;
        } while (filter.before);
        return {};
    }

    Result<void> erase(const std::vector<store::MessageRecord>& records) {
        std::vector<model::MessageId> meant;
        for (const auto& record : records) {
            if (record.message.accepted_at <= erasure_.at) {
                meant.push_back(record.message.id);
            }
        }
        if (meant.empty()) {
            return {};
        }
        bool all_ended = true;
        auto done = change_([&](store::Tables& tables) -> Result<void> {
            all_ended = true;
            for (const auto id : meant) {
                const auto erased = tables.campaigns().erase_message(id);
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

    const RunChange& change_;
    store::Store& store_;
    const store::Erasure erasure_;
    const Clock& clock_;
    bool is_under_way_ = false;
    std::optional<Error> damage_;
};

}  // namespace

Result<bool> erase_person(const RunChange& change, store::Store& store,
                          const store::Erasure& erasure, const Clock& clock) {
    return PersonErasure{change, store, erasure, clock}.run();
}

void continue_erasures(const RunChange& change, store::Store& store, const Clock& clock,
                       const std::function<void(const Error&)>& on_fault) {
    std::optional<store::Erasure> last = store::Erasure{};
    while (last) {
        auto reader = store.open_reader();
        const auto page = reader ? (*reader)->campaigns().erasures(*last, erasures_page)
                                 : Result<std::vector<store::Erasure>>{pass(reader)};
        if (!page) {
            on_fault(page.error());
            return;
        }
        last.reset();
        for (const auto& erasure : *page) {
            if (const auto erased = erase_person(change, store, erasure, clock); !erased) {
                on_fault(erased.error());
            }
            last = erasure;
        }
    }
}

}  // namespace merpati::campaign
