// Which uploads are under way in this process.
#pragma once

#include <mutex>
#include <set>

#include "base/error.hpp"
#include "model/ids.hpp"

namespace merpati::campaign {

/// Gives a campaign's audience to one upload at a time. Rows that an upload has staged must not be
/// removed while it is under way: whoever removes staged rows asks `has` first, or claims.
///
/// Threads: any.
class Uploads {
public:
    /// The right to change one campaign's audience; its destructor gives it back.
    class Claim {
    public:
        Claim(Uploads& uploads, model::CampaignId campaign) noexcept
            : uploads_(&uploads), campaign_(campaign) {}
        ~Claim();
        Claim(Claim&& other) noexcept;
        Claim& operator=(Claim&&) = delete;

    private:
        Uploads* uploads_;
        model::CampaignId campaign_;
    };

    /// Errors: conflict (an upload of the campaign is under way).
    [[nodiscard]] Result<Claim> claim(model::CampaignId campaign);
    [[nodiscard]] bool has(model::CampaignId campaign) const;

private:
    mutable std::mutex mutex_;
    std::set<model::CampaignId> claimed_;
};

}  // namespace merpati::campaign
