#include "api/send/bulk_memory.hpp"

namespace merpati::api {

std::expected<void, manage::Outcome> BulkMemory::Hold::grow(std::size_t bytes) {
    const std::lock_guard lock{state_->mutex};
    const auto found = state_->held.find(share_);
    const std::size_t held = found == state_->held.end() ? 0 : found->second;
    if (!state_->limit.admits(held, bytes)) {
        return std::unexpected(held > 0 ? manage::too_many_requests() : manage::busy());
    }
    state_->limit.acquire(bytes);
    state_->held[share_] += bytes;
    bytes_ += bytes;
    return {};
}

void BulkMemory::Hold::release() noexcept {
    if (bytes_ == 0) {
        return;
    }
    const std::lock_guard lock{state_->mutex};
    const auto found = state_->held.find(share_);
    found->second -= bytes_;
    if (found->second == 0) {
        state_->held.erase(found);
    }
    state_->limit.release(std::exchange(bytes_, 0));
}

}  // namespace merpati::api
