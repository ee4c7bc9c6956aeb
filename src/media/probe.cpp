#include "media/probe.hpp"

#include <memory>

#include "base/encoding.hpp"
#include "base/number.hpp"
#include "media/verdict.hpp"

namespace merpati::media {
namespace {

using std::chrono::milliseconds;

/// Compressed content would be refused by its type, so servers are asked not to compress.
constexpr const char* head_headers = "Accept-Encoding: identity\r\n";
constexpr const char* get_headers = "Accept-Encoding: identity\r\nRange: bytes=0-65535\r\n";

/// The size of the whole file. Content-Range is "bytes 0-65535/1234567", or "*" for an unknown size
/// (RFC 9110 section 14.4).
std::optional<std::uint64_t> whole_size(const outbound::Response& head) {
    if (head.status != 206) {
        return parse_whole<std::uint64_t>(head.header("content-length"));
    }
    const auto range = head.header("content-range");
    const auto slash = range.rfind('/');
    return slash == std::string_view::npos ? std::nullopt
                                           : parse_whole<std::uint64_t>(range.substr(slash + 1));
}

bool is_success(std::uint16_t status) {
    return status >= 200 && status < 300;
}

class Probe : public std::enable_shared_from_this<Probe> {
public:
    Probe(const RequestTools& tools, std::uint64_t bytes_max, SteadyTime deadline,
          ProbeHandler done)
        : tools_(tools), bytes_max_(bytes_max), deadline_(deadline), done_(std::move(done)) {}

    void send_head(const outbound::Url& url) {
        send("HEAD", url, head_headers, [self = shared_from_this(), url](Result<Followed> answer) {
            self->on_head(url, std::move(answer));
        });
    }

private:
    void on_head(const outbound::Url& url, Result<Followed> answer) {
        if (!answer && answer.error().code != ErrorCode::protocol) {
            done_(std::nullopt, false);
            return;
        }
        if (!answer || !is_success(answer->response.status)) {
            send_get(url);
            return;
        }
        const auto result = result_of(answer->response);
        if (is_refused_by_head(result, bytes_max_)) {
            done_(result, true);
            return;
        }
        send_get(answer->url);
    }

    void send_get(const outbound::Url& url) {
        send("GET", url, get_headers, [self = shared_from_this()](Result<Followed> answer) {
            self->on_beginning(std::move(answer));
        });
    }

    void on_beginning(Result<Followed> answer) {
        if (!answer) {
            done_(std::nullopt, false);
            return;
        }
        const auto& response = answer->response;
        constexpr std::uint16_t range_not_satisfiable = 416;  // Empty file: the fetch will judge.
        const bool refused = response.status >= 400 && response.status < 500;
        if (refused && response.status != range_not_satisfiable) {
            done_(ProbeResult{.inaccessible = true}, true);
            return;
        }
        if (response.status != 200 && response.status != 206) {
            done_(std::nullopt, true);
            return;
        }
        auto result = result_of(response);
        result.content = tools_.sniffer.sniff(as_bytes(response.body));
        done_(result, true);
    }

    void send(const char* method, const outbound::Url& url, const char* headers, FollowDone done) {
        outbound::Request request;
        request.method = method;
        request.url = url;
        request.headers = headers;
        request.timeout = std::chrono::ceil<milliseconds>(deadline_ - tools_.clock.steady_now());
        request.body_bytes_max = Sniffer::head_max;
        request.on_head = [](const outbound::Response& head) { return is_success(head.status); };
        if (request.timeout <= milliseconds{0}) {
            done_(std::nullopt, false);
            return;
        }
        tools_.redirects.send(std::move(request), std::move(done));
    }

    const RequestTools tools_;
    const std::uint64_t bytes_max_;
    const SteadyTime deadline_;
    const ProbeHandler done_;
};

}  // namespace

ProbeResult result_of(const outbound::Response& head) {
    return {.declared = DeclaredType::of(head.header("content-type")), .bytes = whole_size(head)};
}

bool is_refused_by_head(const ProbeResult& result, std::uint64_t bytes_max) {
    const bool outside_the_list = result.declared.stated && result.declared.type == nullptr;
    return outside_the_list || result.bytes.value_or(0) > bytes_max;
}

ProbeVerdict verdict_of(const ProbeResult& result, model::Revision revision,
                        std::uint64_t bytes_max) {
    if (result.inaccessible) {
        return ProbeVerdict::inaccessible;
    }
    const auto verdict =
        verdict_on(result.declared, result.content.value_or(SniffedType{}), revision);
    if (verdict.kind == TypeVerdict::Kind::declared_type_refused) {
        return ProbeVerdict::declared_type_refused;
    }
    if (result.bytes.value_or(0) > bytes_max) {
        return ProbeVerdict::too_large;
    }
    return verdict.kind == TypeVerdict::Kind::acceptable ? ProbeVerdict::acceptable
                                                         : ProbeVerdict::content_type_refused;
}

void probe_url(const RequestTools& tools, std::uint64_t bytes_max, const outbound::Url& url,
               SteadyTime deadline, ProbeHandler done) {
    std::make_shared<Probe>(tools, bytes_max, deadline, std::move(done))->send_head(url);
}

}  // namespace merpati::media
