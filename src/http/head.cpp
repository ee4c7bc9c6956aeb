#include "http/head.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include <boost/beast/http/basic_parser.hpp>

#include "base/number.hpp"
#include "http/ascii.hpp"

namespace merpati::http {
namespace {

namespace beast = boost::beast;
using beast::http::field;
using beast::http::verb;
using HeadError = beast::error_code;

Method to_method(std::string_view name) noexcept {
    for (std::size_t i = 0; i < static_cast<std::size_t>(Method::other); ++i) {
        if (name == to_string(static_cast<Method>(i))) {
            return static_cast<Method>(i);
        }
    }
    return Method::other;
}

bool is_request_id(std::string_view text) noexcept {
    return !text.empty() && text.size() <= 128 && std::ranges::all_of(text, [](char c) {
        return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-';
    });
}

/// Whether all characters may be in uri-host [ ":" port ] (RFC 3986 section 3.2.2), which excludes
/// user info and lists.
bool is_host(std::string_view text) noexcept {
    return std::ranges::all_of(text, [](char c) {
        return is_letter(c) || is_digit(c) ||
               std::string_view{"-._~:[]%!$&'()*+;="}.find(c) != std::string_view::npos;
    });
}

/// Fills a Head with views, instead of Beast's container of copies.
class HeadParser final : public beast::http::basic_parser<true> {
public:
    explicit HeadParser(Head& head) : head_(head) {
        header_limit(std::numeric_limits<std::uint32_t>::max());  // HeadScanner enforces it.
        body_limit(boost::none);
        skip(true);  // RequestReader reads the body.
    }

    [[nodiscard]] bool take_target(std::string_view target);
    [[nodiscard]] bool framing_is_sound() const;

private:
    void on_request_impl(verb name, beast::string_view name_text, beast::string_view target,
                         int version, HeadError& error) override;
    void on_field_impl(field name, beast::string_view name_text, beast::string_view value,
                       HeadError& error) override;
    [[nodiscard]] bool take_field(field name, std::string_view name_text, std::string_view value);

    // NOLINTBEGIN(readability-named-parameter): nothing is done here.
    void on_response_impl(int, beast::string_view, int, HeadError&) override {}
    void on_header_impl(HeadError&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, HeadError&) override {}
    std::size_t on_body_impl(beast::string_view, HeadError&) override { return 0; }
    void on_chunk_header_impl(std::uint64_t, beast::string_view, HeadError&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view, HeadError&) override {
        return 0;
    }
    void on_finish_impl(HeadError&) override {}
    // NOLINTEND(readability-named-parameter)

    Head& head_;
    int hosts_ = 0;
    bool has_length_ = false;
};

void HeadParser::on_request_impl(verb /*name*/, beast::string_view name_text,
                                 beast::string_view target, int version, HeadError& error) {
    head_.method = to_method({name_text.data(), name_text.size()});
    head_.version_1_0 = version == 10;
    if (!take_target({target.data(), target.size()})) {
        error = beast::http::error::bad_target;
    }
}

bool HeadParser::take_target(std::string_view target) {
    static constexpr auto visible = [](char c) { return c > ' ' && c < '\x7f' && c != '#'; };
    if (!std::ranges::all_of(target, visible)) {
        return false;
    }
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (equals_ignoring_case(target.substr(0, scheme.size()), scheme)) {
            const std::size_t host_end = target.find_first_of("/?", scheme.size());
            const auto host = target.substr(scheme.size(), host_end == std::string_view::npos
                                                               ? host_end
                                                               : host_end - scheme.size());
            if (host.empty() || !is_host(host)) {
                return false;
            }
            target = host_end == std::string_view::npos ? "/" : target.substr(host_end);
            break;
        }
    }
    const bool whole_server = target == "*" && head_.method == Method::options;
    if (!target.starts_with('/') && !target.starts_with('?') && !whole_server) {
        return false;
    }
    const std::size_t query = target.find('?');
    head_.path = query == 0 ? "/" : target.substr(0, query);
    head_.query = query == std::string_view::npos ? "" : target.substr(query + 1);
    return true;
}

void HeadParser::on_field_impl(field name, beast::string_view name_text, beast::string_view value,
                               HeadError& error) {
    const std::string_view key{name_text.data(), name_text.size()};
    const std::string_view text{value.data(), value.size()};
    if (!take_field(name, key, text)) {
        error = beast::http::error::bad_value;
        return;
    }
    head_.headers.emplace_back(key, text);
}

bool HeadParser::take_field(field name, std::string_view name_text, std::string_view value) {
    if (name == field::content_length) {
        const auto length = parse_whole<std::uint64_t>(value);
        head_.content_length = length.value_or(0);
        return !std::exchange(has_length_, true) && length;
    }
    if (name == field::transfer_encoding) {
        return !std::exchange(head_.chunked, true) && equals_ignoring_case(value, "chunked");
    }
    if (name == field::host) {
        ++hosts_;
        return is_host(value);
    }
    if (name == field::authorization && head_.authorization.empty()) {
        head_.authorization = value;
    } else if (name == field::expect) {
        head_.expects_continue = equals_ignoring_case(value, "100-continue");
    } else if (name == field::unknown && head_.request_id.empty() &&
               equals_ignoring_case(name_text, "X-Request-Id") && is_request_id(value)) {
        head_.request_id = value;
    }
    return true;
}

bool HeadParser::framing_is_sound() const {
    const bool length_is_said_once = !(has_length_ && head_.chunked);
    const bool hosts_fit = head_.version_1_0 ? hosts_ <= 1 : hosts_ == 1;
    return length_is_said_once && hosts_fit && !(head_.version_1_0 && head_.chunked);
}

/// Whether the first line is a request line of another version: "PRI * HTTP/2.0".
bool names_other_version(std::string_view head) {
    const auto line = head.substr(0, head.find('\r'));
    if (line.size() < 9 || std::ranges::count(line, ' ') != 2) {
        return false;
    }
    const auto end = line.substr(line.size() - 9);
    return end.starts_with(" HTTP/") && is_digit(end[6]) && end[7] == '.' && is_digit(end[8]);
}

}  // namespace

std::uint16_t Head::parse(std::string_view bytes) {
    auto storage = std::move(headers);
    storage.clear();
    *this = Head{};
    headers = std::move(storage);

    HeadParser parser{*this};
    HeadError error;
    parser.put(boost::asio::buffer(bytes), error);
    if (error == beast::http::error::bad_version && names_other_version(bytes)) {
        return 505;
    }
    if (error || !parser.is_header_done() || !parser.framing_is_sound()) {
        return 400;
    }
    keep_alive = parser.keep_alive();
    expects_continue = expects_continue && !version_1_0;
    return 0;
}

Request Head::request() const {
    Request request;
    request.method = method;
    request.path = path;
    request.query = query;
    request.id = request_id;
    request.authorization = authorization;
    request.headers = headers;
    return request;
}

void Head::move_views(std::string_view from, const char* to) noexcept {
    const auto move = [&](std::string_view& view) {
        // Some views are not inside the request: the path of "http://host", and missing fields.
        const bool inside = !std::less<>{}(view.data(), from.data()) &&
                            !std::less<>{}(from.data() + from.size(), view.data() + view.size());
        if (!view.empty() && inside) {
            view = {to + (view.data() - from.data()), view.size()};
        }
    };
    move(path);
    move(query);
    move(authorization);
    move(request_id);
    for (auto& [name, value] : headers) {
        move(name);
        move(value);
    }
}

}  // namespace merpati::http
