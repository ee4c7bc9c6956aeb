// Passes the body of an upload from the connection to the thread of the call.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "api/manage/engine/upload.hpp"
#include "http/body_receiver.hpp"

namespace merpati::api::manage {

/// Operation: nothing of the body is read before the first `next`. Later one piece waits while the
/// handler has the one before, so that reading and handling overlap. `receiver` makes the part for
/// the connection; an upload whose receiver is destroyed before the end is broken off.
///
/// Threads: `next` by the call's, as `take_place_of`; `bytes`, `is_broken_off` and `break_off` by
/// any.
///
/// Limits: one piece. `next` waits at most `patience`; a sender is too slow for the server before
/// that (http::Limits).
class UploadBody final : public Upload, public std::enable_shared_from_this<UploadBody> {
public:
    /// More than the longest http.body_timeout.
    static constexpr std::chrono::minutes patience{10};

    /// `hold`: on the body as a whole (http::UploadHandler).
    explicit UploadBody(http::PieceHold hold, std::chrono::milliseconds wait_max = patience)
        : wait_max_(wait_max), hold_(std::in_place, std::move(hold)) {}

    /// Asks `on_account`, which is set before the call begins; empty: there is no limit.
    [[nodiscard]] Result<void> take_place_of(model::AccountId account) override {
        return on_account ? on_account(account) : Result<void>{};
    }
    std::function<Result<void>(model::AccountId)> on_account;

    [[nodiscard]] Result<std::optional<std::string>> next() override;

    [[nodiscard]] std::unique_ptr<http::BodyReceiver> receiver();

    /// How much of the body has arrived.
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

    /// Whether its end cannot arrive any more: the handler stops at its next piece.
    [[nodiscard]] bool is_broken_off();

    /// A `next` that waits, and each later one, fails with shutting_down.
    void break_off() { end(ErrorCode::shutting_down); }

private:
    class Receiver;
    void put(std::string piece, http::PieceHold hold);
    void finish();
    void end(ErrorCode why);

    const std::chrono::milliseconds wait_max_;
    std::atomic<std::uint64_t> bytes_ = 0;
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::optional<http::PieceHold> hold_;  // On the body, or on `piece_`.
    std::optional<std::string> piece_;
    bool has_ended_ = false;
    std::optional<ErrorCode> broken_off_;
};

}  // namespace merpati::api::manage
