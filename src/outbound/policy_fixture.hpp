// Policies for tests of addresses.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "outbound/address_policy.hpp"

namespace merpati::outbound {

inline AddressPolicy policy_allowing(std::initializer_list<const char*> ranges) {
    std::vector<Cidr> allow;
    for (const auto* range : ranges) {
        allow.push_back(Cidr::parse(range).value());
    }
    return AddressPolicy{std::move(allow)};
}

}  // namespace merpati::outbound
