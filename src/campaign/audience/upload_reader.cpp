#include "campaign/audience/upload_reader.hpp"

#include <utility>

#include "campaign/audience/characters.hpp"
#include "campaign/audience/csv_upload.hpp"
#include "campaign/audience/json_upload.hpp"

namespace merpati::campaign {

std::unique_ptr<UploadReader> make_upload_reader(UploadOptions options, bool takes_tags) {
    if (options.form == UploadForm::csv) {
        return std::make_unique<CsvUpload>(std::move(options));
    }
    return std::make_unique<JsonUpload>(std::move(options), takes_tags);
}

std::string value_text(std::string text) {
    std::string cleaned;
    std::size_t kept = 0;
    for (std::size_t at = 0; at < text.size();) {
        const auto character = first_character(std::string_view{text}.substr(at));
        const auto is_kept = !is_control(character.number) || text[at] == '\n' || text[at] == '\t';
        if (!is_kept) {
            cleaned.append(text, kept, at - kept);
            cleaned += ' ';
            kept = at + character.bytes;
        }
        at += character.bytes;
    }
    if (kept == 0) {
        return text;
    }
    cleaned.append(text, kept);
    return cleaned;
}

}  // namespace merpati::campaign
