#include "connector/cloud/webhook/app_secrets.hpp"

#include <gtest/gtest.h>

#include "base/digest.hpp"

namespace merpati::connector::cloud {
namespace {

/// The first that has signed "body" with the secret.
std::optional<AppSecrets::Verifier> verifier_of(const AppSecrets& secrets, std::string_view secret,
                                                std::string_view body = "body") {
    const auto signature = hmac_sha256(as_bytes(secret), body);
    for (const auto& one : secrets.verifiers()) {
        if (one.has_signed("body", signature)) {
            return one;
        }
    }
    return std::nullopt;
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
    const auto verifier = verifier_of(secrets, "server");
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
    const auto verifier = verifier_of(secrets, "own");
    ASSERT_TRUE(verifier);
    EXPECT_FALSE(secrets.find("1", *verifier));
    EXPECT_TRUE(secrets.find("2", *verifier));
    EXPECT_FALSE(secrets.find("3", *verifier));
}

TEST(AppSecretsTest, WhatNoSecretSignedIsNotVerified) {
    AppSecrets secrets{"server"};
    EXPECT_TRUE(verifier_of(secrets, "server"));
    EXPECT_FALSE(verifier_of(secrets, "guess"));
    EXPECT_FALSE(verifier_of(secrets, "server", "other"));
    EXPECT_FALSE(AppSecrets{""}.has_any());
    EXPECT_FALSE(verifier_of(AppSecrets{""}, ""));
}

TEST(AppSecretsTest, TheServersSecretIsTriedFirst) {
    AppSecrets secrets{"server"};
    EXPECT_TRUE(secrets.know(known(1, "own")));
    ASSERT_EQ(secrets.verifiers().size(), 2U);
    EXPECT_TRUE(secrets.verifiers().front().is_server);
}

TEST(AppSecretsTest, AForgottenDeviceTakesItsSecretAlong) {
    AppSecrets secrets{""};
    EXPECT_TRUE(secrets.know(known(1, "own")));
    EXPECT_TRUE(secrets.know(known(2, "own")));
    secrets.forget(known(1, "").device.number);
    EXPECT_TRUE(verifier_of(secrets, "own"));
    EXPECT_TRUE(secrets.know(known(2, "changed")));
    EXPECT_FALSE(verifier_of(secrets, "own"));
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
    EXPECT_FALSE(secrets.has_one_for(known(99, "").device.number));
    EXPECT_TRUE(secrets.know(known(200, "of another", "b")));
    EXPECT_TRUE(secrets.has_one_for(known(200, "").device.number));
    EXPECT_TRUE(verifier_of(secrets, "of another"));
}

}  // namespace
}  // namespace merpati::connector::cloud
