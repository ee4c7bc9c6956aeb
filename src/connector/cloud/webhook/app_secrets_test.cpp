#include "connector/cloud/webhook/app_secrets.hpp"

#include <gtest/gtest.h>

#include "base/digest.hpp"

namespace merpati::connector::cloud {
namespace {

std::string signed_by(std::string_view body, std::string_view secret) {
    return "sha256=" + to_hex(hmac_sha256(as_bytes(secret), body));
}

AppSecrets::Known known(std::int64_t number, std::string secret, const std::string& account = "a") {
    AppSecrets::Known known;
    known.device.number = model::PhoneNumber::from_stored(6281100000000 + number);
    known.device.account = model::AccountId{.value = static_cast<std::int64_t>(account[0])};
    known.id = std::to_string(number);
    known.own_secret = std::move(secret);
    return known;
}

TEST(AppSecretsTest, TheServersSecretSpeaksForAllDevices) {
    AppSecrets secrets{"server"};
    EXPECT_TRUE(secrets.has_any());
    EXPECT_TRUE(secrets.know(known(1, "")));
    EXPECT_TRUE(secrets.know(known(2, "own")));
    const auto verifier = secrets.verify("body", signed_by("body", "server"));
    ASSERT_TRUE(verifier);
    EXPECT_TRUE(secrets.find("1", *verifier));
    EXPECT_TRUE(secrets.find("2", *verifier));
    EXPECT_FALSE(secrets.find("3", *verifier));
}

TEST(AppSecretsTest, ANumberIsExpectedUntilItIsKnownOrGivenUp) {
    AppSecrets secrets{"server"};
    const auto one = known(1, "");
    secrets.expect(one.id, one.device.number);
    EXPECT_TRUE(secrets.expects("1"));
    EXPECT_FALSE(secrets.expects("2"));
    EXPECT_TRUE(secrets.know(one));
    EXPECT_FALSE(secrets.expects("1"));
    secrets.expect(one.id, one.device.number);  // It is named again, and known already.
    EXPECT_FALSE(secrets.expects("1"));
    const auto two = known(2, "");
    secrets.expect(two.id, two.device.number);
    secrets.expect_no_more(two.device.number);
    EXPECT_FALSE(secrets.expects("2"));
}

TEST(AppSecretsTest, ADevicesOwnSecretSpeaksForNoOther) {
    AppSecrets secrets{"server"};
    EXPECT_TRUE(secrets.know(known(1, "")));
    EXPECT_TRUE(secrets.know(known(2, "own")));
    EXPECT_TRUE(secrets.know(known(3, "another")));
    const auto verifier = secrets.verify("body", signed_by("body", "own"));
    ASSERT_TRUE(verifier);
    EXPECT_FALSE(secrets.find("1", *verifier));
    EXPECT_TRUE(secrets.find("2", *verifier));
    EXPECT_FALSE(secrets.find("3", *verifier));
}

TEST(AppSecretsTest, WhatNoSecretSignedIsNotVerified) {
    AppSecrets secrets{"server"};
    const auto good = signed_by("body", "server");
    for (const auto& bad :
         {std::string{}, signed_by("body", "guess"), signed_by("other", "server"), good.substr(7),
          good.substr(0, 70), good + "0", "sha1=" + good.substr(5)}) {
        EXPECT_FALSE(secrets.verify("body", bad)) << bad;
    }
    EXPECT_FALSE(AppSecrets{""}.has_any());
    EXPECT_FALSE(AppSecrets{""}.verify("body", signed_by("body", "")));
}

TEST(AppSecretsTest, AForgottenDeviceTakesItsSecretAlong) {
    AppSecrets secrets{""};
    EXPECT_TRUE(secrets.know(known(1, "own")));
    EXPECT_TRUE(secrets.know(known(2, "own")));
    secrets.forget(known(1, "").device.number);
    EXPECT_TRUE(secrets.verify("body", signed_by("body", "own")));
    EXPECT_TRUE(secrets.know(known(2, "changed")));
    EXPECT_FALSE(secrets.verify("body", signed_by("body", "own")));
    secrets.forget(known(2, "").device.number);
    EXPECT_FALSE(secrets.has_any());
}

TEST(AppSecretsTest, OneAccountsSecretsLeaveRoomForOthers) {
    AppSecrets secrets{""};
    int fit = 0;
    for (int number = 0; number < 100; ++number) {
        fit += secrets.know(known(number, "own " + std::to_string(number), "a")) ? 1 : 0;
    }
    EXPECT_EQ(fit, 32);
    EXPECT_TRUE(secrets.know(known(200, "of another", "b")));
    EXPECT_TRUE(secrets.verify("body", signed_by("body", "of another")));
}

}  // namespace
}  // namespace merpati::connector::cloud
