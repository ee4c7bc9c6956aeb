// Why recipients of a campaign got no message.

#include <utility>

#include "api/manage/engine/handlers.hpp"
#include "api/manage/engine/lookup.hpp"
#include "store/campaigns.hpp"

namespace merpati::api::manage::campaigns {

using boost::json::value;

Result<value> outcomes(const Context& context, Call& call) {
    if (auto checked = call.fields.finish(); !checked) {
        return pass(checked);
    }
    return context.read([&](store::Reader& reader) -> Result<value> {
        const auto campaign = find_campaign(reader.campaigns(), call, call.id);
        if (!campaign) {
            return pass(campaign);
        }
        const auto counts = reader.campaigns().outcomes(campaign->id);
        if (!counts) {
            return pass(counts);
        }
        boost::json::array skipped;
        for (const auto& [reason, rows] : counts->skipped) {
            skipped.push_back({{"reason", model::to_string(reason)}, {"count", rows}});
        }
        boost::json::array failed;
        for (const auto& [code, rows] : counts->failed) {
            failed.push_back({{"code", std::to_underlying(code)}, {"count", rows}});
        }
        return boost::json::object{{"skipped", std::move(skipped)}, {"failed", std::move(failed)}};
    });
}

}  // namespace merpati::api::manage::campaigns
