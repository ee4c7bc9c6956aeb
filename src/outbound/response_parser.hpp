// Reads one HTTP/1.x answer, a piece at a time, within its caps.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <boost/beast/http/basic_parser.hpp>

#include "outbound/client.hpp"

namespace merpati::outbound {

/// Beast's parser, keeping what we need of the answer. A body over its cap ends the parse with
/// `over_cap`; what came before it is kept.
class ResponseParser final : public boost::beast::http::basic_parser<false> {
public:
    ResponseParser(const Request& request, bool head_only);

    Response response;

    /// Set when the body was cut at its cap, or `on_head` or `on_body` wanted no more.
    [[nodiscard]] bool cut() const noexcept { return cut_; }

private:
    using error_code = boost::system::error_code;
    using string_view = boost::beast::string_view;
    using verb = boost::beast::http::verb;
    using field = boost::beast::http::field;

    void on_request_impl(verb, string_view, string_view, int, error_code&) override {}
    void on_response_impl(int code, string_view reason, int version, error_code& error) override;
    void on_field_impl(field name, string_view name_text, string_view value,
                       error_code& error) override;
    void on_header_impl(error_code& error) override;
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(string_view body, error_code& error) override;
    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t remain, string_view body,
                                   error_code& error) override;
    void on_finish_impl(error_code&) override {}

    const Request& request_;
    std::size_t received_ = 0;
    bool cut_ = false;
};

}  // namespace merpati::outbound
