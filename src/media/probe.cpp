#include "media/probe.hpp"

#include <memory>

#include "base/encoding.hpp"

namespace merpati::media {
namespace {

using std::chrono::milliseconds;

/// A server that compresses unasked is refused by its content, so it is asked not to.
constexpr const char* head_headers = "Accept-Encoding: identity\r\n";
constexpr const char* get_headers = "Accept-Encoding: identity\r\nRange: bytes=0-65535\r\n";

bool is_success(std::uint16_t status) {
    return status >= 200 && status < 300;
}

class Look : public std::enable_shared_from_this<Look> {
public:
    Look(const ProbeTools& tools, model::AccountId account, SteadyTime deadline,
         ProbeResultHandler done)
        : tools_(tools), account_(account), deadline_(deadline), done_(std::move(done)) {}

    void ask_head(const outbound::Url& url) {
        send("HEAD", url, head_headers, [self = shared_from_this(), url](Result<Followed> answer) {
            self->told_head(url, std::move(answer));
        });
    }

private:
    void told_head(const outbound::Url& url, Result<Followed> answer) {
        if (!answer && answer.error().code != ErrorCode::protocol) {
            done_({});
            return;
        }
        if (!answer || !is_success(answer->response.status)) {
            ask_beginning(url);
            return;
        }
        auto facts = facts_of(answer->response);
        if (is_refused_by_head(facts, tools_.bytes_max)) {
            done_({.facts = facts, .answered = true});
            return;
        }
        ask_beginning(answer->url);
    }

    void ask_beginning(const outbound::Url& url) {
        send("GET", url, get_headers, [self = shared_from_this()](Result<Followed> answer) {
            self->told_beginning(std::move(answer));
        });
    }

    void told_beginning(Result<Followed> answer) {
        if (!answer) {
            done_({});
            return;
        }
        const auto& response = answer->response;
        constexpr std::uint16_t range_not_satisfiable = 416;  // An empty file: left to the fetch.
        const bool refused = response.status >= 400 && response.status < 500;
        if (refused && response.status != range_not_satisfiable) {
            done_({.facts = Facts{.inaccessible = true}, .answered = true});
            return;
        }
        if (response.status != 200 && response.status != 206) {
            done_({.facts = std::nullopt, .answered = true});
            return;
        }
        auto facts = facts_of(response);
        facts.content = tools_.sniffer.sniff(as_bytes(response.body));
        done_({.facts = std::move(facts), .answered = true});
    }

    void send(const char* method, const outbound::Url& url, const char* headers, FollowDone done) {
        outbound::Request request;
        request.method = method;
        request.url = url;
        request.account = account_.value;
        request.headers = headers;
        request.timeout = std::chrono::ceil<milliseconds>(deadline_ - tools_.clock.steady_now());
        request.body_bytes_max = Sniffer::head_max;
        request.on_head = [](const outbound::Response& head) { return is_success(head.status); };
        if (request.timeout <= milliseconds{0}) {
            done_({});
            return;
        }
        tools_.follower.send(std::move(request), std::move(done));
    }

    const ProbeTools tools_;
    const model::AccountId account_;
    const SteadyTime deadline_;
    const ProbeResultHandler done_;
};

}  // namespace

void probe_url(const ProbeTools& tools, model::AccountId account, const outbound::Url& url,
               SteadyTime deadline, ProbeResultHandler done) {
    std::make_shared<Look>(tools, account, deadline, std::move(done))->ask_head(url);
}

}  // namespace merpati::media
