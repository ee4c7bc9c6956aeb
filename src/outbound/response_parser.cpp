#include "outbound/response_parser.hpp"

#include <algorithm>
#include <limits>

#include <boost/beast/http/error.hpp>

namespace merpati::outbound {
namespace {

namespace http = boost::beast::http;

constexpr std::size_t header_count_max = 128;

}  // namespace

ResponseParser::ResponseParser(const Request& request, bool head_only) : request_(request) {
    eager(true);
    skip(head_only);
    header_limit(static_cast<std::uint32_t>(request.header_bytes_max));
    body_limit(std::numeric_limits<std::uint64_t>::max());  // Counted here, to keep what fits.
}

void ResponseParser::on_response_impl(int code, string_view, int, error_code&) {
    response = {};
    response.status = static_cast<std::uint16_t>(code);
    response.headers.reserve(8);
}

void ResponseParser::on_field_impl(field, string_view name_text, string_view value,
                                   error_code& error) {
    if (response.headers.size() >= header_count_max) {
        error = http::error::header_limit;
        return;
    }
    std::string name{name_text};
    std::ranges::transform(name, name.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    });
    response.headers.emplace_back(std::move(name), std::string{value});
}

void ResponseParser::on_header_impl(error_code& error) {
    const bool is_final = response.status >= 200;
    if (is_final && request_.on_head && !request_.on_head(response)) {
        cut_ = true;
        error = http::error::body_limit;
    }
}

std::size_t ResponseParser::on_body_impl(string_view body, error_code& error) {
    const auto room = request_.body_bytes_max - received_;
    const auto taken = body.substr(0, std::min(room, body.size()));
    received_ += taken.size();
    if (request_.on_body) {
        if (!request_.on_body(std::as_bytes(std::span{taken.data(), taken.size()}))) {
            cut_ = true;
        }
    } else {
        response.body.append(taken.data(), taken.size());
    }
    if (taken.size() < body.size()) {
        cut_ = true;
    }
    if (cut_) {
        error = http::error::body_limit;
    }
    return taken.size();
}

std::size_t ResponseParser::on_chunk_body_impl(std::uint64_t, string_view body, error_code& error) {
    return on_body_impl(body, error);
}

}  // namespace merpati::outbound
