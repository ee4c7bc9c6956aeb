#include "media/turns.hpp"

#include <utility>

#include "base/assert.hpp"

namespace merpati::media {

bool Turns::ask(const std::string& host, Go go) {
    if (waiting_ >= waiting_max_) {
        return false;
    }
    auto& found = hosts_[host];
    found.waiting.push_back(std::move(go));
    ++waiting_;
    line_up(host, found);
    hand_out();
    return true;
}

void Turns::release(const std::string& host) {
    const auto found = hosts_.find(host);
    invariant(found != hosts_.end() && found->second.in_flight > 0, "a turn was taken");
    --found->second.in_flight;
    --in_flight_;
    if (found->second.in_flight == 0 && found->second.waiting.empty()) {
        hosts_.erase(found);
    } else {
        line_up(found->first, found->second);
    }
    hand_out();
}

void Turns::clear() {
    round_.clear();
    waiting_ = 0;
    for (auto host = hosts_.begin(); host != hosts_.end();) {
        host->second.waiting.clear();
        host->second.in_round = false;
        host = host->second.in_flight == 0 ? hosts_.erase(host) : std::next(host);
    }
}

void Turns::line_up(const std::string& name, Host& host) {
    const bool may_go = !host.waiting.empty() && host.in_flight < per_host_max_;
    if (may_go && !std::exchange(host.in_round, true)) {
        round_.push_back(name);
    }
}

/// A loop, not a recursion: thousands who gave up may stand in line.
void Turns::hand_out() {
    if (std::exchange(handing_out_, true)) {
        return;
    }
    while (in_flight_ < total_max_ && !round_.empty()) {
        const auto name = std::move(round_.front());
        round_.pop_front();
        serve(name);
    }
    handing_out_ = false;
}

void Turns::serve(const std::string& name) {
    auto& host = hosts_.find(name)->second;
    host.in_round = false;
    auto go = std::move(host.waiting.front());
    host.waiting.pop_front();
    --waiting_;
    ++host.in_flight;
    ++in_flight_;
    line_up(name, host);
    if (!go()) {
        release(name);
    }
}

}  // namespace merpati::media
