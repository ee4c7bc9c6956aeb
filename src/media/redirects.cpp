#include "media/redirects.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>

namespace merpati::media {
namespace {

using std::chrono::milliseconds;

bool is_redirect(const outbound::Response& response) {
    switch (response.status) {
        case 301:
        case 302:
        case 303:
        case 307:
        case 308:
            return !response.header("location").empty();
        default:
            return false;
    }
}

/// Percent-encodes characters that no URL may contain. Many servers do not encode file names.
std::string encoded(std::string_view location) {
    constexpr std::string_view never_in_a_url = " \"<>\\^`{|}";
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string made;
    for (const char c : location) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80 || never_in_a_url.find(c) != std::string_view::npos) {
            made += {'%', digits[byte >> 4U], digits[byte & 15U]};
        } else {
            made += c;
        }
    }
    return made;
}

}  // namespace

struct RedirectFollower::Chain {
    outbound::Request request;
    FollowDone done;
    SteadyTime deadline;
    SteadyTime first_byte_by;  // Used if the request has a first_byte_timeout.
    unsigned redirects = 0;
};

Result<outbound::Url> next_hop(const outbound::Url& from, std::string_view location,
                               const outbound::AddressPolicy& policy) {
    const auto whole = from.origin() + from.target;
    const auto base = boost::urls::parse_uri(whole);
    const auto text = encoded(location);
    const auto reference = boost::urls::parse_uri_reference(text);
    boost::urls::url resolved;
    const bool names_no_host = reference && reference->has_scheme() && !reference->has_authority();
    if (!base || !reference || names_no_host ||
        !boost::urls::resolve(*base, *reference, resolved)) {
        return fail(ErrorCode::refused, "a redirect to no URL");
    }
    auto url =
        admit_url(std::string_view{resolved.buffer()}, outbound::Schemes::http_and_https, policy);
    if (!url) {
        return fail(ErrorCode::refused, "a redirect to a URL that may not be used");
    }
    if (from.scheme == "https" && url->scheme != "https") {
        return fail(ErrorCode::refused, "a redirect from https to http");
    }
    return url;
}

void RedirectFollower::send(outbound::Request request, FollowDone done) {
    auto chain = std::make_shared<Chain>();
    chain->deadline = clock_.steady_now() + request.timeout;
    chain->first_byte_by = clock_.steady_now() + request.first_byte_timeout;
    if (request.method != "HEAD") {
        request.on_head = [inner = std::move(request.on_head)](const outbound::Response& head) {
            return !is_redirect(head) && (!inner || inner(head));
        };
    }
    chain->request = std::move(request);
    chain->done = std::move(done);
    hop(chain);
}

/// Gives the next hop the remaining time; false if there is none.
bool RedirectFollower::leave_time(Chain& chain) const {
    auto& request = chain.request;
    const auto left = [this](SteadyTime until) {
        return std::chrono::ceil<milliseconds>(until - clock_.steady_now());
    };
    request.timeout = left(chain.deadline);
    if (request.first_byte_timeout > milliseconds{0}) {
        request.first_byte_timeout = left(chain.first_byte_by);
        return request.first_byte_timeout > milliseconds{0} && request.timeout > milliseconds{0};
    }
    return request.timeout > milliseconds{0};
}

void RedirectFollower::hop(const std::shared_ptr<Chain>& chain) {
    client_.send(chain->request, [this, chain](Result<outbound::Response> answer) {
        answered(chain, std::move(answer));
    });
}

void RedirectFollower::answered(const std::shared_ptr<Chain>& chain,
                                Result<outbound::Response> answer) {
    auto& request = chain->request;
    if (!answer) {
        chain->done(pass(answer));
        return;
    }
    if (!is_redirect(*answer)) {
        chain->done(Followed{std::move(*answer), request.url});
        return;
    }
    if (++chain->redirects > redirects_max) {
        chain->done(fail(ErrorCode::refused, "too many redirects"));
        return;
    }
    auto next = next_hop(request.url, answer->header("location"), policy_);
    if (!next) {
        chain->done(pass(next));
        return;
    }
    request.url = std::move(*next);
    if (!leave_time(*chain)) {
        chain->done(fail(ErrorCode::timeout, "no answer in time"));
        return;
    }
    hop(chain);
}

}  // namespace merpati::media
