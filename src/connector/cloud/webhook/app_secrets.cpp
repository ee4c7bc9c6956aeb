#include "connector/cloud/webhook/app_secrets.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace merpati::connector::cloud {
void AppSecrets::expect(const std::string& id, model::PhoneNumber number) {
    const std::unique_lock lock{mutex_};
    if (!by_id_.contains(id)) {
        expected_[id] = number;
    }
}

void AppSecrets::expect_no_more(model::PhoneNumber number) {
    const std::unique_lock lock{mutex_};
    std::erase_if(expected_, [&](const auto& one) { return one.second == number; });
}

bool AppSecrets::expects(const std::string& id) const {
    const std::shared_lock lock{mutex_};
    return expected_.contains(id);
}

bool AppSecrets::know(const Known& number) {
    const std::unique_lock lock{mutex_};
    const auto is_its = [&](const auto& one) { return one.second == number.device.number; };
    std::erase_if(expected_, is_its);
    if (const auto former = numbers_.find(number.device.number); former != numbers_.end()) {
        drop(former->second);
    }
    auto known = number;
    bool fits = true;
    if (!known.own_secret.empty()) {
        const auto found = own_.find(known.own_secret);
        auto& held = held_[known.device.account];
        fits = found != own_.end() || slots_.admits(held);
        if (found != own_.end()) {
            ++found->second.numbers;
        } else if (fits) {
            own_.emplace(known.own_secret, Own{.account = known.device.account, .numbers = 1});
            slots_.acquire();
            ++held;
        } else {
            known.own_secret.clear();
        }
        if (held == 0) {
            held_.erase(known.device.account);
        }
    }
    by_id_[known.id] = known.device.number;
    numbers_[known.device.number] = std::move(known);
    return fits;
}

void AppSecrets::forget(model::PhoneNumber number) {
    const std::unique_lock lock{mutex_};
    if (const auto found = numbers_.find(number); found != numbers_.end()) {
        drop(found->second);
        numbers_.erase(found);
    }
}

/// Call with the lock held.
void AppSecrets::drop(const Known& number) {
    if (const auto place = by_id_.find(number.id);
        place != by_id_.end() && place->second == number.device.number) {
        by_id_.erase(place);
    }
    const auto own = own_.find(number.own_secret);
    if (own == own_.end() || --own->second.numbers > 0) {
        return;
    }
    slots_.release();
    if (const auto held = held_.find(own->second.account);
        held != held_.end() && --held->second == 0) {
        held_.erase(held);
    }
    own_.erase(own);
}

bool AppSecrets::has_any() const {
    const std::shared_lock lock{mutex_};
    return !of_server_.empty() || !own_.empty();
}

bool AppSecrets::has_one_for(model::PhoneNumber number) const {
    const std::shared_lock lock{mutex_};
    const auto found = numbers_.find(number);
    return !of_server_.empty() || (found != numbers_.end() && !found->second.own_secret.empty());
}

bool AppSecrets::Verifier::has_signed(std::string_view body, const Sha256& signature) const {
    return equal_constant_time(hmac_sha256(as_bytes(secret), body), signature);
}

std::vector<AppSecrets::Verifier> AppSecrets::verifiers() const {
    std::vector<Verifier> all;
    if (!of_server_.empty()) {
        all.push_back({.is_server = true, .secret = of_server_});
    }
    const std::shared_lock lock{mutex_};
    for (const auto& [secret, own] : own_) {
        all.push_back({.is_server = false, .secret = secret});
    }
    return all;
}

std::optional<AppSecrets::Known> AppSecrets::find(const std::string& id,
                                                  const Verifier& verifier) const {
    const std::shared_lock lock{mutex_};
    const auto place = by_id_.find(id);
    if (place == by_id_.end()) {
        return std::nullopt;
    }
    const auto& known = numbers_.at(place->second);
    if (!verifier.is_server && known.own_secret != verifier.secret) {
        return std::nullopt;
    }
    return known;
}

}  // namespace merpati::connector::cloud
