#include "forwarding/not_here.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "forwarding/passage_text.hpp"

namespace merpati::forwarding {
namespace {

/// The value of a header that this program has written. Empty: it is not there.
std::optional<std::string_view> header_in(std::string_view headers, std::string_view name) {
    while (!headers.empty()) {
        const auto line = headers.substr(0, headers.find("\r\n"));
        headers.remove_prefix(std::min(line.size() + 2, headers.size()));
        if (line.size() > name.size() + 1 && line.starts_with(name) && line[name.size()] == ':') {
            return line.substr(name.size() + 2);
        }
    }
    return std::nullopt;
}

class Watch final : public http::ReplySink {
public:
    Watch(http::Responder responder, Elsewhere elsewhere)
        : responder_(std::move(responder)), elsewhere_(std::move(elsewhere)) {}

    void deliver(http::Reply&& reply) override {
        auto responder = *std::exchange(responder_, std::nullopt);
        if (!header_in(reply.headers, not_here_header)) {
            responder.send(std::move(reply));
            return;
        }
        const auto named = header_in(reply.headers, shard_header);
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
