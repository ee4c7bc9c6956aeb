#include "campaign/audience/uploads.hpp"

#include <utility>

namespace merpati::campaign {

Uploads::Claim::Claim(Claim&& other) noexcept
    : uploads_(std::exchange(other.uploads_, nullptr)), campaign_(other.campaign_) {}

Uploads::Claim::~Claim() {
    if (uploads_ != nullptr) {
        const std::scoped_lock lock{uploads_->mutex_};
        uploads_->claimed_.erase(campaign_);
    }
}

Result<Uploads::Claim> Uploads::claim(model::CampaignId campaign) {
    const std::scoped_lock lock{mutex_};
    if (!claimed_.insert(campaign).second) {
        return fail(ErrorCode::conflict,
                    "another upload of this campaign is under way: wait until it ends");
    }
    return Claim{*this, campaign};
}

bool Uploads::has(model::CampaignId campaign) const {
    const std::scoped_lock lock{mutex_};
    return claimed_.contains(campaign);
}

}  // namespace merpati::campaign
