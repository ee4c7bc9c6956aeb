#include "admission/checks.hpp"

#include <algorithm>
#include <array>

#include "base/ascii.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"

namespace merpati::admission {
namespace {

/// Assigned country codes (ITU-T, list of E.164.D) of one, two and three digits, ascending; those
/// of networks and services (388, 800, 808, 870, 878, 881 to 883, 888, 979, 991) included: the
/// platform decides whether they can receive.
constexpr std::array<std::uint16_t, 218> country_codes{
    1,   7,   20,  27,  30,  31,  32,  33,  34,  36,  39,  40,  41,  43,  44,  45,  46,  47,  48,
    49,  51,  52,  53,  54,  55,  56,  57,  58,  60,  61,  62,  63,  64,  65,  66,  81,  82,  84,
    86,  90,  91,  92,  93,  94,  95,  98,  211, 212, 213, 216, 218, 220, 221, 222, 223, 224, 225,
    226, 227, 228, 229, 230, 231, 232, 233, 234, 235, 236, 237, 238, 239, 240, 241, 242, 243, 244,
    245, 246, 247, 248, 249, 250, 251, 252, 253, 254, 255, 256, 257, 258, 260, 261, 262, 263, 264,
    265, 266, 267, 268, 269, 290, 291, 297, 298, 299, 350, 351, 352, 353, 354, 355, 356, 357, 358,
    359, 370, 371, 372, 373, 374, 375, 376, 377, 378, 379, 380, 381, 382, 383, 385, 386, 387, 388,
    389, 420, 421, 423, 500, 501, 502, 503, 504, 505, 506, 507, 508, 509, 590, 591, 592, 593, 594,
    595, 596, 597, 598, 599, 670, 672, 673, 674, 675, 676, 677, 678, 679, 680, 681, 682, 683, 685,
    686, 687, 688, 689, 690, 691, 692, 800, 808, 850, 852, 853, 855, 856, 870, 878, 880, 881, 882,
    883, 886, 888, 960, 961, 962, 963, 964, 965, 966, 967, 968, 970, 971, 972, 973, 974, 975, 976,
    977, 979, 991, 992, 993, 994, 995, 996, 998};

static_assert(std::ranges::is_sorted(country_codes));

bool assigned(unsigned code) noexcept {
    return std::ranges::binary_search(country_codes, code);
}

}  // namespace

Checked<Principal> authenticate(std::string_view authorization, const Directory& directory,
                                Timestamp now) {
    static constexpr std::string_view scheme = "bearer ";
    static constexpr std::size_t key_bytes_max = 128;
    bool bearer = authorization.size() > scheme.size();
    for (std::size_t place = 0; bearer && place < scheme.size(); ++place) {
        bearer = (authorization[place] | 0x20) == (scheme[place] | 0x20);
    }
    // Every fault takes the same path: a digest is computed and looked up, so that a caller learns
    // nothing from the answer or its duration.
    auto key = bearer ? authorization.substr(scheme.size()) : std::string_view{};
    key = key.substr(0, std::min(key.size(), key_bytes_max));
    auto entry = directory.find_key(sha256(key));
    if (!entry || !bearer || !is_live(*entry->key, now)) {
        return refuse(Refusal::key_invalid);
    }
    return principal_of(*std::move(entry), now);
}

std::optional<std::string> bearer_of_basic(std::string_view authorization) {
    constexpr std::string_view scheme = "basic ";
    constexpr std::size_t bytes_max = 1'024;
    if (authorization.size() > bytes_max ||
        !equals_ignoring_case(authorization.substr(0, scheme.size()), scheme)) {
        return std::nullopt;
    }
    const auto bytes = from_base64(authorization.substr(scheme.size()));
    if (!bytes) {
        return std::nullopt;
    }
    std::string given;
    for (const auto byte : *bytes) {
        given += static_cast<char>(byte);
    }
    const auto colon = given.find(':');
    return colon == std::string::npos ? std::nullopt
                                      : std::optional{"Bearer " + given.substr(colon + 1)};
}

Principal principal_of(KeyEntry entry, Timestamp now) {
    auto principal = Principal::of(std::move(entry));
    if (!check_validity(principal.account(), now)) {
        principal.expired.push_back(principal.account().id);
    }
    return principal;
}

Principal principal_of(people::SignedIn signed_in, const Directory& directory, Timestamp now) {
    auto principal = Principal::of(std::move(signed_in));
    for (const auto& membership : principal.person->memberships) {
        const auto account = directory.find_account(membership.account);
        if (account == nullptr || !check_validity(account->account, now)) {
            principal.expired.push_back(membership.account);
        }
    }
    return principal;
}

bool is_live(const model::ApiKey& key, Timestamp now) noexcept {
    return !key.revoked_at && (!key.expires_at || now < *key.expires_at);
}

Checked<void> check_validity(const model::Account& account, Timestamp now) {
    if (account.expires_at && now >= *account.expires_at) {
        return refuse(Refusal::account_expired);
    }
    return {};
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
    return rate ? std::optional{account.bucket->take(rate->count, rate->period, now)}
                : std::nullopt;
}

std::optional<RateVerdict> check_call_rate(const AccountEntry& account,
                                           const std::optional<model::Rate>& server_default,
                                           SteadyTime now) {
    const auto own = effective_rate(account.account, server_default);
    if (!own || !server_default) {
        return std::nullopt;
    }
    const auto is_larger = std::int64_t{own->count} * server_default->period.count() >
                           std::int64_t{server_default->count} * own->period.count();
    const auto& rate = is_larger ? *own : *server_default;
    return account.calls->take(rate.count, rate.period, now);
}

std::shared_ptr<const model::Device> find_sender(std::string_view number, model::AccountId account,
                                                 const Directory& directory) {
    const auto parsed = model::PhoneNumber::parse(number);
    if (!parsed) {
        return nullptr;
    }
    auto device = directory.find_device(*parsed);
    return device != nullptr && device->account == account ? device : nullptr;
}

bool accepts_messages(const model::Device& device, Timestamp now) noexcept {
    return model::is_online(device.state) || (device.state == model::DeviceState::reconnecting &&
                                              now - device.state_since <= reconnecting_max);
}

unsigned country_code_of(std::string_view digits) noexcept {
    // No code is the beginning of another, so at most one of the three lengths fits.
    unsigned code = 0;
    for (const char digit : digits.substr(0, 3)) {
        if (!is_digit(digit) || digits.front() == '0') {
            return 0;
        }
        code = code * 10 + static_cast<unsigned>(digit - '0');
        if (assigned(code)) {
            return code;
        }
    }
    return 0;
}

bool recipient_possible(std::string_view recipient) noexcept {
    return model::PhoneNumber::parse(recipient) && country_code_of(recipient) != 0;
}

bool is_country_code(std::string_view digits) noexcept {
    unsigned code = 0;
    for (const char c : digits.substr(0, 4)) {
        if (!is_digit(c)) {
            return false;
        }
        code = code * 10 + static_cast<unsigned>(c - '0');
    }
    return !digits.empty() && digits.size() <= 3 && digits.front() != '0' && assigned(code);
}

}  // namespace merpati::admission
