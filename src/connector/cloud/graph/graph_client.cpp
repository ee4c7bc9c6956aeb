#include "connector/cloud/graph/graph_client.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/serialize.hpp>
#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>
#include <fmt/format.h>

#include "connector/cloud/codec/json_reading.hpp"

namespace merpati::connector::cloud {
namespace {

using outbound::Request;
using outbound::Response;
using outbound::Url;
using Reach = GraphAnswer::Reach;

constexpr std::string_view boundary = "merpati-7d1f3c9a5be84206";
/// Names that end so belong to the platform's media.
constexpr std::array<std::string_view, 4> media_hosts{".fbsbx.com", ".fbcdn.net", ".whatsapp.net",
                                                      ".facebook.com"};
constexpr unsigned hops_max = 3;
constexpr std::size_t url_bytes_max = 4'096;
constexpr std::uint32_t download_rate_min = 1'024;

bool is_loopback(const Url& url) {
    return url.literal ? url.literal->is_loopback() : url.host == "localhost";
}

/// Plain http is for a stand-in on this machine: loopback is permitted then, and nothing else new.
std::vector<outbound::Cidr> allowed(std::vector<outbound::Cidr> allow, const Result<Url>& base) {
    if (base && is_loopback(*base)) {
        for (const auto* range : {"127.0.0.0/8", "::1/128"}) {
            allow.push_back(outbound::Cidr::parse(range).value());
        }
    }
    return allow;
}

std::string authorization(std::string_view token) {
    return fmt::format("Authorization: Bearer {}\r\n", token);
}

std::string form_field(std::string_view name, std::string_view value) {
    return fmt::format("--{}\r\nContent-Disposition: form-data; name=\"{}\"\r\n\r\n{}\r\n",
                       boundary, name, value);
}

GraphAnswer answer_of(Result<Response> response, bool written) {
    GraphAnswer answer;
    if (!response) {
        answer.reach = written ? Reach::lost : Reach::not_sent;
        answer.why = response.error().detail;
        return answer;
    }
    if (response->status < 200 || response->status > 299) {
        answer.reach = Reach::answered;
        answer.error = error_of(*response);
        return answer;
    }
    if (auto body = parse_object(response->body)) {
        answer.reach = Reach::answered;
        answer.body = std::move(*body);
    } else {
        answer.why = "the platform's answer is not JSON";
    }
    return answer;
}

bool is_redirect(const Response& response) {
    return response.status >= 300 && response.status <= 399 && !response.header("location").empty();
}

Result<Url> redirected(const Url& from, std::string_view location) {
    const auto whole = from.origin() + from.target;  // `base` refers to it.
    const auto base = boost::urls::parse_uri(whole);
    const auto reference = boost::urls::parse_uri_reference(location);
    boost::urls::url resolved;
    if (!base || !reference || !boost::urls::resolve(*base, *reference, resolved)) {
        return fail(ErrorCode::refused, "a redirect to no URL");
    }
    return Url::parse(std::string_view{resolved.buffer()}, url_bytes_max);
}

}  // namespace

Result<Url> parse_graph_url(std::string_view url) {
    auto parsed = Url::parse(url);
    if (parsed && parsed->scheme != "https" && !is_loopback(*parsed)) {
        return fail(ErrorCode::invalid_argument, "plain http is allowed for loopback alone");
    }
    return parsed;
}

bool is_token(std::string_view token) noexcept {
    return !token.empty() && std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; });
}

GraphClient::GraphClient(const Clock& clock, const boost::asio::any_io_executor& executor,
                         GraphOptions options)
    : options_(std::move(options)),
      base_(parse_graph_url(options_.url)),
      policy_(allowed(options_.allow, base_)),
      resolver_(executor),
      client_(clock, executor, policy_, resolver_, options_.client),
      slots_(options_.requests_max - options_.uploads_max),
      upload_slots_(options_.uploads_max) {}

Result<void> GraphClient::usable() const {
    return base_ ? client_.ready() : pass(base_);
}

Result<Request> GraphClient::request_to(std::string_view method, std::string_view path,
                                        std::string_view token) const {
    if (!is_token(token)) {
        return fail(ErrorCode::invalid_argument, "the token has characters that no token has");
    }
    auto url =
        Url::parse(fmt::format("{}/{}/{}", options_.url, options_.version, path), url_bytes_max);
    if (!url) {
        return pass(url);
    }
    Request request;
    request.method = method;
    request.url = std::move(*url);
    request.headers = authorization(token);
    request.timeout = options_.answer_within;
    request.body_bytes_max = answer_bytes_max;
    request.repeatable = method == "GET";
    return request;
}

void GraphClient::get(const std::string& party, std::string_view path, std::string_view token,
                      GraphAnswered done) {
    send(slots_, party, request_to("GET", path, token), std::move(done));
}

void GraphClient::post(const std::string& party, std::string_view path, std::string_view token,
                       const boost::json::object& body, GraphAnswered done) {
    auto request = request_to("POST", path, token);
    if (request) {
        request->headers += "Content-Type: application/json\r\n";
        request->body = boost::json::serialize(body);
    }
    send(slots_, party, std::move(request), std::move(done));
}

void GraphClient::upload(const std::string& party, std::string_view path, std::string_view token,
                         const UploadForm& form, GraphAnswered done) {
    auto request = request_to("POST", path, token);
    if (request) {
        request->headers +=
            fmt::format("Content-Type: multipart/form-data; boundary={}\r\n", boundary);
        request->body = form_field("messaging_product", "whatsapp") +
                        form_field("type", form.type) +
                        fmt::format(
                            "--{}\r\nContent-Disposition: form-data; name=\"file\"; "
                            "filename=\"file\"\r\nContent-Type: {}\r\n\r\n",
                            boundary, form.type);
        request->file = outbound::BodyFile{.path = form.path,
                                           .bytes = form.bytes,
                                           .after = fmt::format("\r\n--{}--\r\n", boundary)};
    }
    send(upload_slots_, party, std::move(request), std::move(done));
}

void GraphClient::send(RequestSlots& slots, const std::string& party, Result<Request> request,
                       GraphAnswered done) {
    if (!request) {
        done({.reach = Reach::not_sent, .body = {}, .error = {}, .why = request.error().detail});
        return;
    }
    slots.ask(party, [this, &slots, party, request = std::move(*request),
                      done = std::move(done)]() mutable {
        const auto written = std::make_shared<bool>(false);
        request.on_write = [written] { *written = true; };
        client_.send(std::move(request), [this, &slots, party, written, done = std::move(done)](
                                             Result<Response> response) mutable {
            slots.release(party);
            note_reach(response, *written);
            done(answer_of(std::move(response), *written));
        });
    });
}

void GraphClient::note_reach(const Result<Response>& response, bool written) {
    if (response || written) {
        unreachable_ = false;
    } else if (response.error().code == ErrorCode::unreachable ||
               response.error().code == ErrorCode::timeout) {
        unreachable_ = true;
    }
}

/// One download, with its redirects.
struct GraphClient::Hop {
    std::string party;
    Request request;
    OnBytes on_bytes;
    Downloaded done;
    unsigned hops = 0;
};

bool GraphClient::serves_media(const Url& url) const {
    if (base_ && url.host == base_->host && url.scheme == base_->scheme) {
        return true;
    }
    return url.scheme == "https" && url.port == 443 && !url.literal &&
           std::ranges::any_of(media_hosts,
                               [&url](std::string_view end) { return url.host.ends_with(end); });
}

void GraphClient::download(const std::string& party, std::string_view url, std::string_view token,
                           Millis within, OnBytes on_bytes, Downloaded done) {
    const auto parsed = Url::parse(url, url_bytes_max);
    if (!parsed || !serves_media(*parsed) || !is_token(token)) {
        done(fail(ErrorCode::refused, "the media are not at a host of the platform"));
        return;
    }
    auto download = std::make_shared<Hop>();
    download->party = party;
    download->request.method = "GET";
    download->request.url = *parsed;
    download->request.headers = authorization(token);
    download->request.timeout = within;
    download->request.first_byte_timeout = options_.answer_within;
    download->request.rate_min = download_rate_min;
    download->on_bytes = std::move(on_bytes);
    download->done = std::move(done);
    hop(std::move(download));
}

void GraphClient::hop(std::shared_ptr<Hop> download) {
    slots_.ask(download->party, [this, download = std::move(download)] {
        auto request = download->request;
        const auto is_content = std::make_shared<bool>(false);
        request.on_head = [is_content](const Response& head) {
            return *is_content = head.status == 200;
        };
        request.on_body = download->on_bytes;
        client_.send(std::move(request), [this, download, is_content](Result<Response> answer) {
            slots_.release(download->party);
            if (!answer || *is_content) {
                download->done(answer ? Result<void>{} : pass(answer));
                return;
            }
            if (!is_redirect(*answer)) {
                const bool gone = answer->status == 404 || answer->status == 410;
                download->done(
                    fail(gone ? ErrorCode::not_found : ErrorCode::unreachable,
                         fmt::format("the platform's media host answered {}", answer->status)));
                return;
            }
            auto next = redirected(download->request.url, answer->header("location"));
            if (!next || !serves_media(*next) || ++download->hops > hops_max) {
                download->done(
                    fail(ErrorCode::unreachable, "the media are not at a host of the platform"));
                return;
            }
            download->request.url = std::move(*next);
            download->request.headers.clear();  // The token goes nowhere else.
            hop(download);
        });
    });
}

void GraphClient::close() {
    client_.close();
}

}  // namespace merpati::connector::cloud
