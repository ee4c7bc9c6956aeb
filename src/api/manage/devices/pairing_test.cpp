#include <algorithm>

#include "api/manage/engine/manage_fixture.hpp"
#include "api/operation.hpp"
#include "model/texts.hpp"

namespace merpati::api::manage::testing {
namespace {

struct PairingTest : ManageTest {
    PairingTest() {
        make_device(account, number);
        devices.shown_pairing = {.under_way = true,
                                 .method = "qr",
                                 .payload = "https://platform.example/link#1",
                                 .expires_at = clock.now() + std::chrono::seconds{20},
                                 .reason = {}};
    }

    Outcome qr(std::string_view accept) {
        const auto operation =
            std::ranges::find(operations(), "/v1/devices/{}/qr", &Operation::path);
        return manage->run(*operation,
                           {.method = http::Method::get,
                            .path = "/v1/devices/" + number + "/qr",
                            .head = {.accept = std::string{accept}}},
                           admission::Principal::local());
    }

    const std::string number = "6281100000001";
    const std::string account = make_account();
};

TEST_F(PairingTest, AQrCodeIsAPictureATextOrJson) {
    const auto picture = qr("image/avif,image/svg+xml,image/*,*/*;q=0.8");
    EXPECT_EQ(picture.status, 200);
    EXPECT_EQ(picture.content_type, "image/svg+xml");
    EXPECT_TRUE(picture.body.starts_with("<svg "));
    const auto text = qr("text/plain");
    EXPECT_EQ(text.content_type, "text/plain; charset=utf-8");
    EXPECT_THAT(text.body, HasSubstr("▀"));
    for (const auto* accept : {"", "*/*", "application/json"}) {
        const auto json = qr(accept);
        EXPECT_EQ(json.content_type, "application/json");
        EXPECT_THAT(json.body, HasSubstr(R"("payload":"https://platform.example/link#1")"));
        EXPECT_THAT(json.body, HasSubstr(R"("expires_at":")"));
    }
}

TEST_F(PairingTest, OneThatHasExpiredOrIsNoneIsNotFound) {
    clock.advance(std::chrono::seconds{20});
    EXPECT_EQ(qr("image/svg+xml").status, 404);
    devices.shown_pairing.expires_at = clock.now() + std::chrono::seconds{20};
    EXPECT_EQ(qr("image/svg+xml").status, 200);
    devices.shown_pairing.payload = std::string(3'000, 'x');
    EXPECT_EQ(qr("image/svg+xml").status, 404);
    devices.shown_pairing.method = "code";
    EXPECT_EQ(qr("").status, 404);
    devices.shown_pairing = {};
    EXPECT_EQ(qr("").status, 404);
}

TEST_F(PairingTest, WhatAPersonIsAskedForIsSaidInTheirLanguage) {
    devices.shown_pairing.method = "otp";
    devices.shown_pairing.payload = model::reasons::pin_wanted;
    const auto step = get("/devices/" + number + "/pairing");
    EXPECT_THAT(step.text("payload"), HasSubstr("PIN of six digits"));
}

TEST_F(PairingTest, ACodeIsAskedForOnceWhileItCounts) {
    const auto path = "/devices/" + number + "/pairing-code";
    EXPECT_EQ(post(path).status, 200);
    EXPECT_THAT(devices.calls, ElementsAre("new " + number, "pair " + number + " code"));
    devices.shown_pairing.method = "code";
    devices.shown_pairing.payload = "ABCD1234";
    EXPECT_EQ(post(path).text("payload"), "ABCD1234");
    EXPECT_EQ(devices.calls.size(), 2U);
    clock.advance(std::chrono::minutes{1});
    EXPECT_EQ(post(path).status, 200);
    EXPECT_EQ(devices.calls.size(), 3U);
    EXPECT_EQ(post("/devices/6281100000009/pairing-code").status, 404);
}

}  // namespace
}  // namespace merpati::api::manage::testing
