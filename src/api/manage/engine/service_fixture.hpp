// Calls of a service, and what they are answered.
#pragma once

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "api/manage/engine/manage_fixture.hpp"
#include "api/manage/engine/service.hpp"

namespace merpati::api::manage::testing {

/// Receives one reply.
struct Awaited final : http::ReplySink {
    void deliver(http::Reply&& reply) override {
        thread = std::this_thread::get_id();
        promise.set_value(std::move(reply));
    }
    std::promise<http::Reply> promise;
    std::thread::id thread;
};

/// Receives one piece of a body.
struct Pieces final : http::BodySink {
    void take_piece(std::string&& bytes, bool last) override {
        promise.set_value({std::move(bytes), last});
    }
    void cut_off() override { promise.set_value({"cut off", true}); }
    std::promise<std::pair<std::string, bool>> promise;
};

struct ServiceTest : ManageTest {
    std::future<http::Reply> ask(const Operation& operation, std::string_view path,
                                 std::string_view body = {},
                                 admission::Principal principal = admission::Principal::local()) {
        sink = std::make_shared<Awaited>();
        http::Request asked;
        asked.method = operation.method;
        asked.path = path;
        asked.body = body;
        service.take(operation, asked, std::move(principal), http::Responder{sink});
        return sink->promise.get_future();
    }
    /// The reply of the operation in the table.
    http::Reply request(http::Method method, std::string_view path, std::string_view body = {}) {
        const auto row = std::ranges::find_if(operations(), [&](const Operation& operation) {
            return operation.method == method && operation.path == path;
        });
        auto reply = ask(*row, path, body);
        EXPECT_EQ(reply.wait_for(std::chrono::seconds{10}), std::future_status::ready);
        return reply.get();
    }
    static std::pair<std::string, bool> next(http::BodySource& source) {
        const auto pieces = std::make_shared<Pieces>();
        source.next(http::BodyWriter{pieces});
        return pieces->promise.get_future().get();
    }

    Service service{*manage, AppAddress{}};
    std::shared_ptr<Awaited> sink;
};

}  // namespace merpati::api::manage::testing
