#include "outbound/response.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "base/ascii.hpp"

namespace merpati::outbound {
namespace {

namespace beast = boost::beast;
using beast::http::field;
using beast::http::verb;
using error_code = boost::system::error_code;

constexpr std::size_t header_count_max = 128;

class HeadParser final : public beast::http::basic_parser<false> {
public:
    explicit HeadParser(ResponseHead& head) : head_(head) {
        header_limit(std::numeric_limits<std::uint32_t>::max());  // ResponseReader enforces it.
        body_limit(boost::none);
        eager(false);
        skip(true);  // ResponseReader reads the body.
    }

    [[nodiscard]] bool has_other_coding() const noexcept { return other_coding_; }

private:
    void on_response_impl(int code, beast::string_view reason, int version,
                          error_code& error) override;
    void on_field_impl(field name, beast::string_view name_text, beast::string_view value,
                       error_code& error) override;

    // NOLINTBEGIN(readability-named-parameter): nothing is done here.
    void on_request_impl(verb, beast::string_view, beast::string_view, int, error_code&) override {}
    void on_header_impl(error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(beast::string_view, error_code&) override { return 0; }
    void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view, error_code&) override {
        return 0;
    }
    void on_finish_impl(error_code&) override {}
    // NOLINTEND(readability-named-parameter)

    ResponseHead& head_;
    bool other_coding_ = false;
};

void HeadParser::on_response_impl(int code, beast::string_view /*reason*/, int /*version*/,
                                  error_code& error) {
    if (code < 100) {
        error = beast::http::error::bad_status;
        return;
    }
    head_.response.status = static_cast<std::uint16_t>(code);
    head_.response.headers.reserve(8);
}

void HeadParser::on_field_impl(field name, beast::string_view name_text, beast::string_view value,
                               error_code& error) {
    auto& headers = head_.response.headers;
    if (headers.size() >= header_count_max) {
        error = beast::http::error::header_limit;
        return;
    }
    if (name == field::transfer_encoding &&
        !equals_ignoring_case({value.data(), value.size()}, "chunked")) {
        other_coding_ = true;
    }
    headers.emplace_back(lower_case({name_text.data(), name_text.size()}),
                         std::string{value.data(), value.size()});
}

}  // namespace

std::string_view Response::header(std::string_view name) const noexcept {
    const auto found = std::ranges::find(
        headers, name, [](const auto& one) { return std::string_view{one.first}; });
    return found == headers.end() ? std::string_view{} : std::string_view{found->second};
}

Result<ResponseHead> parse_response_head(std::string_view bytes, bool to_head) {
    ResponseHead head;
    HeadParser parser{head};
    error_code error;
    parser.put(boost::asio::buffer(bytes), error);
    if (error || !parser.is_done()) {
        return fail(ErrorCode::protocol,
                    "not an HTTP answer: " + (error ? error.message() : "its head has no end"));
    }
    const auto status = head.response.status;
    const auto length = parser.content_length();
    head.keep_alive = parser.keep_alive();
    if (to_head || status < 200 || status == 204 || status == 304) {
        head.framing = Framing::none;
    } else if (parser.has_other_coding()) {
        head.framing = Framing::unknown;
    } else if (parser.chunked()) {
        head.framing = Framing::chunked;
    } else if (length) {
        head.framing = *length == 0 ? Framing::none : Framing::length;
        head.length = *length;
    } else {
        head.framing = Framing::until_end;
    }
    return head;
}

}  // namespace merpati::outbound
