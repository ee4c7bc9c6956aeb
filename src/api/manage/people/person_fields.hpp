// Fields, views and look-ups that operations on people share.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/manage/engine/context.hpp"
#include "api/manage/engine/handlers.hpp"

namespace merpati::api::manage {

/// Of a one-time or recovery code, including spaces or dashes between its characters.
inline constexpr std::size_t code_bytes_max = 64;
/// Of the token of a link, as a request gives it.
inline constexpr std::size_t token_bytes_max = 128;

inline constexpr std::string_view role_words = "owner, operator or viewer";

/// Takes the field `email`, which must be given, and normalises it.
[[nodiscard]] std::string take_email(Fields& fields);

/// Takes a password. `hash_password` decides whether it is acceptable. Empty: not given.
[[nodiscard]] std::optional<std::string> take_password(Fields& fields, std::string_view name);

/// A hashed password. `made` is its text if it was made here, because nobody knows it yet.
struct NewPassword {
    std::string hash;
    std::optional<std::string> made;
};
/// Checks and hashes `given`, or makes a password if it is empty. Takes about a tenth of a second.
/// Errors: invalid_argument (check_password, as a mistake of the field `name`), busy.
[[nodiscard]] Result<NewPassword> hash_password(const Context& context, Fields& fields,
                                                std::string_view name,
                                                const std::optional<std::string>& given,
                                                std::string_view email);

/// By id, or by e-mail address in any form that `normalised_email` takes. Errors: not_found.
[[nodiscard]] Result<model::Person> find_person(store::Tables& tables, std::string_view id);
/// The same in the directory, for a call that only reads.
[[nodiscard]] Result<std::shared_ptr<const model::Person>> find_person(
    const admission::Directory& directory, std::string_view id);

/// As administrators see a person, without secrets.
[[nodiscard]] boost::json::object view(const model::Person& person);
[[nodiscard]] boost::json::object view(const model::Membership& membership);

}  // namespace merpati::api::manage
