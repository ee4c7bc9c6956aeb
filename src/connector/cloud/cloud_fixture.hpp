// For tests of the whole connector: a connector with one connected number, and the stand-in.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "connector/cloud/cloud.hpp"
#include "connector/cloud/graph_double_fixture.hpp"
#include "connector/conformance/connector_fixture.hpp"

namespace merpati::connector::cloud {

struct CloudTest : ::testing::Test {
    static constexpr const char* number_id = "106540352242922";
    static constexpr const char* recipient = "6281234567890";

    CloudTest() { restart(); }
    ~CloudTest() override { cloud->stop(); }

    void restart() { restart(graph.options()); }
    void restart(Options options) {
        if (cloud != nullptr) {
            cloud->stop();
        }
        cloud = std::make_unique<CloudToDouble>(clock, graph, std::move(options));
        events = std::make_unique<Recorder>();
        EXPECT_TRUE(cloud->start(*events, secrets));
        put_secret(model::CloudNumber::token_name, "EAAsecrettoken123");
        connect();
    }

    void put_secret(std::string_view name, std::string_view text) {
        const auto bytes = as_bytes(text);
        secrets.put(device.number, {{std::string{name}, Bytes{bytes.begin(), bytes.end()}}},
                    DeviceSecrets::Others::stay, [](const Result<void>&) {});
    }

    void connect() {
        cloud->start_device(device, {});
        events->wait_until([&](const Reported& all) {
            return all.is(device.number, model::DeviceState::connected);
        });
    }

    Reported reported() {
        return events->wait_until([](const Reported&) { return true; });
    }

    model::Message& message(const std::string& body = "halo") {
        auto made = std::make_unique<model::Message>();
        made->id = ids.next();
        made->device = device.number;
        made->recipient = recipient;
        made->body = body;
        messages.push_back(std::move(made));
        return *messages.back();
    }

    model::Outcome send(const model::Message& sent, const media::File* file = nullptr,
                        bool as_template = false) {
        const auto before = reported().outcomes.size();
        cloud->send({.message = sent, .file = file, .as_template = as_template});
        return events->wait_until([&](const Reported& all) { return all.outcomes.size() > before; })
            .outcomes.back()
            .second;
    }

    /// A file of so many bytes, and its own hash.
    const media::File& file(const std::string& type, std::size_t bytes = 10) {
        auto made = std::make_unique<media::File>();
        made->path = folder.path() / std::to_string(files.size());
        made->media_type = type;
        made->bytes = bytes;
        made->sha256 = std::string(63, 'a') + std::to_string(files.size() % 10);
        std::ofstream{made->path} << std::string(bytes, 'f');
        files.push_back(std::move(made));
        return *files.back();
    }

    /// Another number of the same business account, with the id "2" and the token "token".
    model::Device connect_other() {
        auto other = device;
        other.number = model::PhoneNumber::from_stored(6281100000002);
        other.cloud->phone_number_id = "2";
        const auto token = as_bytes("token");
        secrets.put(other.number, {{"token", Bytes{token.begin(), token.end()}}},
                    DeviceSecrets::Others::stay, [](const Result<void>&) {});
        cloud->start_device(other, {});
        events->wait_until([&](const Reported& all) {
            return all.is(other.number, model::DeviceState::connected);
        });
        return other;
    }

    /// What the stand-in got as messages.
    [[nodiscard]] std::vector<GraphDouble::Seen> posted() const { return graph.seen("/messages"); }

    static model::Device device_with_cloud() {
        model::Device made;
        made.number = model::PhoneNumber::from_stored(6281100000001);
        made.connector = "cloud";
        made.cloud = {
            .phone_number_id = number_id, .waba_id = "55", .fallback_template = "kabar:id"};
        return made;
    }

    testing::TemporaryFolder folder;
    SystemClock clock;
    SystemRandom random;
    UuidSource ids{clock, random};
    MemorySecrets secrets;
    model::Device device = device_with_cloud();
    std::vector<std::unique_ptr<model::Message>> messages;
    std::vector<std::unique_ptr<media::File>> files;
    GraphDouble graph;
    std::unique_ptr<Recorder> events;
    std::unique_ptr<CloudToDouble> cloud;
};

}  // namespace merpati::connector::cloud
