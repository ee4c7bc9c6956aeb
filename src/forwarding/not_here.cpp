#include "forwarding/not_here.hpp"

#include <utility>

#include "forwarding/passage_text.hpp"

namespace merpati::forwarding {
namespace {

class Watch final : public http::ReplySink {
public:
    Watch(http::Responder responder, Elsewhere elsewhere)
        : responder_(std::move(responder)), elsewhere_(std::move(elsewhere)) {}

    void deliver(http::Reply&& reply) override {
        auto responder = *std::exchange(responder_, std::nullopt);
        if (!reply.added_header(not_here_header)) {
            responder.send(std::move(reply));
            return;
        }
        const auto named = reply.added_header(shard_header);
        elsewhere_(named ? parse_shard(*named) : std::nullopt, std::move(responder));
    }
    void abandon() override { responder_.reset(); }
    [[nodiscard]] bool is_gone() const noexcept override {
        return !responder_ || responder_->is_gone();
    }

private:
    std::optional<http::Responder> responder_;
    Elsewhere elsewhere_;
};

}  // namespace

http::Responder watch_for_elsewhere(http::Responder responder, Elsewhere elsewhere) {
    return http::Responder{std::make_shared<Watch>(std::move(responder), std::move(elsewhere))};
}

}  // namespace merpati::forwarding
