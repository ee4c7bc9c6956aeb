#include "media/suspect_hosts.hpp"

#include <cstring>

#include "base/digest.hpp"

namespace merpati::media {
namespace {

/// The file has ids of a fixed size, so a host's id is the beginning of its digest.
Uuid id_of(const std::string& host) {
    const auto digest = sha256(host);
    std::int64_t sequence = 0;
    std::uint64_t tail = 0;
    std::memcpy(&sequence, digest.data(), sizeof sequence);
    std::memcpy(&tail, digest.data() + sizeof sequence, sizeof tail);
    return {sequence, tail};
}

}  // namespace

SuspectHosts::SuspectHosts(const std::string& file, std::size_t requests_max, SteadyTime now,
                           const std::function<void(const Error&)>& on_error) {
    if (file.empty()) {
        return;
    }
    // The hosts that are found keep their places in the file until they are asked again.
    auto opened = UnderWayFile::open(file, 2 * requests_max);
    if (!opened) {
        if (on_error) {
            on_error(opened.error());
        }
        return;
    }
    file_.emplace(std::move(*opened));
    for (const auto& one : file_->found()) {
        put_off_.emplace(one.id, now + one.put_off);
    }
}

std::optional<SteadyTime> SuspectHosts::put_off_until(const std::string& host,
                                                      SteadyTime now) const {
    if (put_off_.empty()) {
        return std::nullopt;
    }
    const auto found = put_off_.find(id_of(host));
    return found == put_off_.end() || found->second <= now ? std::nullopt
                                                           : std::optional{found->second};
}

void SuspectHosts::begin(const std::string& host) {
    if (!file_) {
        return;
    }
    auto& [name, requests] = under_way_[host];
    if (++requests == 1) {
        name = file_->begin(id_of(host));
    }
}

void SuspectHosts::end(const std::string& host) {
    const auto found = under_way_.find(host);
    if (found != under_way_.end() && --found->second.requests == 0) {
        file_->end(found->second.name);
        under_way_.erase(found);
    }
}

void SuspectHosts::clear() {
    for (const auto& [id, until] : put_off_) {
        file_->forget(id);
    }
    put_off_.clear();
}

}  // namespace merpati::media
