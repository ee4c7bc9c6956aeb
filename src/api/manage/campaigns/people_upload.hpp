// Lists of people that are uploaded or exported: recipients, contacts and suppressions.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "api/manage/engine/call.hpp"
#include "api/manage/engine/context.hpp"
#include "api/manage/engine/fields.hpp"
#include "api/manage/engine/upload.hpp"
#include "campaign/audience/upload.hpp"

namespace merpati::api::manage {

/// Takes the field `country`: a country code, without "+".
[[nodiscard]] std::optional<std::string> take_country(Fields& fields);

/// Of the values of a contact or recipient, by the names of their columns.
inline constexpr Fields::TextLimits value_limits{.name_bytes_max = 256, .text_bytes_max = 4'096};

/// The form of a body with this media type, which begins with `first`.
[[nodiscard]] campaign::UploadForm form_of(std::string_view type, std::string_view first);

/// The parameters of an upload: `number_column`, `country`, `delimiter`, `header`. The constructor
/// takes them.
class UploadFields {
public:
    explicit UploadFields(Call& call);

    /// Errors: those of the store.
    [[nodiscard]] Result<campaign::UploadOptions> options(const Context& context,
                                                          model::AccountId account) const;

private:
    campaign::UploadOptions options_;
    bool has_country_ = false;
};

[[nodiscard]] campaign::ImportRooms import_rooms(const Context& context);

/// Gives the whole upload to the import that `begin` makes of the rooms and options, and ends it.
/// An import that is destroyed before has discarded what it must. A body of no type that is known
/// here is JSON if it begins with a brace.
template <class Begin>
[[nodiscard]] Result<campaign::Imported> import_all(const Context& context, const Call& call,
                                                    model::AccountId account,
                                                    const UploadFields& given, Upload& upload,
                                                    Begin begin) {
    auto options = given.options(context, account);
    if (!options) {
        return pass(options);
    }
    if (auto taken = upload.take_place_of(account); !taken) {
        return pass(taken);
    }
    auto piece = upload.next();
    if (!piece) {
        return pass(piece);
    }
    options->form = form_of(call.head.content_type, piece->value_or(""));
    const auto rooms = import_rooms(context);
    auto import = begin(rooms, *std::move(options));
    if (!import) {
        return pass(import);
    }
    while (*piece) {
        if (auto taken = import->take(**piece); !taken) {
            return pass(taken);
        }
        piece = upload.next();
        if (!piece) {
            return pass(piece);
        }
    }
    return import->finish();
}

/// Viewers may not export people. Errors: forbidden.
[[nodiscard]] Result<void> check_export(const Call& call, model::AccountId account);
/// The account whose people a call exports, once all its fields are taken. Further errors: those of
/// find_own_account.
[[nodiscard]] Result<model::AccountId> find_exported_account(
    const Context& context, Call& call, const std::optional<std::string>& account);

}  // namespace merpati::api::manage
