// An account with a device, whose messages have callbacks.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "api/manage/engine/manage_fixture.hpp"

namespace merpati::api::manage::testing {

struct CallbacksTest : ManageTest {
    CallbacksTest() { make_device(account, device); }

    model::Callback callback_of(const model::Message& message, std::int64_t origin_key = 77,
                                std::string url = "https://toko.example.com/status") {
        return {.id = ids.next(),
                .account = message.account,
                .message = message.id,
                .url = std::move(url),
                .origin_key = origin_key,
                .body = "{}",
                .created_at = clock.now()};
    }
    model::Callback told(model::CallbackState state, std::int64_t origin_key = 77) {
        const auto message = accept(account, device);
        const auto callback = callback_of(message, origin_key);
        finish(message, model::MessageState::sent, callback);
        if (state != model::CallbackState::waiting) {
            attempt(callback, state, state == model::CallbackState::delivered ? 200 : 500);
        }
        return callback;
    }
    void attempt(const model::Callback& callback, model::CallbackState state, std::uint16_t status,
                 std::uint32_t number = 1) {
        store::WriteBatch batch;
        batch.callback_updates.push_back(
            {.event = callback.id,
             .progress = {.state = state,
                          .attempts = number,
                          .due_at = clock.now() + std::chrono::seconds{5},
                          .last_status = status,
                          .last_error = status == 200 ? "" : fmt::format("HTTP {}", status),
                          .updated_at = clock.now()},
             .took = Millis{120},
             .answer = "ok"});
        write(batch);
    }

    std::string account = make_account();
    std::string device = "6281100000001";
};

}  // namespace merpati::api::manage::testing
