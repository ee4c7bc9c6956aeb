// The links by which recipients refuse further campaigns.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.hpp"
#include "model/ids.hpp"
#include "store/fingerprints.hpp"

namespace merpati::campaign {

/// Makes and opens the tokens of `/o/TOKEN`.
///
/// A token holds account, number and campaign, encrypted and authenticated with keys that the
/// store's key gives. It needs no row, so it outlives its campaign; the same recipient of the same
/// campaign always has the same one. Without the key nobody can make one, read the number in one,
/// or change one.
///
/// Form: base64url of 16 bytes, a keyed digest of the content (BLAKE2b), and of the content,
/// encrypted with XSalsa20 under the digest as its nonce: 47 characters.
///
/// Threads: any.
class OptOutLinks {
public:
    /// `base_url`: of the gateway as recipients reach it, "https://merpati.example.org".
    OptOutLinks(const store::Fingerprints& store, std::string base_url);

    /// Two keys that nothing else uses.
    struct Keys {
        Sha256 digest{};
        Sha256 cipher{};
    };
    OptOutLinks(const Keys& keys, std::string base_url);

    /// Whom a link is for.
    struct Target {
        model::AccountId account;
        model::PhoneNumber number;
        model::CampaignId campaign;
        friend bool operator==(const Target&, const Target&) = default;
    };

    /// "https://merpati.example.org/o/TOKEN"
    [[nodiscard]] std::string url_of(model::AccountId account, model::PhoneNumber number,
                                     model::CampaignId campaign) const;

    /// Empty: not a token that this store has made. Takes the same time wherever a token of the
    /// right length is wrong.
    [[nodiscard]] std::optional<Target> open(std::string_view token) const;

private:
    Keys keys_;
    std::string base_url_;
};

}  // namespace merpati::campaign
