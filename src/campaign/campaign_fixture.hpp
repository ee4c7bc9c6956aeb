// The rooms that a campaign needs, without a network: a real store and its committer, the
// scheduler, the runner, and a platform that the test simulates. For tests.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "admission/directory.hpp"
#include "base/queue_clock.hpp"
#include "base/uuid.hpp"
#include "campaign/acts.hpp"
#include "campaign/open_campaigns.hpp"
#include "campaign/runner.hpp"
#include "connector/connectors.hpp"
#include "scheduler/scheduler.hpp"
#include "store/campaigns.hpp"
#include "store/conformance/repeating_store.hpp"
#include "store/store.hpp"
#include "telemetry/log.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"

namespace merpati::campaign {

/// Answers each send at once, as `outcome_of` says; a send for which it says nothing stays in
/// flight until `answer`.
class PlayedPlatform final : public connector::Connector {
public:
    struct Sent {
        model::MessageId id;
        std::string recipient;
        model::PhoneNumber device;
        std::string text;
        bool of_campaign = false;
    };
    std::function<std::optional<model::Outcome>(const model::Message&)> outcome_of =
        [](const model::Message&) { return std::optional{sent_outcome()}; };
    std::function<void(const model::MessageId&, model::Outcome)> report;
    connector::Capabilities abilities{.window = 64};

    static model::Outcome sent_outcome() {
        return {.kind = model::Outcome::Kind::sent, .code = model::StatusCode::sent};
    }
    static model::Outcome failed_outcome(model::StatusCode code) {
        return {.kind = model::Outcome::Kind::failed, .code = code, .details = "ditolak"};
    }

    [[nodiscard]] std::vector<Sent> sent() const {
        const std::lock_guard lock{mutex_};
        return sent_;
    }
    /// Whom it was asked to write to, in order.
    [[nodiscard]] std::vector<std::string> recipients() const {
        std::vector<std::string> all;
        for (const auto& one : sent()) {
            all.push_back(one.recipient);
        }
        return all;
    }
    void answer(const model::MessageId& id, model::Outcome outcome) {
        report(id, std::move(outcome));
    }

    void send(const connector::SendRequest& request) override {
        const auto& message = request.message;
        {
            const std::lock_guard lock{mutex_};
            sent_.push_back({.id = message.id,
                             .recipient = message.recipient,
                             .device = message.device,
                             .text = message.body,
                             .of_campaign = message.campaign.has_value()});
        }
        const auto id = message.id;
        if (auto outcome = outcome_of(message)) {
            report(id, std::move(*outcome));
        }
    }
    [[nodiscard]] connector::CapabilitiesPtr capabilities() const override {
        return std::make_shared<const connector::Capabilities>(abilities);
    }
    [[nodiscard]] model::DeviceState first_state(model::PhoneNumber) const override {
        return model::DeviceState::connected;
    }
    [[nodiscard]] Result<void> start(connector::ConnectorEvents&,
                                     connector::DeviceSecrets&) override {
        return {};
    }
    void stop() override {}
    void start_device(const model::Device&, std::string_view) override {}
    void answer_pairing(model::PhoneNumber, std::string_view, Settled settled) override {
        settled({});
    }
    void stop_device(model::PhoneNumber) override {}
    void forget_device(model::PhoneNumber) override {}

private:
    mutable std::mutex mutex_;
    std::vector<Sent> sent_;
};

/// Operation: `settle` runs everything that is due at the clock's time; `advance` moves the clock.
/// The runner has no thread here; the others do, and `settle` waits for them.
class CampaignWorld {
public:
    /// `wrap`: stands between the rooms and the store.
    using Wrap = std::function<std::unique_ptr<store::Store>(std::unique_ptr<store::Store>)>;
    /// Called before the first send, which recovery may begin at once.
    using Prepare = std::function<void(PlayedPlatform&)>;

    CampaignWorld(
        std::string store_url, testing::ManualClock& clock,
        const Wrap& wrap = [](auto real) { return real; },
        const Prepare& prepare = [](PlayedPlatform&) {})
        : clock_(clock), random_(testing::FixedRandom{}) {
        store = wrap(store::open_repeating_store({.url = std::move(store_url)}));
        auto reader = *store->open_reader();
        ids = std::make_unique<UuidSource>(queue_clock, random_, *reader->last_sequence());
        EXPECT_TRUE(directory.load(*reader));
        EXPECT_TRUE(open.load(reader->campaigns()));
        auto played = std::make_unique<PlayedPlatform>();
        platform = played.get();
        prepare(*platform);
        connectors.add("played", std::move(played));
        committer = std::make_unique<store::Committer>(clock_, *store, store::CommitterOptions{},
                                                       [](const Error&) { std::abort(); });
        scheduler = std::make_unique<scheduler::Scheduler>(
            queue_clock, random_, *store, *committer, connectors,
            [](const auto&, const auto&) { return std::optional<model::Callback>{}; },
            [this](store::Finish&& finish) { runner->ended(*finish.message); },
            scheduler::Options{
                .campaign_may_send = [this](auto id) { return open.may_send(id); },
                .campaign_is_open = [this](auto id) { return open.find(id) != nullptr; },
                .on_withdrawn = [this](const auto& message) { runner->ended(message); }});
        platform->report = [this](const auto& id, auto outcome) {
            scheduler->outcome(id, std::move(outcome));
        };
        runner = std::make_unique<Runner>(Runner::Rooms{
            .clock = queue_clock,
            .ids = *ids,
            .store = *store,
            .committer = *committer,
            .directory = directory,
            .ownership = ownership,
            .scheduler = *scheduler,
            .open = open,
            .uploads = uploads,
            .check =
                [this](const auto& campaign) {
                    return [this, campaign] { return check_now(*campaign); };
                },
            .opt_out_url = [](auto, auto number,
                              auto) { return "https://x.example/o/" + number.text(); },
            .accepted = [this](auto message) { scheduler->accepted(std::move(message)); },
            .on_progress = [this](const auto& campaign) { progress.push_back(campaign.counts); },
            .log = telemetry::Log::none()});
        join();
    }
    ~CampaignWorld() {
        scheduler->stop(Millis{0});
        committer->stop();
    }
    CampaignWorld(const CampaignWorld&) = delete;
    CampaignWorld& operator=(const CampaignWorld&) = delete;

    Result<void> change(std::move_only_function<Result<void>(store::Tables&)> run) {
        return committer->change_and_wait(std::move(run));
    }
    /// Runs an act, and returns the campaign.
    template <class Act>
    Result<model::Campaign> act(Act run) {
        model::Campaign result;
        auto done = change([&](store::Tables& tables) -> Result<void> {
            auto made = run(tables);
            if (!made) {
                return pass(made);
            }
            result = std::move(*made);
            return {};
        });
        return done ? Result<model::Campaign>{result} : pass(done);
    }

    model::AccountId add_account(std::optional<std::int64_t> credit = {}) {
        model::AccountId id;
        EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
            model::Account account;
            account.credit = credit;
            account.callback_url = "https://toko.example/hook";
            account.created_at = clock_.now();
            id = *tables.create_account(account);
            return {};
        }));
        return id;
    }
    model::PhoneNumber add_device(model::AccountId account, Millis gap = Millis{0}) {
        const auto number = model::PhoneNumber::from_stored(6289800000000 + ++devices_);
        EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
            model::Device device;
            device.number = number;
            device.account = account;
            device.connector = "played";
            device.state = model::DeviceState::connected;
            device.pace.gap_min = gap;
            device.created_at = device.state_since = clock_.now();
            EXPECT_TRUE(tables.add_device(device, false));
            return {};
        }));
        return number;
    }
    void set_device_state(model::PhoneNumber number, model::DeviceState state,
                          std::optional<Timestamp> until = {}) {
        EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
            const auto device = *tables.find_device(number);
            EXPECT_TRUE(tables.set_device_state(store::DeviceIdentity::of(*device), state, "",
                                                clock_.now(), until));
            return {};
        }));
    }

    /// A draft with `rows` recipients, 6281000000001 and so on after `first`.
    model::CampaignId add_campaign(model::AccountId account,
                                   const std::vector<model::PhoneNumber>& devices,
                                   std::uint32_t rows, std::int64_t first = 0) {
        model::Campaign campaign;
        campaign.account = account;
        campaign.plan.name = "Promo";
        campaign.plan.message = "Halo {{nama|Kak}}";
        campaign.plan.devices = devices;
        campaign.plan.timezone = "Asia/Jakarta";
        campaign.plan.optout = model::OptOutWay::none;
        campaign.plan.purpose = model::Purpose::transactional;
        campaign.created_at = clock_.now();
        const auto created = act(
            [&](store::Tables& tables) { return tables.campaigns().create_campaign(campaign); });
        EXPECT_TRUE(created);
        EXPECT_TRUE(change([&](store::Tables& tables) -> Result<void> {
            std::vector<store::NewRecipient> added;
            for (std::uint32_t row = 1; row <= rows; ++row) {
                const auto number = model::PhoneNumber::from_stored(6281000000000 + first + row);
                added.push_back({.number = number,
                                 .original = number.text(),
                                 .values = {"Orang " + std::to_string(row)}});
            }
            store::UploadCounts counts;
            EXPECT_TRUE(tables.campaigns().stage_rows(created->id, added, counts, clock_.now()));
            EXPECT_TRUE(tables.campaigns().complete_upload(created->id, {"nama"}, counts));
            return {};
        }));
        return created->id;
    }
    void edit_plan(model::CampaignId id, const std::function<void(model::CampaignPlan&)>& edit) {
        EXPECT_TRUE(act([&](store::Tables& tables) {
            auto plan = (*tables.campaigns().find_campaign(id))->plan;
            edit(plan);
            return tables.campaigns().set_plan(id, plan);
        }));
    }
    Result<model::Campaign> start_campaign(model::CampaignId id, std::optional<Timestamp> at = {}) {
        return act([&](store::Tables& tables) {
            const auto checked = **tables.campaigns().find_campaign(id);
            return start(tables, {.id = id, .checked = &checked, .at = at}, clock_.now());
        });
    }
    Result<model::Campaign> pause_campaign(model::CampaignId id) {
        return act([&](store::Tables& tables) { return pause(tables, id, clock_.now()); });
    }
    Result<model::Campaign> resume_campaign(model::CampaignId id) {
        return act([&](store::Tables& tables) { return resume(tables, {.id = id}, clock_.now()); });
    }

    [[nodiscard]] model::Campaign campaign(model::CampaignId id) const {
        return **(*store->open_reader())->campaigns().campaign(id);
    }
    /// "running", "paused asked".
    [[nodiscard]] std::string state(model::CampaignId id) const {
        const auto found = campaign(id);
        const auto reason = model::to_string(found.reason);
        return std::string{model::to_string(found.state)} + (reason.empty() ? "" : " ") +
               std::string{reason};
    }
    [[nodiscard]] std::int64_t count(model::CampaignId id, model::RecipientState state) const {
        return campaign(id).counts.of(state);
    }
    [[nodiscard]] std::vector<model::Recipient> recipients(model::CampaignId id) const {
        auto reader = *store->open_reader();
        return reader->campaigns().recipients({.campaign = id, .limit = 1'000})->recipients;
    }
    /// The counts of the campaign's row are those of its recipients.
    void expect_exact(model::CampaignId id) const {
        EXPECT_EQ(campaign(id).counts.by_state,
                  (*store->open_reader())->campaigns().recount(id)->by_state);
    }
    /// The names of the webhook events that wait, by time.
    [[nodiscard]] std::vector<std::string> notices(model::AccountId account) const {
        auto page = (*store->open_reader())->callbacks({.account = account, .limit = 500});
        std::vector<std::string> names;
        for (const auto& queued : page->records) {
            constexpr std::string_view before = R"({"event":")";
            const auto& body = queued.callback.body;
            EXPECT_EQ(queued.callback.kind, model::CallbackKind::campaign_event);
            names.insert(names.begin(),
                         body.substr(before.size(), body.find('"', before.size()) - before.size()));
        }
        return names;
    }

    /// Runs what is due, until several rounds have changed nothing.
    void settle() {
        auto before = committer->counts().operations - flushes_;
        for (int quiet = 0, rounds = 0; quiet < 4; ++rounds) {
            ASSERT_LT(rounds, 20'000) << "the campaigns do not become idle";
            std::ignore = runner->turn();
            flush();
            probe();
            flush();
            flushes_ += 2;
            const auto now = committer->counts().operations - flushes_;
            quiet = now == before ? quiet + 1 : 0;
            before = now;
        }
    }
    void advance(Millis by) {
        clock_.advance(by);
        settle();
    }
    /// Advances in steps, so that nothing that is due meanwhile is skipped.
    void advance_by_seconds(int seconds) {
        for (int count = 0; count < seconds; ++count) {
            advance(Millis{1'000});
        }
    }

    /// As `POST /v1/campaigns/ID/check`, without probes, in one step.
    Result<CheckStep> check_now(const model::Campaign& campaign) {
        ++checks;
        std::vector<CheckedDevice> devices;
        for (const auto number : campaign.plan.devices) {
            if (const auto device = directory.find_device(number)) {
                devices.push_back({.device = *device});
            }
        }
        auto reader = *store->open_reader();
        auto report = check({.campaign = campaign,
                             .balance = (*reader->account(campaign.account))->credit,
                             .devices = devices,
                             .links = links,
                             .policy = policy,
                             .now = clock_.now()},
                            *reader);
        return report ? Result<CheckStep>{CheckStep{.report = std::move(*report)}} : pass(report);
    }

    testing::ManualClock& clock_;
    int checks = 0;
    const OptOutLinks links{OptOutLinks::Keys{}, "https://x.example"};
    const outbound::AddressPolicy policy{{}};
    QueueClock queue_clock{clock_};
    testing::FixedRandom random_;
    std::unique_ptr<store::Store> store;
    std::unique_ptr<UuidSource> ids;
    admission::Directory directory;
    admission::Ownership ownership;
    OpenCampaigns open{clock_};
    Uploads uploads;
    connector::Connectors connectors;
    PlayedPlatform* platform = nullptr;
    std::unique_ptr<store::Committer> committer;
    std::unique_ptr<scheduler::Scheduler> scheduler;
    std::unique_ptr<Runner> runner;
    std::vector<model::CampaignCounts> progress;

private:
    void join() {
        committer->on_row_changed = [this](store::RowChange&& change) {
            directory.apply(change);
            open.apply(change);
            if (const auto* written = std::get_if<store::DeviceWritten>(&change)) {
                scheduler->device_changed(written->device);
            } else if (const auto* removed = std::get_if<store::DeviceRemoved>(&change)) {
                scheduler->device_removed(removed->device.number, removed->device.account);
            }
            runner->follow(change);
        };
        committer->after_batch = [this] {
            scheduler->batch_done();
            runner->batch_done();
        };
        committer->start();
        EXPECT_TRUE(scheduler->start());
        for (const auto& device : directory.devices(std::nullopt)) {
            scheduler->device_changed(device);
            ++devices_;
        }
        EXPECT_TRUE(runner->load());
    }
    void flush() {
        EXPECT_TRUE(committer->change_and_wait([](store::Tables&) -> Result<void> { return {}; }));
    }
    void probe() {
        std::promise<void> answered;
        scheduler->probe([&answered] { answered.set_value(); });
        answered.get_future().wait();
    }

    std::int64_t devices_ = 0;
    std::uint64_t flushes_ = 0;
};

}  // namespace merpati::campaign
