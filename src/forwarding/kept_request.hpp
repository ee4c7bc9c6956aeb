// A request that outlives the buffer of its connection.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/request.hpp"

namespace merpati::forwarding {

/// A copy of a request's head. Threads: none.
class KeptRequest {
public:
    explicit KeptRequest(const http::Request& request);
    KeptRequest(const KeptRequest&) = delete;
    KeptRequest& operator=(const KeptRequest&) = delete;

    /// Views into this object. Its `party` is the connection's, which must still be there.
    [[nodiscard]] http::Request& request() noexcept { return request_; }

private:
    std::string bytes_;  // Allocated once, because views point to it.
    std::vector<http::Request::Header> headers_;
    http::Request request_;
};

/// A copy of a request with its body, as far as that has come. Threads: none.
class KeptWhole {
public:
    explicit KeptWhole(const http::Request& request) : head_(request), body_(request.body) {}

    void add(std::string_view piece) { body_ += piece; }
    void drop_body() { body_ = {}; }
    [[nodiscard]] const http::Request& request() noexcept {
        head_.request().body = body_;
        return head_.request();
    }

private:
    KeptRequest head_;
    std::string body_;
};

}  // namespace merpati::forwarding
