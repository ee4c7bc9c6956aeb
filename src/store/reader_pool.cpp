#include "store/reader_pool.hpp"

#include <utility>

namespace merpati::store {

Result<std::unique_ptr<Reader>> ReaderPool::take() {
    {
        const std::lock_guard lock{mutex_};
        if (!kept_.empty()) {
            auto reader = std::move(kept_.back());
            kept_.pop_back();
            return reader;
        }
    }
    return store_.open_reader();
}

void ReaderPool::keep(std::unique_ptr<Reader> reader) {
    const std::lock_guard lock{mutex_};
    if (kept_.size() < kept_max) {
        kept_.push_back(std::move(reader));
    }
}

}  // namespace merpati::store
