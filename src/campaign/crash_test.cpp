// A process that dies at any commit of a campaign writes to nobody twice and leaves nobody out.
#include <fcntl.h>
#include <fstream>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "campaign/campaign_fixture.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::campaign {
namespace {

using model::RecipientState;

/// The store of a process that dies before or after its n-th commit that has work of campaigns.
class DyingStore final : public store::Store {
public:
    DyingStore(std::unique_ptr<store::Store> real, int commits, bool written)
        : real_(std::move(real)), commits_(commits), written_(written) {}

    static constexpr int exit_died = 9;

    Result<void> write(store::WriteBatch& batch) override {
        const bool last = --commits_ == 0;
        if (last && !written_) {
            _exit(exit_died);
        }
        auto done = real_->write(batch);
        if (last) {
            _exit(exit_died);
        }
        return done;
    }
    Result<std::unique_ptr<store::Reader>> open_reader() override { return real_->open_reader(); }
    Result<void> maintain(bool is_idle) override { return real_->maintain(is_idle); }
    Result<void> checkpoint() override { return real_->checkpoint(); }
    void look_at_disk() override { real_->look_at_disk(); }
    Sha256 fingerprint(std::string_view text) const override { return real_->fingerprint(text); }
    const store::Condition& condition() const noexcept override { return real_->condition(); }
    std::uint64_t bytes_on_disk() const override { return real_->bytes_on_disk(); }
    Result<void> backup(const std::filesystem::path& file) override { return real_->backup(file); }

private:
    std::unique_ptr<store::Store> real_;
    int commits_;
    const bool written_;
};

struct CampaignCrashTest : ::testing::Test {
    static constexpr int rows = 3;

    /// The platform's memory of whom it has written to, which outlives the process.
    static CampaignWorld::Prepare remembering(const std::string& file) {
        return [file](PlayedPlatform& platform) {
            platform.outcome_of = [file](const model::Message& message) {
                const int log = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
                const auto line = message.recipient + "\n";
                EXPECT_EQ(::write(log, line.data(), line.size()),
                          static_cast<ssize_t>(line.size()));
                ::close(log);
                return std::optional{PlayedPlatform::sent_outcome()};
            };
        };
    }
    static std::map<std::string, int> sends_of(const std::string& file) {
        std::map<std::string, int> sends;
        std::ifstream in{file};
        for (std::string line; std::getline(in, line);) {
            ++sends[line];
        }
        return sends;
    }

    /// A store with a campaign that is about to run.
    static void prepare(const std::string& url) {
        testing::ManualClock clock;
        CampaignWorld world{url, clock};
        const auto account = world.add_account(rows);
        const auto device = world.add_device(account);
        ASSERT_TRUE(world.start_campaign(world.add_campaign(account, {device}, rows)));
    }

    /// Runs the campaign in a process that dies. False: it did not come so far.
    static bool run_and_die(const std::string& url, const std::string& file, int commits,
                            bool written) {
        const auto child = ::fork();
        if (child == 0) {
            testing::ManualClock clock;
            clock.advance(Millis{60'000});
            CampaignWorld world{url, clock,
                                [&](auto real) {
                                    return std::make_unique<DyingStore>(std::move(real), commits,
                                                                        written);
                                },
                                remembering(file)};
            world.settle();
            _exit(0);
        }
        int status = 0;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status));
        EXPECT_THAT(WEXITSTATUS(status), ::testing::AnyOf(0, DyingStore::exit_died));
        return WEXITSTATUS(status) == DyingStore::exit_died;
    }
};

TEST_F(CampaignCrashTest, NobodyIsWrittenToTwiceAndNobodyIsLeftOut) {
    bool died = true;
    int deaths = 0;
    for (int commits = 1; died; ++commits) {
        ASSERT_LT(commits, 200);
        died = false;
        for (const bool written : {false, true}) {
            SCOPED_TRACE(std::to_string(commits) + (written ? " written" : " not written"));
            const testing::TemporaryFolder folder;
            const auto url = "sqlite:" + folder.file("merpati.db");
            const auto file = folder.file("sends");
            prepare(url);
            const bool did_die = run_and_die(url, file, commits, written);
            died = died || did_die;
            deaths += did_die ? 1 : 0;

            testing::ManualClock clock;
            clock.advance(Millis{120'000});
            CampaignWorld world{url, clock, [](auto real) { return real; }, remembering(file)};
            world.settle();
            const model::CampaignId id{1};
            const auto sends = sends_of(file);
            EXPECT_EQ(world.state(id), "finished");
            for (const auto& recipient : world.recipients(id)) {
                const auto found = sends.find(recipient.number->text());
                const int times = found == sends.end() ? 0 : found->second;
                EXPECT_LE(times, 1) << recipient.number->text();
                if (recipient.state == RecipientState::sent) {
                    EXPECT_EQ(times, 1);
                } else {
                    EXPECT_EQ(recipient.state, RecipientState::uncertain);
                }
            }
            world.expect_exact(id);
            // Each row costs one credit: those that a crash left open, too.
            EXPECT_EQ((*(*world.store->open_reader())->account({1}))->credit, 0);
            EXPECT_EQ(world.notices({1}),
                      (std::vector<std::string>{"campaign.started", "campaign.finished"}));
        }
    }
    EXPECT_GT(deaths, 10);
}

}  // namespace
}  // namespace merpati::campaign
