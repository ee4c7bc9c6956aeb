// A body whose way is decided after its head was handled.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "http/body_receiver.hpp"

namespace merpati::forwarding {

/// Where a body goes: to this node's own receiver, unless its request is passed on before anything
/// was read of it.
///
/// Threads: any. A receiver must not say that it is elsewhere from within its calls.
class BodyWay {
public:
    /// To the receiver that `make` makes. False: something was read here.
    template <class Make>
    [[nodiscard]] bool divert(Make make) {
        const std::lock_guard lock{mutex_};
        if (is_read_) {
            return false;
        }
        is_diverted_ = true;
        receiver_ = make();
        return true;
    }
    /// To this node's receiver, if it was not diverted before. False: it leads nowhere.
    [[nodiscard]] bool lead(std::unique_ptr<http::BodyReceiver> here) {
        const std::lock_guard lock{mutex_};
        if (!is_diverted_) {
            receiver_ = std::move(here);
        }
        return receiver_ != nullptr;
    }
    void end() {
        const std::lock_guard lock{mutex_};
        is_read_ = true;
        receiver_.reset();
    }
    template <class Use>
    void use(Use use) {
        const std::lock_guard lock{mutex_};
        is_read_ = is_read_ || !is_diverted_;
        if (receiver_ != nullptr) {
            use(*receiver_);
        }
    }

private:
    std::mutex mutex_;
    bool is_read_ = false;
    bool is_diverted_ = false;
    std::unique_ptr<http::BodyReceiver> receiver_;
};

/// Goes the way.
class DivertibleBody final : public http::BodyReceiver {
public:
    explicit DivertibleBody(std::shared_ptr<BodyWay> way) : way_(std::move(way)) {}
    DivertibleBody(const DivertibleBody&) = delete;
    DivertibleBody& operator=(const DivertibleBody&) = delete;
    ~DivertibleBody() override { way_->end(); }

    void take(std::string piece, http::PieceHold hold) override {
        way_->use([&](http::BodyReceiver& receiver) {
            receiver.take(std::move(piece), std::move(hold));
        });
    }
    void finish() override {
        way_->use([](http::BodyReceiver& receiver) { receiver.finish(); });
    }

private:
    const std::shared_ptr<BodyWay> way_;
};

}  // namespace merpati::forwarding
