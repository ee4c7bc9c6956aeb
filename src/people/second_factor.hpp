// A person's second factor: a TOTP app, with recovery codes for the day it is lost.
#pragma once

#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/digest.hpp"
#include "base/encoding.hpp"
#include "base/error.hpp"
#include "model/ids.hpp"
#include "model/person.hpp"
#include "store/tables.hpp"

namespace merpati::people {

/// Begins to set it up with this secret, in place of one that was begun before. It has no effect on
/// sign-ins until `confirm_second_factor`. Errors: conflict (the person has one), those of the
/// store.
[[nodiscard]] Result<void> begin_second_factor(store::PeopleTables& people, model::PersonId person,
                                               const Bytes& secret);

/// Ends setting it up, with a code that shows that the app has the secret. `recovery_codes` are the
/// digests of those that the person gets. Errors: conflict (none was begun), refused (it is not the
/// code of now), those of the store.
[[nodiscard]] Result<model::Person> confirm_second_factor(store::PeopleTables& people,
                                                          model::PersonId person,
                                                          std::string_view code,
                                                          const std::vector<Sha256>& recovery_codes,
                                                          Timestamp now);

/// Whether it is the code of now, or a recovery code. Within the transaction, so that each is
/// accepted once. Errors: those of the store.
[[nodiscard]] Result<bool> accept_code(store::PeopleTables& people, model::PersonId person,
                                       std::string_view code, Timestamp now);

}  // namespace merpati::people
