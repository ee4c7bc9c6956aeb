// The fixture of the catalogue's tests: a real store in a temporary folder, and controls that
// record their calls.
#pragma once

#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/errors.hpp"
#include "api/manage/callbacks/callback_control.hpp"
#include "api/manage/devices/device_control.hpp"
#include "api/manage/engine/manage.hpp"
#include "api/manage/engine/platform_fixture.hpp"
#include "api/manage/engine/problem.hpp"
#include "api/manage/messages/message_control.hpp"
#include "api/texts/text.hpp"
#include "campaign/audience/uploads.hpp"
#include "campaign/control.hpp"
#include "campaign/opt_out_links.hpp"
#include "http/router.hpp"
#include "store/conformance/counting_store.hpp"
#include "store/conformance/repeating_store.hpp"
#include "testing/fixed_random.hpp"
#include "testing/manual_clock.hpp"
#include "testing/temporary_folder.hpp"

namespace merpati::api::manage::testing {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// The texts of the controls below, which no caller reads.
inline const std::set<std::string_view> texts_of_controls{
    "no such connector here", "it cannot be paired now",
    "the platform says no",   "the store does not answer",
    "it is not held",         "it is being sent",
    "it is refused"};

/// Whether it is a text of the published interface, which is in Indonesian.
inline bool is_of_sending(std::string_view text) {
    for (std::size_t place = 0; place < refusals_count; ++place) {
        if (error_row(static_cast<Refusal>(place)).text == text) {
            return true;
        }
    }
    return false;
}

/// One answer of the API.
struct Answer {
    int status = 0;
    boost::json::value json;

    /// "" if the field is not a string.
    [[nodiscard]] std::string text(const char* field) const {
        const auto& value = json.at(field);
        return value.is_string() ? std::string{value.get_string().c_str()} : std::string{};
    }
    [[nodiscard]] std::string error() const { return json.at("detail").as_string().c_str(); }
    [[nodiscard]] const boost::json::array& items() const { return json.at("items").as_array(); }
    [[nodiscard]] std::string whole() const { return boost::json::serialize(json); }
};

struct RecordingDevices final : DeviceControl {
    explicit RecordingDevices(const admission::Directory& filled) : directory(filled) {}

    [[nodiscard]] std::vector<ConnectorFacts> connectors() const override { return known; }
    Result<void> prepare(model::Device& device) override {
        if (device.connector == "simulator") {
            device.state = model::DeviceState::connected;
            device.pace = {.gap_min = std::chrono::milliseconds{250}, .per_day_max = 90};
            return {};
        }
        if (device.connector == "cloud") {
            return {};
        }
        return fail(ErrorCode::refused, "no such connector here");
    }
    Result<void> announce(store::Tables& tables, const model::Device& device) override {
        note("new " + device.number.text());
        return device.webhook_url.empty()
                   ? Result<void>{}
                   : tables.add_callback({.id = Uuid{static_cast<std::int64_t>(calls.size()), 1},
                                          .account = device.account,
                                          .kind = model::CallbackKind::device_event});
    }
    Result<void> mark_connected(store::Tables& tables, const model::Device& device) override {
        note("mark connected " + device.number.text());
        const auto set = tables.set_device_state(store::DeviceIdentity::of(device),
                                                 model::DeviceState::connected, "", {});
        return set ? Result<void>{} : pass(set);
    }
    /// Of a change: once, though it runs twice.
    void note(std::string call) {
        if (calls.empty() || calls.back() != call) {
            calls.push_back(std::move(call));
        }
    }
    Result<model::Device> connect(model::PhoneNumber number, Exported exported) override {
        calls.push_back((exported == Exported::connect ? "connect exported " : "connect ") +
                        number.text());
        return *directory.find_device(number);
    }
    Result<model::Device> disconnect(model::PhoneNumber number) override {
        calls.push_back("disconnect " + number.text());
        return *directory.find_device(number);
    }

    [[nodiscard]] Result<void> check_pairing(model::PhoneNumber, std::string_view) const override {
        return pairing_refusal ? fail(*pairing_refusal, "it cannot be paired now") : Result<void>{};
    }
    Result<void> pair(model::PhoneNumber number, std::string method,
                      std::optional<model::QueueChoice> queue) override {
        calls.push_back("pair " + number.text() + " " + method +
                        (queue ? " " + std::string{model::to_string(*queue)} : ""));
        return check_pairing(number, method);
    }
    Result<void> answer(model::PhoneNumber number, std::string answer) override {
        calls.push_back("answer " + number.text() + " " + answer);
        return {};
    }
    [[nodiscard]] Pairing pairing(model::PhoneNumber) const override { return shown_pairing; }

    Result<std::unique_ptr<Stillness>> keep_still(model::PhoneNumber number) override {
        struct Still final : Stillness {
            explicit Still(std::vector<std::string>& told) : calls(told) {}
            ~Still() override { calls.emplace_back("let go"); }
            std::vector<std::string>& calls;
        };
        calls.push_back("keep still " + number.text());
        return std::make_unique<Still>(calls);
    }

    const admission::Directory& directory;
    std::vector<std::string> calls;
    std::vector<ConnectorFacts> known{
        {.name = "echo", .pairing = {"otp"}, .trouble = "its worker is gone"},
        {.name = "linked", .pairing = {"code", "qr"}, .trouble = {}},
        {.name = "simulator", .pairing = {}, .trouble = {}}};
    Pairing shown_pairing;
    std::optional<ErrorCode> pairing_refusal;
};

struct RecordingMessages final : MessageControl {
    Result<void> cancel(store::QueuedMessage queued) override {
        if (on_call) {
            on_call();
        }
        cancelled.push_back(queued.message->id);
        if (answer != ErrorCode::not_found) {
            return fail(answer, "it is being sent");
        }
        return {};
    }
    Result<std::size_t> cancel_all(std::vector<store::QueuedMessage> messages) override {
        if (on_call) {
            on_call();
        }
        if (batches.size() >= batches_max) {
            return fail(ErrorCode::timeout, "the store does not answer");
        }
        batches.push_back(messages.size());
        std::size_t ended = 0;
        for (auto& queued : messages) {
            if (store == nullptr) {
                continue;
            }
            store::WriteBatch batch;
            batch.finishes.push_back({.message = std::move(queued.message),
                                      .queued_at = queued.queued_at,
                                      .completion = {.state = model::MessageState::cancelled}});
            EXPECT_TRUE(store->write(batch));
            ended += batch.finishes.front().finished ? 1 : 0;
        }
        return ended;
    }
    Result<void> fail_held(model::Message message) override {
        given_up.push_back(message.id);
        if (answer != ErrorCode::not_found) {
            return fail(answer, "it is not held");
        }
        return {};
    }
    Result<void> hasten(store::QueuedMessage queued) override {
        hastened.push_back(queued.message->id);
        if (answer != ErrorCode::not_found) {
            return fail(answer, "it is being sent");
        }
        return {};
    }
    Result<model::MessageId> retry(const model::Message& failed,
                                   const admission::Principal& /*caller*/) override {
        if (answer != ErrorCode::not_found) {
            return fail(answer, "it is refused");
        }
        return retried_as.value_or(failed.id);
    }
    Result<SingleSend::Sent> send(SingleMessage message,
                                  const admission::Principal& /*caller*/) override {
        sent.push_back(std::move(message));
        return send_answer;
    }
    std::optional<scheduler::Wait> wait_of(store::QueuedMessage /*message*/) override {
        return wait;
    }
    void released(const model::Message& message, Timestamp due) override {
        woken.push_back(message.id.text() + " " + to_rfc3339(due));
    }

    ErrorCode answer = ErrorCode::not_found;  // not_found stands for success.
    std::function<void()> on_call;            // Called by `cancel` and `cancel_all`.
    store::Store* store = nullptr;            // Where `cancel_all` ends messages; null: ends none.
    std::vector<std::size_t> batches;
    std::size_t batches_max = std::numeric_limits<std::size_t>::max();  // Further ones fail.
    std::vector<model::MessageId> cancelled;
    std::vector<model::MessageId> given_up;
    std::vector<model::MessageId> hastened;
    std::optional<model::MessageId> retried_as;
    std::vector<SingleMessage> sent;
    SingleSend::Sent send_answer;  // Of `send`.
    std::optional<scheduler::Wait> wait;
    std::vector<std::string> woken;
};

struct RecordingCallbacks final : CallbackControl {
    void wake(const store::Endpoint& endpoint) override { woken.push_back(endpoint); }
    Result<model::CallbackAttempt> test(model::AccountId account, std::string url) override {
        tested.push_back(account.text() + " " + url);
        return tested_attempt;
    }
    std::vector<callback::EndpointHealth> health(model::AccountId /*account*/) override {
        return known_health;
    }
    std::vector<store::Endpoint> woken;
    std::vector<std::string> tested;
    model::CallbackAttempt tested_attempt;
    std::vector<callback::EndpointHealth> known_health;
};

/// Of campaigns: has no running server, but sends tests.
struct RecordingControl final : campaign::Control {
    bool wait_until_withdrawn(model::CampaignId id) override {
        withdrawn.push_back(id);
        return true;
    }
    std::optional<media::ProbeVerdict> probe_media(model::AccountId /*account*/,
                                                   std::string url) override {
        probed.push_back(std::move(url));
        return verdict;
    }
    Result<std::optional<connector::MessageTemplate>> find_template(
        const model::Device& /*device*/, const model::CampaignTemplate& /*wanted*/) override {
        return std::nullopt;
    }
    std::optional<campaign::Speed> speed_of(model::CampaignId /*id*/) override { return speed; }
    Result<model::MessageId> send_test(const model::Campaign& /*campaign*/,
                                       const campaign::TestSend& test,
                                       const admission::Principal& /*caller*/) override {
        tests.push_back(test);
        return refusal ? fail(*refusal, "it is refused") : Result<model::MessageId>{};
    }

    std::vector<model::CampaignId> withdrawn;
    std::vector<std::string> probed;
    std::optional<media::ProbeVerdict> verdict;
    std::optional<campaign::Speed> speed;
    std::vector<campaign::TestSend> tests;  // All that `send_test` was asked for.
    std::optional<ErrorCode> refusal;       // Of `send_test`.
};

struct ManageTest : ::testing::Test {
    ManageTest() {
        store = store::open_repeating_store({.url = "sqlite:" + folder.file("store.db")});
        counted.emplace(*store);
        readers.emplace(*counted);
        ledger.emplace(*counted, *readers);
        links.emplace(*store, "https://merpati.example");
        manage = std::make_unique<Manage>(Context{
            .clock = clock,
            .queue_clock = queue_clock,
            .random = random,
            .store = *store,
            .readers = *readers,
            .idempotency = *ledger,
            .change =
                [this](auto run) {
                    store::WriteBatch batch;
                    batch.changes.push_back({.run = std::move(run)});
                    write(batch);
                    for (const auto& row : batch.row_changes) {
                        directory.apply(row);
                    }
                    if (after_change) {
                        after_change();
                    }
                    return std::move(batch.changes.front().result);
                },
            .directory = directory,
            .rights = rights,
            .ownership = &ownership,
            .policy = policy,
            .version = "1.2.3",
            .default_connector = "simulator",
            .offered_connectors = offered,
            .on_fault = [this](const Error& error) { faults.push_back(error.detail); },
            .people = people,
            .devices = devices,
            .platform = platform,
            .messages = messages,
            .callbacks = callbacks,
            .campaigns = {.control = control,
                          .uploads = uploads,
                          .links = [this]() -> const campaign::OptOutLinks& { return *links; }}});
    }

    void write(store::WriteBatch& batch) {
        const auto written = store->write(batch);
        ASSERT_TRUE(written) << written.error().describe();
    }

    /// `path` is relative to /v1, and may have a query.
    Answer call(http::Method method, std::string_view path, std::string_view body = {}) {
        const auto question = path.find('?');
        const auto query =
            question == std::string_view::npos ? std::string_view{} : path.substr(question + 1);
        const auto outcome =
            manage->handle(method, "/v1" + std::string{path.substr(0, question)}, query, body);
        expect_translated(outcome);
        return {.status = outcome.status, .json = boost::json::parse(outcome.body)};
    }
    Answer get(std::string_view path) { return call(http::Method::get, path); }
    Answer post(std::string_view path, std::string_view body = {}) {
        return call(http::Method::post, path, body);
    }
    Answer del(std::string_view path) { return call(http::Method::del, path); }
    Answer patch(std::string_view path, std::string_view body) {
        return call(http::Method::patch, path, body);
    }

    /// What tells people why a call failed must be there in their language. Status 500 is for
    /// operators.
    static void expect_translated(const Outcome& outcome) {
        if (outcome.content_type != problem_type || outcome.status == 500) {
            return;
        }
        const auto problem = boost::json::parse(outcome.body).as_object();
        const auto expect = [](const boost::json::value& text) {
            const std::string_view english = text.as_string();
            EXPECT_TRUE(in_indonesian(english) || texts_of_controls.contains(english) ||
                        is_of_sending(english))
                << english;
        };
        expect(problem.at("detail"));
        if (const auto* mistakes = problem.if_contains("errors")) {
            for (const auto& mistake : mistakes->as_array()) {
                expect(mistake.at("message"));
            }
        }
    }

    /// The same, for a caller that came over the network.
    Answer call_as(const admission::Principal& principal, http::Method method,
                   std::string_view path, std::string_view body = {}) {
        const auto question = path.find('?');
        const Request request{.method = method,
                              .path = "/v1" + std::string{path.substr(0, question)},
                              .query = question == std::string_view::npos
                                           ? ""
                                           : std::string{path.substr(question + 1)},
                              .body = std::string{body}};
        for (const auto& operation : operations()) {
            if (operation.method == method && http::match_path(operation.path, request.path)) {
                const auto outcome = manage->run(operation, request, principal);
                expect_translated(outcome);
                return {.status = outcome.status, .json = boost::json::parse(outcome.body)};
            }
        }
        return {};
    }
    /// A new key of the account, as a principal.
    admission::Principal key_of(const std::string& account, model::Scopes scopes) {
        model::ApiKey key{.account = *model::AccountId::parse(account),
                          .digest = sha256(std::to_string(++keys_made)),
                          .scopes = scopes,
                          .created_at = clock.now()};
        store::WriteBatch batch;
        batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
            const auto id = tables.create_key(key);
            return id ? Result<void>{} : pass(id);
        }});
        write(batch);
        for (const auto& row : batch.row_changes) {
            directory.apply(row);
        }
        return admission::Principal::of(*directory.find_key(key.digest));
    }

    std::string make_account(std::string_view fields = R"("name":"Toko")") {
        const auto made = post("/admin/accounts", "{" + std::string{fields} + "}");
        EXPECT_EQ(made.status, 200) << made.whole();
        return made.text("id");
    }
    void make_device(const std::string& account, std::string_view number) {
        const auto made = post("/devices", R"({"account":")" + account + R"(","number":")" +
                                               std::string{number} + R"("})");
        ASSERT_EQ(made.status, 200) << made.whole();
    }
    /// A draft without recipients, on a new device.
    std::string make_campaign(const std::string& account, const std::string& device) {
        make_device(account, device);
        return post("/campaigns", R"({"account":")" + account + R"(","devices":[")" + device +
                                      R"("],"name":"Promo","purpose":"transactional",)"
                                      R"("message":"halo"})")
            .text("id");
    }

    /// Stores a message of the account, due now.
    model::Message accept(const std::string& account, std::string_view device,
                          std::string_view body = "halo") {
        auto message = std::make_unique<model::Message>();
        message->id = ids.next();
        message->account = *model::AccountId::parse(account);
        message->device = *model::PhoneNumber::parse(device);
        message->recipient = "6281234567890";
        message->body = body;
        message->accepted_at = message->due_at = clock.now();
        const auto copy = *message;
        store::WriteBatch batch;
        batch.accepts.push_back({.message = std::move(message), .idempotency = {}});
        write(batch);
        EXPECT_EQ(batch.accepts.front().result, store::Accept::Result::stored);
        return copy;
    }

    void finish(const model::Message& message, model::MessageState state,
                std::optional<model::Callback> callback = {}) {
        store::WriteBatch batch;
        batch.finishes.push_back({.message = std::make_unique<model::Message>(message),
                                  .queued_at = message.due_at,
                                  .completion = {.state = state,
                                                 .code = model::StatusCode::sent,
                                                 .details = "ok",
                                                 .platform_id = "wamid.1",
                                                 .finished_at = clock.now(),
                                                 .attempts = 1},
                                  .callback = std::move(callback)});
        write(batch);
        EXPECT_TRUE(batch.finishes.front().finished);
    }

    int keys_made = 0;
    merpati::testing::TemporaryFolder folder;
    merpati::testing::ManualClock clock;
    QueueClock queue_clock{clock};
    merpati::testing::FixedRandom random;
    UuidSource ids{queue_clock, random};
    std::unique_ptr<store::Store> store;
    std::optional<store::CountingStore> counted;
    std::optional<store::ReaderPool> readers;
    std::optional<IdempotencyLedger> ledger;
    admission::Directory directory;
    admission::CallerRights rights{clock, directory, {}};
    admission::Ownership ownership;        // Everything is here, unless a test says otherwise.
    std::function<void()> after_change{};  // Called when a change was written.
    people::SignIn sign_in{
        clock, random, directory.people(), {}, {.passes = 1, .memory_bytes = 8192}};
    std::vector<std::string> faults;  // What the server's log would get.
    const PeopleRooms people{.sign_in = sign_in, .session_limits = {}, .app_url = [] {
                                 return std::string{"https://merpati.example"};
                             }};
    outbound::AddressPolicy policy{{}};
    std::vector<std::string> offered{"simulator", "linked"};  // devices.offered_connectors
    RecordingDevices devices{directory};
    RecordingPlatform platform;
    RecordingMessages messages;
    RecordingCallbacks callbacks;
    RecordingControl control;
    campaign::Uploads uploads;
    std::optional<campaign::OptOutLinks> links;
    std::unique_ptr<Manage> manage;
};

}  // namespace merpati::api::manage::testing
