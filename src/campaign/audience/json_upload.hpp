// Reads a JSON document as an upload.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/audience/upload_reader.hpp"

namespace merpati::campaign {

/// One of {"numbers":[…]}, {"recipients":[{"number","values":{}}]} and, if they are taken,
/// {"tags":[…]}. Numbers are texts or integers; values are texts, numbers, true, false or null.
///
/// Limits: upload_json_bytes_max, the sizes of upload.hpp for texts and rows, model::Contact's for
/// tags. Memory: one row, and the tags.
class JsonUpload final : public UploadReader {
public:
    JsonUpload(UploadOptions options, bool takes_tags);
    ~JsonUpload() override;

    [[nodiscard]] Result<void> take(std::string_view piece, const Sink& sink) override;
    [[nodiscard]] Result<void> finish(const Sink& sink) override;
    [[nodiscard]] const std::vector<std::string>& columns() const noexcept override;
    [[nodiscard]] std::optional<std::size_t> number_place() const noexcept override {
        return std::nullopt;
    }
    [[nodiscard]] const std::vector<std::string>& tags() const noexcept override;

private:
    class Parser;
    std::unique_ptr<Parser> parser_;
    std::size_t bytes_ = 0;
};

}  // namespace merpati::campaign
