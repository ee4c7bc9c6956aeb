#include "http/reply.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "http/body_receiver.hpp"

namespace merpati::http {

void Reply::add_header(std::string_view name, std::string_view value) {
    static constexpr std::string_view line_ends{"\r\n\0", 3};
    invariant(name.find_first_of(line_ends) == std::string_view::npos &&
                  value.find_first_of(line_ends) == std::string_view::npos,
              "a reply's header is one line");
    headers.append(name).append(": ").append(value).append("\r\n");
}

std::optional<std::string_view> Reply::added_header(std::string_view name) const noexcept {
    std::string_view rest{headers};
    while (!rest.empty()) {
        const auto line = rest.substr(0, rest.find("\r\n"));
        rest.remove_prefix(std::min(line.size() + 2, rest.size()));
        if (line.size() > name.size() + 1 && line.starts_with(name) && line[name.size()] == ':') {
            return line.substr(name.size() + 2);
        }
    }
    return std::nullopt;
}

BodyWriter::~BodyWriter() {
    if (sink_) {
        sink_->cut_off();
    }
}

void BodyWriter::hand_over(std::string&& bytes, bool last) {
    invariant(sink_ != nullptr && bytes.size() <= piece_max,
              "a piece of a body is given once, and is no larger than one client "
              "may hold");
    std::exchange(sink_, nullptr)->take_piece(std::move(bytes), last);
}

PieceHold::~PieceHold() {
    if (feed_) {
        feed_->go_on(number_);
    }
}

void ReplySink::abandon() {
    deliver(Reply{.status = 500});
}

Responder::~Responder() {
    if (sink_) {
        sink_->abandon();
    }
}

Responder& Responder::operator=(Responder&& other) noexcept {
    if (this != &other) {
        const Responder abandoned{std::exchange(sink_, std::exchange(other.sink_, nullptr))};
    }
    return *this;
}

void Responder::send(Reply reply) {
    invariant(sink_ != nullptr, "a request is answered once");
    std::exchange(sink_, nullptr)->deliver(std::move(reply));
}

}  // namespace merpati::http
