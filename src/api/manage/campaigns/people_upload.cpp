#include "api/manage/campaigns/people_upload.hpp"

#include <algorithm>

#include "admission/checks.hpp"
#include "api/manage/engine/lookup.hpp"

namespace merpati::api::manage {

std::optional<std::string> take_country(Fields& fields) {
    const auto parse = [](std::string_view text) {
        return admission::is_country_code(text) ? std::optional{std::string{text}} : std::nullopt;
    };
    return fields.word("country", parse, "a country code, like 62");
}

campaign::UploadForm form_of(std::string_view type, std::string_view first) {
    constexpr std::string_view csv = "text/csv";
    first.remove_prefix(std::min(first.find_first_not_of(" \t\r\n"), first.size()));
    const bool is_json = type == json_type || (type != csv && first.starts_with('{'));
    return is_json ? campaign::UploadForm::json : campaign::UploadForm::csv;
}

UploadFields::UploadFields(Call& call) {
    auto& fields = call.fields;
    options_.number_column = fields.text("number_column", value_limits.name_bytes_max);
    if (auto country = take_country(fields)) {
        options_.country = *std::move(country);
        has_country_ = true;
    }
    options_.delimiter =
        fields.word("delimiter", campaign::parse_delimiter, "a comma, a semicolon, a | or a tab");
    options_.header = fields.boolean("header");
}

Result<campaign::UploadOptions> UploadFields::options(const Context& context,
                                                      model::AccountId account) const {
    auto options = options_;
    if (has_country_) {
        return options;
    }
    const auto found = context.read([&](store::Reader& reader) { return reader.account(account); });
    if (!found) {
        return pass(found);
    }
    if (*found) {
        options.country = (*found)->country;
    }
    return options;
}

campaign::ImportRooms import_rooms(const Context& context) {
    return {.clock = context.clock,
            .change = context.change,
            .readers = context.readers,
            .uploads = context.campaigns.uploads,
            .operations = context.campaigns.operations};
}

Result<void> check_export(const Call& call, model::AccountId account) {
    return call.principal.sees_masked(account)
               ? fail(ErrorCode::forbidden, "viewers do not export people")
               : Result<void>{};
}

Result<model::AccountId> find_exported_account(const Context& context, Call& call,
                                               const std::optional<std::string>& account) {
    const auto owner = find_own_account(context, call, account);
    if (!owner) {
        return pass(owner);
    }
    const auto may = check_export(call, owner->id);
    return may ? Result<model::AccountId>{owner->id} : pass(may);
}

}  // namespace merpati::api::manage
