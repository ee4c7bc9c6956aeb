// The body of a call, as the handler of an upload reads it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "model/ids.hpp"

namespace merpati::api::manage {

/// Operation: call `next` until it answers empty: then the whole body has been read. A handler that
/// stops earlier need not read the rest. A handler must keep nothing of a body that has failed.
///
/// Threads: the call's.
class Upload {
public:
    virtual ~Upload() = default;

    /// Names the account that the body is for, once that is known and before `next`. Errors:
    /// too_many_requests (another upload for the account has not ended).
    [[nodiscard]] virtual Result<void> take_place_of(model::AccountId /*account*/) { return {}; }

    /// Waits for the next piece, which is not empty; empty: the body has ended. Not called again
    /// after an error. Errors: unreachable (the client has broken the upload off, or was too slow),
    /// shutting_down, and those of a file that is uploaded.
    [[nodiscard]] virtual Result<std::optional<std::string>> next() = 0;
};

/// A body that is in memory.
class TextUpload final : public Upload {
public:
    explicit TextUpload(std::string text) : text_(std::move(text)) {}

    [[nodiscard]] Result<std::optional<std::string>> next() override {
        auto text = std::exchange(text_, {});
        return text.empty() ? std::nullopt : std::optional{std::move(text)};
    }

private:
    std::string text_;
};

/// Gives a body of limited size as one piece.
class WholeUpload final : public Upload {
public:
    /// `pieces` must outlive it.
    WholeUpload(Upload& pieces, std::size_t bytes_max) : pieces_(pieces), bytes_max_(bytes_max) {}

    [[nodiscard]] Result<void> take_place_of(model::AccountId account) override {
        return pieces_.take_place_of(account);
    }
    /// Further errors: refused, if the body `is_too_large`.
    [[nodiscard]] Result<std::optional<std::string>> next() override {
        std::string whole;
        for (;;) {
            auto piece = pieces_.next();
            if (!piece) {
                return pass(piece);
            }
            if (!*piece) {
                return whole.empty() ? std::nullopt : std::optional{std::move(whole)};
            }
            if (whole.size() + (*piece)->size() > bytes_max_) {
                is_too_large_ = true;
                return fail(ErrorCode::refused, "the body is too large");
            }
            whole += **piece;
        }
    }

    [[nodiscard]] bool is_too_large() const noexcept { return is_too_large_; }

private:
    Upload& pieces_;
    const std::size_t bytes_max_;
    bool is_too_large_ = false;
};

}  // namespace merpati::api::manage
