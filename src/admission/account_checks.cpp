// Validity and rate: may this account ask at all, and now?
#include "admission/checks.hpp"

namespace merpati::admission {

std::optional<Refusal> check_validity(const model::Account& account, Timestamp now) {
    if (account.expires_at && now >= *account.expires_at) {
        return Refusal::account_expired;
    }
    return std::nullopt;
}

std::optional<model::Rate> effective_rate(const model::Account& account,
                                          const std::optional<model::Rate>& server_default) {
    switch (account.rate.kind) {
        case model::RateChoice::Kind::server_default:
            return server_default;
        case model::RateChoice::Kind::unlimited:
            return std::nullopt;
        case model::RateChoice::Kind::own:
            return account.rate.rate;
    }
    return server_default;
}

std::optional<RateVerdict> check_rate(const AccountEntry& account,
                                      const std::optional<model::Rate>& server_default,
                                      SteadyTime now) {
    const auto rate = effective_rate(account.account, server_default);
    if (!rate) {
        return std::nullopt;
    }
    return account.bucket->take(*rate, now);
}

}  // namespace merpati::admission
