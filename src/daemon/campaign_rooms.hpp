// Creates what campaigns need in a running server.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/manage/campaigns/campaign_rooms.hpp"
#include "api/opt_out_page.hpp"
#include "base/periodic_thread.hpp"
#include "campaign/audience/uploads.hpp"
#include "campaign/check.hpp"
#include "campaign/kept_erasures.hpp"
#include "campaign/opt_out_links.hpp"
#include "campaign/runner.hpp"
#include "campaign/running_control.hpp"
#include "daemon/core_rooms.hpp"
#include "daemon/sending_rooms.hpp"
#include "intake/intake.hpp"
#include "telemetry/log.hpp"

namespace merpati::daemon {

/// Threads: `follow`, `ended` and `batch_done` on the committer's; `start` and `stop` on the
/// owner's; `links` on any.
class CampaignRooms {
public:
    /// `listening`: returns the addresses that the server listens on, for links.
    CampaignRooms(CoreRooms& core, SendingRooms& sending, intake::Intake& intake,
                  std::function<std::vector<std::string>()> listening);

    /// Call it when the server listens: the links of messages name its address.
    [[nodiscard]] Result<void> start() {
        opt_out_page_.start();
        erasures_thread_.start("erasures", campaign::KeptErasures::look_every,
                               [this] { return erasures_.turn(); });
        return runner_.start();
    }
    void stop() {
        erasures_thread_.stop();
        runner_.stop();
        opt_out_page_.stop();
    }

    // See campaign::Runner.
    void attach(const store::ShardSet& shards, std::move_only_function<void(Result<void>)> done) {
        runner_.attach(shards, std::move(done));
    }
    void detach(const store::ShardSet& shards, std::shared_ptr<const void> done) {
        runner_.detach(shards, std::move(done));
    }

    void follow(const store::RowChange& change) { runner_.follow(change); }
    void ended(const model::Message& message) { runner_.ended(message); }
    void batch_done() { runner_.batch_done(); }

    [[nodiscard]] api::manage::CampaignRooms for_calls();
    [[nodiscard]] api::OptOutPage& opt_out_page() noexcept { return opt_out_page_; }
    /// Their addresses are those under which the server listens now.
    [[nodiscard]] const campaign::OptOutLinks& links();
    [[nodiscard]] campaign::RunnerCounts counts() const noexcept { return runner_.counts(); }

private:
    struct StartCheck;
    [[nodiscard]] campaign::StartChecks::Step check(const campaign::CampaignPtr& campaign);
    [[nodiscard]] Result<campaign::CheckStep> step(StartCheck& check);
    [[nodiscard]] std::vector<campaign::CheckedDevice> devices_of(const model::Campaign& campaign);

    CoreRooms& core_;
    SendingRooms& sending_;
    intake::Intake& intake_;
    const std::function<std::vector<std::string>()> listening_;
    const telemetry::Log log_;
    campaign::Uploads uploads_;
    std::once_flag links_made_;
    std::optional<campaign::OptOutLinks> links_;
    campaign::RunningControl control_;
    campaign::Runner runner_;
    api::OptOutPage opt_out_page_;
    campaign::KeptErasures erasures_;  // Used by its thread alone.
    PeriodicThread erasures_thread_;   // The last member: it ends before the others are destroyed.
};

}  // namespace merpati::daemon
