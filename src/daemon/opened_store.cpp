#include "daemon/opened_store.hpp"

#include <utility>

#include "base/uuid.hpp"
#include "daemon/options.hpp"

namespace merpati::daemon {

Result<OpenedStore> open_store(const config::Settings& settings,
                               const store::StoreOptions& options) {
    auto allowed = allowed_ranges(settings);
    if (!allowed) {
        return pass(allowed);
    }
    auto store = store::open_store(options);
    if (!store) {
        return pass(store);
    }
    auto reader = (*store)->open_reader();
    if (!reader) {
        return pass(reader);
    }
    const auto last = (*reader)->last_sequence();
    if (!last) {
        return pass(last);
    }
    const auto offset = (*reader)->clock_offset();
    if (!offset) {
        return pass(offset);
    }
    return OpenedStore{.store = std::move(*store),
                       .last_sequence = *last,
                       .clock_offset = *offset,
                       .allowed = std::move(*allowed)};
}

void OpenedStore::begin(QueueClock& clock) const {
    clock.begin(clock_offset, Uuid{last_sequence, 0}.time());
}

}  // namespace merpati::daemon
