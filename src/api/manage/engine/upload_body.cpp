#include "api/manage/engine/upload_body.hpp"

#include <utility>

namespace merpati::api::manage {

class UploadBody::Receiver final : public http::BodyReceiver {
public:
    explicit Receiver(std::shared_ptr<UploadBody> body) : body_(std::move(body)) {}
    ~Receiver() override { body_->end(ErrorCode::unreachable); }

    void take(std::string piece, http::PieceHold hold) override {
        body_->put(std::move(piece), std::move(hold));
    }
    void finish() override { body_->finish(); }

private:
    const std::shared_ptr<UploadBody> body_;
};

std::unique_ptr<http::BodyReceiver> UploadBody::receiver() {
    return std::make_unique<Receiver>(shared_from_this());
}

Result<std::optional<std::string>> UploadBody::next() {
    std::unique_lock lock{mutex_};
    if (!piece_) {
        hold_.reset();
    }
    const bool came =
        arrived_.wait_for(lock, wait_max_, [this] { return piece_ || has_ended_ || broken_off_; });
    if (broken_off_ || !came) {
        return fail(broken_off_.value_or(ErrorCode::unreachable),
                    "the body did not arrive in full: send it again");
    }
    auto piece = std::exchange(piece_, std::nullopt);
    hold_.reset();
    return piece;
}

bool UploadBody::is_broken_off() {
    const std::lock_guard lock{mutex_};
    return broken_off_.has_value();
}

void UploadBody::put(std::string piece, http::PieceHold hold) {
    const std::lock_guard lock{mutex_};
    bytes_ += piece.size();
    piece_ = std::move(piece);
    hold_.emplace(std::move(hold));
    arrived_.notify_one();
}

void UploadBody::finish() {
    const std::lock_guard lock{mutex_};
    has_ended_ = true;
    arrived_.notify_one();
}

void UploadBody::end(ErrorCode why) {
    const std::lock_guard lock{mutex_};
    if (!has_ended_ && !broken_off_) {
        broken_off_ = why;
        arrived_.notify_one();
    }
}

}  // namespace merpati::api::manage
