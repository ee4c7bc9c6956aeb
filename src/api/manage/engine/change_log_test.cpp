// Each operation that changes something leaves one entry in the log of changes.
#include <algorithm>
#include <cctype>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "api/manage/engine/manage_fixture.hpp"
#include "people/token.hpp"
#include "people/totp.hpp"

namespace merpati::api::manage::testing {
namespace {

constexpr std::string_view device = "6281100000001";
constexpr std::string_view email = "ani@toko.example";
constexpr std::string_view password = "kuda lumping 7";

/// The rows that the operations need.
struct ChangeLogTest : ManageTest {
    ChangeLogTest() {
        make_account(R"("name":"Toko","credit":5)");
        make_device("acc_1", device);
        const auto made = post("/admin/people", R"({"email":"ani@toko.example",)"
                                                R"("password":"kuda lumping 7",)"
                                                R"("account":"acc_1","role":"owner"})");
        EXPECT_EQ(made.status, 200) << made.whole();
    }

    std::vector<std::string> entries() {
        std::vector<std::string> lines;
        for (const auto& entry : get("/admin/log?limit=1000").items()) {
            lines.push_back(boost::json::serialize(entry));
        }
        return lines;
    }

    /// Calls as a page of this server does, or with a key.
    int call_by(const admission::Principal& principal, std::string_view operation,
                std::string_view id = {}, std::string_view body = {}) {
        const auto space = operation.find(' ');
        const auto row = std::ranges::find_if(operations(), [&](const Operation& one) {
            return http::to_string(one.method) == operation.substr(0, space) &&
                   one.path == operation.substr(space + 1);
        });
        std::string path{row->path};
        if (const auto hole = path.find("{}"); hole != std::string::npos) {
            path.replace(hole, 2, id);
        }
        const bool asks = row->method == http::Method::del;
        const auto outcome = manage->run(*row,
                                         {.method = row->method,
                                          .path = path,
                                          .query = std::string{asks ? body : std::string_view{}},
                                          .body = std::string{asks ? std::string_view{} : body},
                                          .head = {.accept = {},
                                                   .door = "network",
                                                   .address = "203.0.113.7",
                                                   .agent = "Browser/1",
                                                   .is_own = true,
                                                   .is_secure = true,
                                                   .may_sign_in = true}},
                                         principal);
        answers += outcome.body;
        headers += outcome.headers;
        for (bool is_last = outcome.lines == nullptr; !is_last;) {
            const auto piece = outcome.lines->next();
            is_last = !piece || piece->is_last;
        }
        return outcome.status;
    }

    admission::Principal signed_in() {
        headers.clear();
        EXPECT_EQ(call_by({}, "POST /v1/session", {}, credentials()), 200) << answers;
        const auto from = headers.find("merpati_session=") + 16;
        const auto token = headers.substr(from, headers.find(';', from) - from);
        secrets.push_back(token);
        auto found = directory.people().find_session(sha256(token));
        EXPECT_TRUE(found);
        return admission::Principal::of(*std::move(found));
    }
    static std::string credentials() {
        return fmt::format(R"({{"email":"{}","password":"{}"}})", email, password);
    }
    static admission::Principal local() { return admission::Principal::local(1000); }
    admission::Principal owner() {
        return admission::Principal::of(directory.people().find(email));
    }

    std::string message_in(model::MessageState state) {
        const auto made = accept("acc_1", device);
        finish(made, state);
        return made.id.text();
    }
    std::string message_for_later() {
        auto later = std::make_unique<model::Message>(accept("acc_1", device));
        later->id = ids.next();
        later->due_at = clock.now() + std::chrono::hours{1};
        const auto id = later->id;
        store::WriteBatch batch;
        batch.accepts.push_back({.message = std::move(later)});
        write(batch);
        return id.text();
    }
    std::string exhausted_callback() {
        const auto message = accept("acc_1", device);
        const model::Callback made{.id = ids.next(),
                                   .account = message.account,
                                   .message = message.id,
                                   .url = "https://toko.example.com/status",
                                   .origin_key = 7,
                                   .body = "{}",
                                   .created_at = clock.now()};
        finish(message, model::MessageState::sent, made);
        store::WriteBatch batch;
        batch.callback_updates.push_back(
            {.event = made.id,
             .progress = {.state = model::CallbackState::exhausted, .attempts = 11}});
        write(batch);
        return made.id.text();
    }
    std::string new_key() {
        const auto made = post("/keys", R"({"account":"acc_1","name":"x"})");
        secrets.push_back(made.text("key"));
        return made.text("id");
    }
    /// Of a new invitation to another account.
    std::string invitation_token(std::string_view invited) {
        const auto account = make_account(R"("name":"Warung")");
        const auto url = post("/account/invitations",
                              fmt::format(R"({{"account":"{}","email":"{}","role":"viewer"}})",
                                          account, invited))
                             .text("url");
        secrets.push_back(url.substr(url.find('#') + 1));
        return secrets.back();
    }
    void disconnect_device() {
        store::WriteBatch batch;
        batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
            const auto number = *model::PhoneNumber::parse(device);
            const auto set =
                tables.set_device_state(store::DeviceIdentity::of(*directory.find_device(number)),
                                        model::DeviceState::logged_out, "keluar", clock.now());
            return set ? Result<void>{} : pass(set);
        }});
        write(batch);
        for (const auto& row : batch.row_changes) {
            directory.apply(row);
        }
    }
    std::string totp_code(const model::Person& person) {
        Bytes secret;
        store::WriteBatch batch;
        batch.changes.push_back({.run = [&](store::Tables& tables) -> Result<void> {
            secret = (**tables.people().find_second_factor(person.id)).secret;
            return {};
        }});
        write(batch);
        secrets.push_back(people::to_base32(secret));
        return people::totp_code(secret, people::totp_step(clock.now()));
    }

    std::string answers;
    std::string headers;
    std::vector<std::string> secrets{std::string{password}, "argon2id", "ayam berkokok 9", "e30="};
};

using World = ChangeLogTest;

/// Carries out the operation and answers the status.
using Step = std::function<int(World&, std::string_view operation)>;

Step of_local(std::string id, std::string body = {}) {
    return [=](World& world, std::string_view operation) {
        return world.call_by(World::local(), operation, id, body);
    };
}
Step of_owner(std::string id, std::string body = {}) {
    return [=](World& world, std::string_view operation) {
        return world.call_by(world.owner(), operation, id, body);
    };
}
Step of_message(model::MessageState state) {
    return [=](World& world, std::string_view operation) {
        const auto id = world.message_in(state);
        return world.call_by(world.owner(), operation, id);
    };
}
Step of_session(std::string body = {}) {
    return [=](World& world, std::string_view operation) {
        return world.call_by(world.signed_in(), operation, {}, body);
    };
}
Step of_move(bool exports) {
    return [=](World& world, std::string_view operation) {
        world.disconnect_device();
        constexpr std::string_view secret = R"({"secrets":{"c":"e30="}})";
        if (exports) {
            EXPECT_EQ(world.post("/devices/6281100000001/import", secret).status, 200);
        }
        return world.call_by(World::local(), operation, device,
                             exports ? std::string_view{} : secret);
    };
}

const std::map<std::string_view, Step> steps{
    {"POST /v1/messages/{}/cancel",
     [](World& world, std::string_view operation) {
         return world.call_by(world.owner(), operation, world.message_for_later());
     }},
    {"POST /v1/messages/{}/send-now",
     [](World& world, std::string_view operation) {
         return world.call_by(world.owner(), operation, world.message_for_later());
     }},
    {"POST /v1/messages/{}/fail", of_message(model::MessageState::held)},
    {"POST /v1/messages/{}/release", of_message(model::MessageState::held)},
    {"POST /v1/messages/{}/retry", of_message(model::MessageState::failed)},
    {"POST /v1/callbacks/replay",
     [](World& world, std::string_view operation) {
         (void)world.exhausted_callback();
         return world.call_by(world.owner(), operation, {}, R"({"state":"exhausted"})");
     }},
    {"POST /v1/messages",
     [](World& world, std::string_view operation) {
         world.messages.send_answer = *model::MessageId::parse(world.message_for_later());
         return world.call_by(world.owner(), operation, {}, R"({"type":"text"})");
     }},
    {"POST /v1/callbacks/{}/replay",
     [](World& world, std::string_view operation) {
         return world.call_by(world.owner(), operation, world.exhausted_callback());
     }},
    {"POST /v1/callbacks/test", of_owner("", R"({"url":"https://toko.example.com/x"})")},
    {"POST /v1/devices", of_owner("", R"({"number":"6281100000002"})")},
    {"PATCH /v1/devices/{}", of_owner(std::string{device}, R"({"per_day_max":7})")},
    {"DELETE /v1/devices/{}", of_owner(std::string{device})},
    {"POST /v1/devices/{}/connect", of_owner(std::string{device})},
    {"POST /v1/devices/{}/disconnect", of_owner(std::string{device})},
    {"POST /v1/devices/{}/pause", of_owner(std::string{device})},
    {"POST /v1/devices/{}/resume",
     [](World& world, std::string_view operation) {
         EXPECT_EQ(world.post("/devices/6281100000001/pause").status, 200);
         return world.call_by(world.owner(), operation, device);
     }},
    {"DELETE /v1/devices/{}/queue", of_owner(std::string{device})},
    {"POST /v1/devices/{}/import", of_move(false)},
    {"POST /v1/devices/{}/export", of_move(true)},
    {"POST /v1/devices/{}/pair", of_owner(std::string{device}, R"({"method":"qr"})")},
    {"POST /v1/devices/{}/pairing/answer",
     [](World& world, std::string_view operation) {
         world.secrets.emplace_back("774411");
         return world.call_by(world.owner(), operation, device, R"({"answer":"774411"})");
     }},
    {"POST /v1/devices/{}/pairing-code", of_owner(std::string{device})},
    {"PUT /v1/devices/{}/webhook",
     of_owner(std::string{device}, R"({"url":"https://toko.example.com/x"})")},
    {"DELETE /v1/devices/{}/webhook", of_owner(std::string{device})},
    {"POST /v1/keys", of_owner("", R"({"name":"x"})")},
    {"DELETE /v1/keys/{}",
     [](World& world, std::string_view operation) {
         return world.call_by(world.owner(), operation, world.new_key());
     }},
    {"POST /v1/keys/{}/rotate",
     [](World& world, std::string_view operation) {
         return world.call_by(world.owner(), operation, world.new_key());
     }},
    {"PATCH /v1/account", of_owner("", R"({"name":"Warung"})")},
    {"POST /v1/account/secret", of_owner("")},
    {"POST /v1/account/people",
     of_local("", R"({"account":"acc_1","email":"b@toko.example","role":"viewer"})")},
    {"PATCH /v1/account/people/{}",
     [](World& world, std::string_view operation) {
         world.post("/account/people",
                    R"({"account":"acc_1","email":"b@toko.example","role":"viewer"})");
         return world.call_by(world.owner(), operation, "b@toko.example", R"({"role":"operator"})");
     }},
    {"DELETE /v1/account/people/{}",
     [](World& world, std::string_view operation) {
         world.post("/account/people",
                    R"({"account":"acc_1","email":"b@toko.example","role":"viewer"})");
         return world.call_by(world.owner(), operation, "b@toko.example");
     }},
    {"POST /v1/account/invitations", of_owner("", R"({"email":"b@toko.example","role":"viewer"})")},
    {"DELETE /v1/account/invitations/{}",
     [](World& world, std::string_view operation) {
         EXPECT_EQ(world.call_by(world.owner(), "POST /v1/account/invitations", {},
                                 R"({"email":"b@toko.example","role":"viewer"})"),
                   200);
         return world.call_by(world.owner(), operation, "inv_1");
     }},
    {"POST /v1/invitation/accept",
     [](World& world, std::string_view operation) {
         const auto token = world.invitation_token("b@toko.example");
         return world.call_by({}, operation, {},
                              R"({"token":")" + token + R"(","password":"ayam berkokok 9"})");
     }},
    {"POST /v1/session/invitation",
     [](World& world, std::string_view operation) {
         const auto token = world.invitation_token(email);
         return world.call_by(world.signed_in(), operation, {}, R"({"token":")" + token + "\"}");
     }},
    {"DELETE /v1/session/memberships/{}",
     [](World& world, std::string_view operation) {
         EXPECT_EQ(world
                       .post("/admin/people",
                             R"({"email":"b@toko.example","account":"acc_1","role":"owner"})")
                       .status,
                   200);
         return world.call_by(world.signed_in(), operation, "acc_1");
     }},
    {"POST /v1/session",
     [](World& world, std::string_view operation) {
         return world.call_by({}, operation, {}, World::credentials());
     }},
    {"POST /v1/session/link",
     [](World& world, std::string_view operation) {
         const auto url = world.post("/admin/people/ani@toko.example/link").text("url");
         const auto token = url.substr(url.find('#') + 1);
         world.secrets.push_back(token);
         return world.call_by({}, operation, {}, R"({"token":")" + token + R"("})");
     }},
    {"DELETE /v1/session", of_session()},
    {"DELETE /v1/sessions/{}",
     [](World& world, std::string_view operation) {
         const auto other = world.signed_in();
         return world.call_by(world.signed_in(), operation, other.session->session().id.text());
     }},
    {"POST /v1/session/password",
     of_session(R"({"current":"kuda lumping 7","password":"ayam berkokok 9"})")},
    {"POST /v1/session/totp", of_session(R"({"current":"kuda lumping 7"})")},
    {"POST /v1/session/totp/confirm",
     [](World& world, std::string_view operation) {
         const auto me = world.signed_in();
         EXPECT_EQ(
             world.call_by(me, "POST /v1/session/totp", {}, R"({"current":"kuda lumping 7"})"),
             200);
         return world.call_by(me, operation, {},
                              R"({"code":")" + world.totp_code(*me.person) + R"("})");
     }},
    {"DELETE /v1/session/totp",
     [](World& world, std::string_view operation) {
         const auto me = world.signed_in();
         EXPECT_EQ(
             world.call_by(me, "POST /v1/session/totp", {}, R"({"current":"kuda lumping 7"})"),
             200);
         EXPECT_EQ(world.call_by(me, "POST /v1/session/totp/confirm", {},
                                 R"({"code":")" + world.totp_code(*me.person) + R"("})"),
                   200);
         auto again = me;
         again.person = world.directory.people().find(email);
         return world.call_by(again, operation);
     }},
    {"POST /v1/admin/people",
     of_local("", R"({"email":"b@toko.example","password":"ayam berkokok 9"})")},
    {"PATCH /v1/admin/people/{}",
     of_local(std::string{email}, R"({"password":"ayam berkokok 9","admin":true})")},
    {"DELETE /v1/admin/people/{}", of_local(std::string{email})},
    {"POST /v1/admin/people/{}/link", of_local(std::string{email})},
    {"POST /v1/admin/accounts", of_local("", R"({"name":"Warung"})")},
    {"PATCH /v1/admin/accounts/{}", of_local("acc_1", R"({"devices_max":7})")},
    {"POST /v1/admin/accounts/{}/topup", of_local("acc_1", R"({"amount":7,"reason":"transfer"})")},
    {"POST /v1/admin/accounts/{}/secret", of_local("acc_1")},
    {"POST /v1/admin/backup",
     [](World& world, std::string_view operation) {
         return world.call_by(World::local(), operation, {},
                              R"({"file":")" + world.folder.file("copy.db") + R"("})");
     }},
};

/// The texts of an answer that must not be in the log.
void add_secrets_of(const std::string& answer, std::vector<std::string>& secrets) {
    boost::system::error_code error;
    const auto json = boost::json::parse(answer, error);
    if (error || !json.is_object()) {
        return;
    }
    for (const char* field : {"key", "webhook_secret", "secret", "uri", "url", "password"}) {
        const auto* shown = json.get_object().if_contains(field);
        if (shown != nullptr && shown->is_string() &&
            !shown->get_string().starts_with("https://t")) {
            secrets.emplace_back(shown->get_string());
        }
    }
    if (const auto* codes = json.get_object().if_contains("recovery_codes")) {
        for (const auto& code : codes->get_array()) {
            secrets.emplace_back(code.get_string());
        }
    }
}

std::vector<std::string> changing_operations() {
    std::vector<std::string> names;
    for (const auto& operation : operations()) {
        const bool is_ours =
            std::holds_alternative<Handler*>(operation.answerer) || operation.is_streamed();
        // Not a GET, because its token must not be in an address. It changes nothing.
        const bool only_reads = operation.path == "/v1/invitation";
        const bool of_campaigns = operation.needs == model::Scope::campaigns_read ||
                                  operation.needs == model::Scope::campaigns_manage;
        if (of_campaigns) {
            continue;  // campaign_log_test.cpp
        }
        if (is_ours && operation.method != http::Method::get && !only_reads) {
            names.push_back(
                fmt::format("{} {}", http::to_string(operation.method), operation.path));
        }
    }
    return names;
}

struct EachChangeTest : ChangeLogTest, ::testing::WithParamInterface<std::string> {};

TEST_P(EachChangeTest, LeavesOneEntryThatSaysHowItEndedAndHoldsNoSecret) {
    const auto step = steps.find(GetParam());
    ASSERT_NE(step, steps.end()) << "the test does not know how to carry it out";
    const auto before = entries().size();
    ASSERT_EQ(step->second(*this, GetParam()), 200) << answers;
    const auto all = entries();
    add_secrets_of(answers, secrets);
    const auto wanted = R"("operation":")" + GetParam() + R"(")";
    std::size_t own = 0;
    for (std::size_t place = 0; place + before < all.size(); ++place) {
        own += all[place].contains(wanted) ? 1 : 0;
    }
    EXPECT_EQ(own, 1U) << ::testing::PrintToString(all);
    EXPECT_THAT(all.front(), HasSubstr(wanted));
    EXPECT_THAT(all.front(), HasSubstr(R"("outcome":"done")"));
    for (const auto& entry : all) {
        for (const auto& secret : secrets) {
            EXPECT_THAT(entry, Not(HasSubstr(secret)));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Operations, EachChangeTest, ::testing::ValuesIn(changing_operations()),
                         [](const auto& info) {
                             std::string name;
                             for (const char letter : info.param) {
                                 name += std::isalnum(static_cast<unsigned char>(letter)) != 0
                                             ? letter
                                             : '_';
                             }
                             return name;
                         });

TEST_F(ChangeLogTest, ARetryIsLoggedWithItsNewMessageThoughThatCannotBeShown) {
    messages.retried_as = ids.next();
    EXPECT_EQ(
        call_by(owner(), "POST /v1/messages/{}/retry", message_in(model::MessageState::failed)),
        404);
    EXPECT_THAT(entries().front(), HasSubstr(messages.retried_as->text()));
}

TEST_F(ChangeLogTest, WhatIsDoneOutsideTheStoreSaysHowItEnded) {
    messages.answer = ErrorCode::timeout;
    EXPECT_EQ(call_by(owner(), "POST /v1/messages/{}/cancel", message_for_later()), 504);
    EXPECT_THAT(entries().front(), HasSubstr(R"("outcome":"timeout")"));
    EXPECT_EQ(call_by(owner(), "DELETE /v1/devices/{}/queue", device), 200);
    EXPECT_THAT(entries().front(), HasSubstr(R"("after":{"cancelled":0,"complete":true})"));
}

TEST_F(ChangeLogTest, AProcessThatDiesMeanwhileLeavesAnEntryWithoutAnOutcome) {
    messages.on_call = [&] {
        EXPECT_THAT(entries().front(), HasSubstr("/cancel"));
        EXPECT_THAT(entries().front(), HasSubstr(R"("outcome":null)"));
    };
    EXPECT_EQ(call_by(owner(), "POST /v1/messages/{}/cancel", message_for_later()), 200);
    EXPECT_EQ(messages.cancelled.size(), 1U);
}

TEST_F(ChangeLogTest, ManyPagesOfCallbacksAreOneEntry) {
    for (int count = 0; count < 3; ++count) {
        (void)exhausted_callback();
    }
    const auto before = entries().size();
    EXPECT_EQ(call_by(owner(), "POST /v1/callbacks/replay", {}, R"({"state":"exhausted"})"), 200);
    const auto all = entries();
    EXPECT_EQ(all.size(), before + 1);
    EXPECT_THAT(all.front(), HasSubstr(R"("after":{"replayed":3})"));
    EXPECT_THAT(all.front(), HasSubstr(R"("account":"acc_1")"));
}

TEST_F(ChangeLogTest, AKeyOfAnExpiredAccountChangesNothing) {
    const auto key = key_of("acc_1", model::Scopes::all());
    EXPECT_EQ(patch("/admin/accounts/acc_1", R"({"expires_at":"2000-01-01T00:00:00Z"})").status,
              200);
    EXPECT_EQ(call_by(key, "POST /v1/keys", {}, R"({"name":"x"})"), 403);  // It was valid before.
}

}  // namespace
}  // namespace merpati::api::manage::testing
