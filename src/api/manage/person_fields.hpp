// What operations on people have in common.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "api/manage/context.hpp"
#include "api/manage/handlers.hpp"

namespace merpati::api::manage {

/// Of a one-time code, or of one for recovery, with whatever stands between its characters.
inline constexpr std::size_t code_bytes_max = 64;

inline constexpr std::string_view role_words = "owner, operator or viewer";

/// The field `email`, normalised; it must be given.
[[nodiscard]] std::string take_email(Fields& fields);

/// A password as it was given; whether it is taken depends on whose it shall be. Empty: none was.
[[nodiscard]] std::optional<std::string> take_password(Fields& fields, std::string_view name);

/// The field's password, or one that is made. `made` is what nobody knows yet.
struct NewPassword {
    std::string hash;
    std::optional<std::string> made;
};
/// Takes about a tenth of a second. Errors: invalid_argument (it is not taken), busy.
[[nodiscard]] Result<NewPassword> hash_password(const Context& context, Fields& fields,
                                                std::string_view name,
                                                const std::optional<std::string>& given,
                                                std::string_view email);

/// By id, or by e-mail address. Errors: not_found.
[[nodiscard]] Result<model::Person> find_person(store::Tables& tables, std::string_view id);

/// Of a person as administrators see it. Without anything that opens.
[[nodiscard]] boost::json::object view(const model::Person& person);
[[nodiscard]] boost::json::object view(const model::Membership& membership);

/// Stores a link for the person and answers its URL. The token is after the '#', which browsers
/// send nowhere.
[[nodiscard]] Result<std::string> make_link(const Context& context, store::Tables& tables,
                                            model::PersonId person, Timestamp expires_at);

}  // namespace merpati::api::manage
