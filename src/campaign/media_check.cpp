#include "campaign/media_check.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include <fmt/format.h>

#include "base/digest.hpp"
#include "base/thread.hpp"
#include "base/utf8.hpp"
#include "outbound/url.hpp"

namespace merpati::campaign {
namespace {

constexpr std::size_t shown_url_bytes_max = 200;

/// Empty: the file can be sent, or nobody can tell.
std::string_view reason_of(media::ProbeVerdict verdict) {
    switch (verdict) {
        case media::ProbeVerdict::acceptable:
        case media::ProbeVerdict::undecided:
            return {};
        case media::ProbeVerdict::declared_type_refused:
            return "files of its type are not sent";
        case media::ProbeVerdict::content_type_refused:
            return "its content is not of a type that is sent";
        case media::ProbeVerdict::too_large:
            return "it is larger than the server sends";
        case media::ProbeVerdict::inaccessible:
            return "its host says that it is not there, or not for everybody";
    }
    return {};
}

}  // namespace

MediaProbe probe_in_time(const Clock& clock, Control& control, model::AccountId account) {
    return [&clock, &control, account, left = SteadyTime::duration{probing_max}](
               const std::vector<std::string>& urls) mutable {
        const auto began_at = clock.steady_now();
        const auto ends_at = began_at + left;
        std::vector<std::optional<media::ProbeVerdict>> verdicts(urls.size());
        std::atomic<std::size_t> next = 0;
        const auto probe_some = [&] {
            for (auto place = next++; place < urls.size() && clock.steady_now() < ends_at;
                 place = next++) {
                verdicts[place] = control.probe_media(account, urls[place]);
            }
        };
        std::vector<std::thread> others;
        for (std::size_t count = 1; count < std::min(urls.size(), probes_max); ++count) {
            others.push_back(start_thread("probes", probe_some));
        }
        probe_some();
        std::ranges::for_each(others, &std::thread::join);
        left -= std::min(left, clock.steady_now() - began_at);
        return verdicts;
    };
}

void MediaCheck::add(const std::string& url) {
    const auto digest = sha256(url);
    if (seen_.contains(digest)) {
        return;
    }
    if (seen_.size() >= urls_max) {
        leave_unchecked(url);
        return;
    }
    seen_.insert(digest);
    const auto admitted = outbound::admit_url(url, outbound::Schemes::http_and_https, policy_);
    if (!admitted) {
        refuse(url, admitted.error().detail);
        return;
    }
    if (probe_) {
        waiting_.push_back(url);
    }
}

void MediaCheck::probe_some() {
    const auto end =
        waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), step));
    const std::vector<std::string> urls{waiting_.begin(), end};
    waiting_.erase(waiting_.begin(), end);
    const auto verdicts = probe_(urls);
    for (std::size_t place = 0; place < urls.size() && place < verdicts.size(); ++place) {
        judge(urls[place], verdicts[place]);
    }
}

std::vector<Problem> MediaCheck::finish() {
    while (has_waiting()) {
        probe_some();
    }
    std::vector<Problem> found;
    for (auto* problem : {&refused_, &unchecked_}) {
        if (*problem) {
            found.push_back(**problem);
        }
    }
    return found;
}

void MediaCheck::judge(std::string_view url, std::optional<media::ProbeVerdict> verdict) {
    if (!verdict || *verdict == media::ProbeVerdict::undecided) {
        leave_unchecked(url);
    } else if (const auto reason = reason_of(*verdict); !reason.empty()) {
        refuse(url, reason);
    }
}

void MediaCheck::refuse(std::string_view url, std::string_view reason) {
    if (refused_) {
        ++refused_->count;
        return;
    }
    refused_ = Problem{.code = "media",
                       .detail = fmt::format("the file at '{}' cannot be sent: {}",
                                             utf8_prefix(url, shown_url_bytes_max), reason)};
}

void MediaCheck::leave_unchecked(std::string_view url) {
    if (unchecked_) {
        ++unchecked_->count;
        return;
    }
    unchecked_ = Problem{.code = "media_unchecked",
                         .detail = fmt::format("the file at '{}' was not seen in time: it is "
                                               "judged when its message is sent",
                                               utf8_prefix(url, shown_url_bytes_max)),
                         .blocking = false};
}

}  // namespace merpati::campaign
