#include "campaign/media_check.hpp"

#include <fmt/format.h>

#include "base/digest.hpp"
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

void MediaCheck::add(const std::string& url) {
    if (seen_.size() >= urls_max || !seen_.insert(sha256(url)).second) {
        return;
    }
    const auto admitted = outbound::admit_url(url, outbound::Schemes::http_and_https, policy_);
    if (!admitted) {
        refuse(url, admitted.error().detail);
        return;
    }
    if (probe_) {
        waiting_.push_back(url);
    }
    if (waiting_.size() == step) {
        probe_waiting();
    }
}

std::optional<Problem> MediaCheck::finish() {
    probe_waiting();
    return problem_;
}

void MediaCheck::probe_waiting() {
    if (waiting_.empty()) {
        return;
    }
    const auto verdicts = probe_(waiting_);
    for (std::size_t place = 0; place < waiting_.size() && place < verdicts.size(); ++place) {
        if (const auto reason = reason_of(verdicts[place]); !reason.empty()) {
            refuse(waiting_[place], reason);
        }
    }
    waiting_.clear();
}

void MediaCheck::refuse(std::string_view url, std::string_view reason) {
    if (problem_) {
        ++problem_->count;
        return;
    }
    problem_ = Problem{.code = "media",
                       .detail = fmt::format("the file at '{}' cannot be sent: {}",
                                             utf8_prefix(url, shown_url_bytes_max), reason)};
}

}  // namespace merpati::campaign
