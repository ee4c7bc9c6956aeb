// The secrets by which the platform's posts are verified, and the numbers that each speaks for.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/digest.hpp"
#include "base/shared_limit.hpp"
#include "connector/cloud/number/number.hpp"
#include "model/device_identity.hpp"

namespace merpati::connector::cloud {

/// Operation: a post is verified by the secret of the server's app, or by one of a device's own
/// app. It may speak for the devices that have the same own secret; verified by the server's, for
/// all.
///
/// Limits: own_secrets_max different secrets of devices, shared among accounts (SharedLimit),
/// because each costs a hash of a post that none has signed. A device whose secret is one too many
/// is heard by the server's secret alone.
///
/// Threads: any.
class AppSecrets {
public:
    static constexpr std::size_t own_secrets_max = 64;

    explicit AppSecrets(std::string of_server)
        : of_server_(std::move(of_server)), slots_(own_secrets_max) {}

    /// A number as the webhook finds it.
    struct Known {
        model::DeviceIdentity device;
        std::string id;  // The platform's of the number.
        std::string own_secret;
        bool has_fallback = false;
    };
    /// The number with the id is about to be known: its secrets are being read.
    void expect(const std::string& id, model::PhoneNumber number);
    void expect_no_more(model::PhoneNumber number);
    [[nodiscard]] bool expects(const std::string& id) const;

    /// False: its own secret is one too many.
    bool know(const Known& number);
    void forget(model::PhoneNumber number);

    [[nodiscard]] bool has_any() const;
    /// Whether a post about the number can be verified.
    [[nodiscard]] bool has_one_for(model::PhoneNumber number) const;

    /// A secret, and whom it speaks for.
    struct Verifier {
        bool is_server = false;
        std::string secret;

        /// In constant time.
        [[nodiscard]] bool has_signed(std::string_view body, const Sha256& signature) const;
    };
    /// All that may have signed a post, the server's first.
    [[nodiscard]] std::vector<Verifier> verifiers() const;

    /// The number with the id, if the verifier may speak for it.
    [[nodiscard]] std::optional<Known> find(const std::string& id, const Verifier& verifier) const;

private:
    struct Own {
        model::AccountId account;  // That it counts for.
        std::size_t numbers = 0;
    };

    void drop(const Known& number);

    const std::string of_server_;
    mutable std::shared_mutex mutex_;
    std::unordered_map<model::PhoneNumber, Known> numbers_;
    std::unordered_map<std::string, model::PhoneNumber> by_id_;
    std::unordered_map<std::string, model::PhoneNumber> expected_;  // By id.
    std::map<std::string, Own> own_;                                // By secret.
    std::unordered_map<model::AccountId, std::size_t> held_;
    SharedLimit slots_;
};

}  // namespace merpati::connector::cloud
