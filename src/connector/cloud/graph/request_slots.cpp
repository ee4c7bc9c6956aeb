#include "connector/cloud/graph/request_slots.hpp"

#include <utility>

namespace merpati::connector::cloud {

void RequestSlots::ask(const std::string& name, Go go) {
    auto& party = parties_[name];
    if (party.waiting.empty()) {
        turns_.push_back(name);
    }
    party.waiting.push_back(std::move(go));
    hand_out();
}

void RequestSlots::release(const std::string& name) {
    const auto found = parties_.find(name);
    --found->second.held;
    slots_.release();
    if (found->second.held == 0 && found->second.waiting.empty()) {
        parties_.erase(found);
    }
    hand_out();
}

/// Gives a slot to each party in turn, until none is free or no party may have more.
void RequestSlots::hand_out() {
    if (std::exchange(handing_out_, true)) {
        return;  // The call below has caused this one, and goes on.
    }
    std::size_t passed = 0;
    while (!turns_.empty() && passed < turns_.size()) {
        turns_.splice(turns_.end(), turns_, turns_.begin());
        auto& party = parties_.at(turns_.back());
        if (!slots_.admits(party.held)) {
            ++passed;
            continue;
        }
        passed = 0;
        auto go = std::move(party.waiting.front());
        party.waiting.pop_front();
        ++party.held;
        slots_.acquire();
        if (party.waiting.empty()) {
            turns_.pop_back();
        }
        go();
    }
    handing_out_ = false;
}

}  // namespace merpati::connector::cloud
