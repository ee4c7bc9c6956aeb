// For tests: the client of a request that is answered on any thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "http/reply.hpp"
#include "http/server_fixture.hpp"

namespace merpati::daemon {

/// Threads: any.
class LateAnswer final : public http::ReplySink {
public:
    void deliver(http::Reply&& reply) override {
        const std::lock_guard lock{mutex_};
        reply_ = std::move(reply);
    }
    [[nodiscard]] bool is_there() {
        const std::lock_guard lock{mutex_};
        return reply_.has_value();
    }
    /// 0: there is none yet.
    [[nodiscard]] int status() {
        const std::lock_guard lock{mutex_};
        return reply_ ? reply_->status : 0;
    }

    // Wait for it.
    int wait() {
        EXPECT_TRUE(http::testing::eventually([this] { return is_there(); }));
        return status();
    }
    std::string body() {
        wait();
        const std::lock_guard lock{mutex_};
        return reply_ ? std::string{reply_->content()} : std::string{};
    }
    std::string headers() {
        wait();
        const std::lock_guard lock{mutex_};
        return reply_ ? reply_->headers : std::string{};
    }

private:
    std::mutex mutex_;
    std::optional<http::Reply> reply_;
};
using LateAnswerPtr = std::shared_ptr<LateAnswer>;

}  // namespace merpati::daemon
