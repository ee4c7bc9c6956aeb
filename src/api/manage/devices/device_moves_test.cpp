// Importing and exporting what a connector keeps for a device.
#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage {
namespace {

using namespace testing;
using namespace std::chrono_literals;

constexpr std::string_view number = "6281234567890";
constexpr std::string_view import_path = "/devices/6281234567890/import";

struct DeviceMovesTest : ManageTest {
    DeviceMovesTest() {
        make_device(account, number);
        set_state(model::DeviceState::disconnected);
        devices.calls.clear();
    }
    void change(std::move_only_function<Result<void>(store::Tables&)> run) {
        store::WriteBatch batch;
        batch.changes.push_back({.run = std::move(run)});
        write(batch);
        ASSERT_TRUE(batch.changes.front().result);
        for (const auto& row : batch.row_changes) {
            directory.apply(row);
        }
    }
    void set_state(model::DeviceState state) {
        change([&](store::Tables& tables) -> Result<void> {
            const auto device = *model::PhoneNumber::parse(number);
            const auto set =
                tables.set_device_state(store::DeviceIdentity::of(*directory.find_device(device)),
                                        state, "kata platform", clock.now());
            return set ? Result<void>{} : pass(set);
        });
    }
    /// The lines of the export, or its refusal.
    std::string lines(Outcome& outcome) {
        std::string all;
        for (;;) {
            const auto piece = outcome.lines->next();
            if (!piece) {
                return piece.error().detail;
            }
            all += piece->text;
            if (piece->is_last) {
                return all;
            }
        }
    }
    Outcome begin_export() {
        return manage->handle(http::Method::post, "/v1/devices/6281234567890/export", {}, {});
    }
    const std::string account = make_account();

    std::string export_all() {
        auto outcome = begin_export();
        return outcome.lines == nullptr ? outcome.body : lines(outcome);
    }
};

TEST_F(DeviceMovesTest, WhatIsImportedTakesThePlaceOfAllThatWasKeptAndLeavesAsItCame) {
    set_state(model::DeviceState::logged_out);
    EXPECT_EQ(post(import_path, R"({"secrets":{"old":"b2xk"}})").status, 200);
    const auto imported = post(import_path, R"({"secrets":{"c":"e30=","p0":""}})");
    ASSERT_EQ(imported.status, 200) << imported.whole();
    EXPECT_EQ(imported.text("state"), "disconnected");
    EXPECT_THAT(imported.whole(), Not(HasSubstr("e30=")));
    EXPECT_EQ(export_all(),
              "{\"name\":\"c\",\"value\":\"e30=\"}\n{\"name\":\"p0\",\"value\":\"\"}\n");
    EXPECT_THAT(devices.calls,
                ElementsAre("keep still 6281234567890", "let go", "keep still 6281234567890",
                            "let go", "keep still 6281234567890", "let go"));
}

TEST_F(DeviceMovesTest, AnExportIsNotedBeforeTheFirstSecretLeavesAndForgottenByAnImport) {
    EXPECT_EQ(post(import_path, R"({"secrets":{"c":"e30="}})").status, 200);
    auto outcome = begin_export();
    EXPECT_EQ(get("/devices/6281234567890").text("exported_at"), to_rfc3339(clock.now()));
    ASSERT_NE(outcome.lines, nullptr);
    clock.advance(1s);
    EXPECT_THAT(export_all(), HasSubstr("e30="));
    EXPECT_THAT(lines(outcome), HasSubstr("was changed")) << "another export began";
    EXPECT_EQ(post(import_path, R"({"secrets":{"c":"e30="}})").status, 200);
    EXPECT_TRUE(get("/devices/6281234567890").json.at("exported_at").is_null());
}

TEST_F(DeviceMovesTest, ADeviceThatBeganToConnectMeanwhileIsNotTouched) {
    EXPECT_EQ(post(import_path, R"({"secrets":{"c":"e30="}})").status, 200);
    for (const auto state : {model::DeviceState::connected, model::DeviceState::reconnecting,
                             model::DeviceState::pairing}) {
        set_state(state);
        EXPECT_EQ(post(import_path, R"({"secrets":{"c":""}})").status, 409);
        EXPECT_EQ(begin_export().status, 409);
        EXPECT_TRUE(get("/devices/6281234567890").json.at("exported_at").is_null());
    }
}

TEST_F(DeviceMovesTest, RefusesWhatIsNoDevicesSecrets) {
    for (const std::string_view body :
         {R"({})", R"({"secrets":{}})", R"({"secrets":[]})", R"({"secrets":{"c":1}})",
          R"({"secrets":{"c":"?"}})", R"({"secrets":{"":"e30="}})", R"({"secrets":{"c":null}})",
          R"({"secrets":{"c":"e30=","c":"e30="}})", R"({"secrets":{"c":"e30="},"more":1})"}) {
        EXPECT_EQ(post(import_path, body).status, 400) << body;
    }
    const auto secrets_of = [](const std::string& name, std::size_t bytes) {
        return R"({"secrets":{")" + name + R"(":")" + std::string(bytes, 'A') + R"("}})";
    };
    EXPECT_EQ(post(import_path, secrets_of(std::string(257, 'n'), 4)).status, 400);
    EXPECT_EQ(post(import_path, secrets_of("c", 700'000)).status, 400);
    EXPECT_THAT(export_all(), HasSubstr("never linked"));
    EXPECT_EQ(post("/devices/6281234567891/import", secrets_of("c", 4)).status, 404);
}

TEST_F(DeviceMovesTest, IsForTheOperatorOfTheMachineAlone) {
    const auto key = key_of(account, model::Scopes::all());
    EXPECT_EQ(call_as(key, http::Method::post, import_path, R"({"secrets":{"c":"e30="}})").status,
              403);
    EXPECT_EQ(call_as(key, http::Method::post, "/devices/6281234567890/export").status, 403);
}

}  // namespace
}  // namespace merpati::api::manage
