// How people sign in: the checks in their order, and the session that begins.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "model/person.hpp"
#include "people/password_hasher.hpp"
#include "people/people_directory.hpp"
#include "people/sign_in_throttle.hpp"
#include "store/tables.hpp"

namespace merpati::people {

/// How long a sign-in link is valid.
inline constexpr std::chrono::minutes link_lasts{15};

/// How long after it began a session may do what asks for a recent sign-in.
inline constexpr std::chrono::minutes recent_lasts{15};
[[nodiscard]] bool is_recent(const model::Session& session, Timestamp now) noexcept;

/// What a new password ends: all sessions of the person except `kept`, and links that were not
/// used.
[[nodiscard]] Result<void> end_access(store::PeopleTables& people, model::PersonId person,
                                      std::optional<model::SessionId> kept = {});

enum class SignInResult : std::uint8_t {
    succeeded,
    second_factor_asked,   // The password was right.
    second_factor_denied,  // The password was right, the code wrong.
    denied,
    throttled,
};
inline constexpr std::size_t sign_in_results_count =
    static_cast<std::size_t>(SignInResult::throttled) + 1;
/// "succeeded", "second_factor_asked", "second_factor_denied", "denied", "throttled"
[[nodiscard]] std::string_view to_string(SignInResult result) noexcept;

/// An attempt to sign in, or of a signed-in person to confirm the password, as it is reported.
struct SignInTry {
    SignInResult result = SignInResult::denied;
    std::string_view address;               // Where the client is.
    std::optional<model::PersonId> person;  // If the given address or session belongs to one.
};

/// The same, as it is answered.
struct SignInEnd {
    SignInResult result = SignInResult::denied;
    std::chrono::seconds wait{};  // After `throttled`, until the next try.
    model::Session session{};     // That began,
    std::string token{};          // and its token, which is stored nowhere.
};

struct Credentials {
    std::string email;  // In any form that `normalised_email` takes.
    std::string password;
    std::optional<std::string> code;  // Of the second factor: TOTP or a recovery code.
};

/// A part of a transaction; returns the person whom it has changed.
using PersonChange = std::move_only_function<Result<model::Person>(store::Tables&)>;

/// A call that opens a session.
struct SignInCall {
    std::string_view address;  // Where the client is.
    std::string_view agent;    // The browser's User-Agent, cut to a limit.
    /// Runs what begins the session in a transaction, with whatever else belongs to the call. An
    /// error rolls back all of it, and is returned.
    std::function<Result<void>(PersonChange)> commit;
};

/// Signs people in.
///
/// Operation: a method for each way to sign in, with all its checks. Their order is a part of the
/// protection:
///
/// 1. The throttle, before anything that a guess could learn from. It counts unknown e-mail
///    addresses like known ones.
/// 2. The password. It is hashed for unknown people too, so that neither the answer nor its time
///    tells who exists. A right one whose hash is of another cost is hashed anew.
/// 3. The throttle of codes. Whoever gets there knows the password; nobody else learns whether
///    there is a second factor.
/// 4. In the transaction: whether that is still the password, then the code, which is accepted
///    once, then the session. A denial rolls back what was written.
///
/// The throttle forgets the tries only after the commit. Each try is reported when it has ended,
/// except one that an error ended.
///
/// Errors of all: busy (no memory to hash), those of SignInCall::commit.
///
/// Threads: any but an I/O thread (PasswordHasher).
class SignIn {
public:
    using Listener = std::function<void(const SignInTry&)>;

    /// `on_try` may be empty.
    SignIn(const Clock& clock, Random& random, const PeopleDirectory& directory,
           Listener on_try = {}, PasswordHasher::Cost cost = {});

    [[nodiscard]] Result<SignInEnd> by_password(const Credentials& given, const SignInCall& call);

    /// A link needs no password and no second factor, because only an administrator can make one.
    [[nodiscard]] Result<SignInEnd> by_link(std::string_view token, const SignInCall& call);

    /// Checks nothing: `set` gives the person, who is new here, a password in the transaction.
    [[nodiscard]] Result<SignInEnd> by_new_password(const SignInCall& call, PersonChange set);

    /// Takes a try that names no person but gives a token, as `by_link` does. Empty: it may be
    /// made; otherwise its end.
    [[nodiscard]] std::optional<SignInEnd> take_try(std::string_view address);

    /// Asks a signed-in person for the present password, so that someone with access to a signed-in
    /// browser cannot take the person's account over. It may be left out if the person has none, or
    /// has signed in by a link within `recent_lasts`. Success is not reported.
    [[nodiscard]] Result<SignInEnd> confirm(const model::Person& person,
                                            const model::Session& session,
                                            const std::optional<std::string>& password,
                                            std::string_view address);

    [[nodiscard]] PasswordHasher& hasher() noexcept { return hasher_; }

private:
    /// The person to sign in, or why not.
    using Decided = std::expected<model::Person, SignInResult>;
    using Decide = std::move_only_function<Result<Decided>(store::Tables&)>;

    static Result<Decided> decide(store::PeopleTables& people, const model::Person& checked,
                                  const std::optional<std::string>& new_hash,
                                  const std::optional<std::string>& code, Timestamp now);
    Result<SignInEnd> begin(const SignInCall& call, model::SignIn by,
                            std::optional<model::PersonId> named, Decide decide);
    SignInEnd report(SignInEnd end, std::string_view address,
                     std::optional<model::PersonId> person) const;

    const Clock& clock_;
    Random& random_;
    const PeopleDirectory& directory_;
    const Listener on_try_;
    PasswordHasher hasher_;
    SignInThrottle throttle_;
};

}  // namespace merpati::people
