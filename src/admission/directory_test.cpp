#include "admission/directory.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace merpati::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

model::ApiKey key_of(std::int64_t account, std::int64_t id) {
    return {.id = {id}, .account = {account}, .digest = sha256(std::to_string(id))};
}

std::vector<std::int64_t> ids_of(const std::vector<model::ApiKey>& keys) {
    std::vector<std::int64_t> ids;
    for (const auto& key : keys) {
        ids.push_back(key.id.value);
    }
    return ids;
}

TEST(DirectoryTest, KeysAreListedByAccountAndId) {
    Directory directory;
    for (const auto& key : {key_of(2, 5), key_of(1, 4), key_of(2, 3), key_of(1, 1)}) {
        directory.apply(key);
    }
    EXPECT_THAT(ids_of(directory.keys(model::AccountId{1})), ElementsAre(1, 4));
    EXPECT_THAT(ids_of(directory.keys(model::AccountId{2})), ElementsAre(3, 5));
    EXPECT_THAT(ids_of(directory.keys(model::AccountId{3})), IsEmpty());
    EXPECT_THAT(ids_of(directory.keys(std::nullopt)), ElementsAre(1, 3, 4, 5));

    directory.apply(store::KeyRemoved{key_of(2, 3)});
    EXPECT_THAT(ids_of(directory.keys(model::AccountId{2})), ElementsAre(5));
    EXPECT_THAT(ids_of(directory.keys(std::nullopt)), ElementsAre(1, 4, 5));
}

TEST(DirectoryTest, AChangedKeyReplacesItselfInTheListOfItsAccount) {
    Directory directory;
    auto key = key_of(1, 1);
    directory.apply(model::Account{.id = {1}});
    directory.apply(key);
    key.name = "renamed";
    directory.apply(key);
    const auto listed = directory.keys(model::AccountId{1});
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_EQ(listed.front().name, "renamed");
    EXPECT_EQ(directory.find_key(key.digest)->key->name, "renamed");
}

model::Device device_of(std::int64_t account, std::int64_t number,
                        model::DeviceState state = model::DeviceState::connected) {
    return {
        .number = model::PhoneNumber::from_stored(number), .account = {account}, .state = state};
}

std::vector<std::int64_t> numbers_of(const std::vector<model::Device>& devices) {
    std::vector<std::int64_t> numbers;
    for (const auto& device : devices) {
        numbers.push_back(device.number.value());
    }
    return numbers;
}

TEST(DirectoryTest, DevicesAreListedByAccountAndNumberAndCountedByState) {
    Directory directory;
    for (const auto& device : {device_of(2, 5), device_of(1, 4), device_of(2, 3)}) {
        directory.apply(store::DeviceWritten{device});
    }
    EXPECT_THAT(numbers_of(directory.devices(model::AccountId{2})), ElementsAre(3, 5));
    EXPECT_THAT(numbers_of(directory.devices(std::nullopt)), ElementsAre(3, 4, 5));
    const auto in = [&](model::DeviceState state) {
        return directory.devices_by_state()[static_cast<std::size_t>(state)];
    };
    EXPECT_EQ(in(model::DeviceState::connected), 3U);

    directory.apply(store::DeviceWritten{device_of(2, 3, model::DeviceState::banned)});
    EXPECT_EQ(in(model::DeviceState::connected), 2U);
    EXPECT_EQ(in(model::DeviceState::banned), 1U);
    directory.apply(store::DeviceRemoved{device_of(2, 3)});
    directory.apply(store::DeviceRemoved{device_of(2, 3)});
    EXPECT_EQ(in(model::DeviceState::banned), 0U);
    EXPECT_EQ(directory.count_devices(), 2U);
    EXPECT_THAT(numbers_of(directory.devices(model::AccountId{2})), ElementsAre(5));
}

TEST(DirectoryTest, ANumberThatAnotherAccountTookIsListedThereAlone) {
    Directory directory;
    directory.apply(store::DeviceWritten{device_of(1, 4)});
    directory.apply(store::DeviceWritten{device_of(2, 4)});
    EXPECT_THAT(numbers_of(directory.devices(model::AccountId{1})), IsEmpty());
    EXPECT_THAT(numbers_of(directory.devices(model::AccountId{2})), ElementsAre(4));
    EXPECT_EQ(directory.count_devices(), 1U);
}

TEST(DirectoryTest, AKeyThatRetentionRemovedIsGone) {
    Directory directory;
    const model::ApiKey key{.id = {1}, .account = {1}, .digest = sha256("key")};
    directory.apply(model::Account{.id = {1}});
    directory.apply(key);
    EXPECT_TRUE(directory.find_key(key.digest));
    directory.apply(store::KeyRemoved{key});
    EXPECT_FALSE(directory.find_key(key.digest));
    EXPECT_TRUE(directory.keys(std::nullopt).empty());
}

TEST(DirectoryTest, KnowsWhatARowWasThatAnotherProcessRemoved) {
    using Kind = store::DirectoryRow::Kind;
    Directory directory;
    const auto key = key_of(1, 5);
    const model::Session session{.id = {3}, .person = {2}, .digest = sha256("token")};
    directory.apply(model::Account{.id = {1}});
    directory.apply(key);
    directory.apply(store::DeviceWritten{device_of(1, 4)});
    directory.apply(model::Person{.id = {2}, .email = "ani@toko.example"});
    directory.apply(session);
    for (const auto kind : {Kind::key, Kind::device, Kind::person, Kind::session}) {
        EXPECT_FALSE(directory.removal_of({.kind = kind, .id = 99}));
    }
    EXPECT_FALSE(directory.removal_of({.kind = Kind::account, .id = 1}));
    for (const store::DirectoryRow row : {store::DirectoryRow{.kind = Kind::session, .id = 3},
                                          store::DirectoryRow{.kind = Kind::key, .id = 5},
                                          store::DirectoryRow{.kind = Kind::device, .id = 4},
                                          store::DirectoryRow{.kind = Kind::person, .id = 2}}) {
        const auto removal = directory.removal_of(row);
        ASSERT_TRUE(removal);
        EXPECT_EQ(store::directory_row_of(*removal), row);
        directory.apply(*removal);
        EXPECT_FALSE(directory.removal_of(row));
    }
    EXPECT_FALSE(directory.find_key(key.digest));
    EXPECT_EQ(directory.count_devices(), 0U);
    EXPECT_FALSE(directory.people().find_session(session.digest));
    EXPECT_EQ(directory.people().find(model::PersonId{2}), nullptr);
}

}  // namespace
}  // namespace merpati::admission
