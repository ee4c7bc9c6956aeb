#include "forwarding/kept_request.hpp"

namespace merpati::forwarding {

KeptRequest::KeptRequest(const http::Request& request) : request_(request) {
    auto size = request.path.size() + request.query.size() + request.id.size() +
                request.authorization.size();
    for (const auto& [name, value] : request.headers) {
        size += name.size() + value.size();
    }
    bytes_.reserve(size);
    const auto keep = [this](std::string_view text) {
        const auto begin = bytes_.size();
        bytes_ += text;
        return std::string_view{bytes_}.substr(begin);
    };
    request_.path = keep(request.path);
    request_.query = keep(request.query);
    request_.id = keep(request.id);
    request_.authorization = keep(request.authorization);
    headers_.reserve(request.headers.size());
    for (const auto& [name, value] : request.headers) {
        const auto kept_name = keep(name);
        headers_.emplace_back(kept_name, keep(value));
    }
    request_.headers = headers_;
    request_.body = {};
}

}  // namespace merpati::forwarding
