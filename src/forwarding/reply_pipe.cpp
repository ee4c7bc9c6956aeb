#include "forwarding/reply_pipe.hpp"

#include <utility>

namespace merpati::forwarding {

class ReplyPipe::Source final : public http::BodySource {
public:
    explicit Source(std::shared_ptr<ReplyPipe> pipe) : pipe_(std::move(pipe)) {}
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    ~Source() override { pipe_->leave(); }

    void next(http::BodyWriter writer) override { pipe_->next(std::move(writer)); }

private:
    const std::shared_ptr<ReplyPipe> pipe_;
};

std::unique_ptr<http::BodySource> ReplyPipe::source() {
    return std::make_unique<Source>(shared_from_this());
}

bool ReplyPipe::put(std::span<const std::byte> bytes) {
    const std::lock_guard lock{mutex_};
    if (left_) {
        return false;
    }
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (writer_) {
        writer_->give(std::exchange(bytes_, {}));
        writer_.reset();
    }
    return true;
}

bool ReplyPipe::has_room() const {
    const std::lock_guard lock{mutex_};
    return bytes_.size() <= room_max;
}

bool ReplyPipe::is_left() const {
    const std::lock_guard lock{mutex_};
    return left_;
}

void ReplyPipe::finish() {
    const std::lock_guard lock{mutex_};
    finished_ = true;
    if (writer_) {
        writer_->finish();
        writer_.reset();
    }
}

void ReplyPipe::break_off() {
    const std::lock_guard lock{mutex_};
    broken_ = true;
    writer_.reset();
}

/// All that is there goes at once: it is less than a writer takes.
void ReplyPipe::next(http::BodyWriter writer) {
    bool was_full = false;
    {
        const std::lock_guard lock{mutex_};
        static_assert(room_max * 2 <= http::BodyWriter::piece_max);
        was_full = bytes_.size() > room_max;
        if (!bytes_.empty()) {
            writer.give(std::exchange(bytes_, {}));
        } else if (finished_) {
            writer.finish();
        } else if (!broken_) {
            writer_.emplace(std::move(writer));
        }
    }
    if (was_full) {
        on_change_();
    }
}

void ReplyPipe::leave() {
    {
        const std::lock_guard lock{mutex_};
        left_ = true;
        bytes_ = {};
        writer_.reset();
    }
    on_change_();
}

}  // namespace merpati::forwarding
