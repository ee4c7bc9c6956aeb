// Imports an uploaded list as contacts or as suppressions.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "campaign/audience/upload.hpp"
#include "model/ids.hpp"

namespace merpati::campaign {

/// Merges an uploaded list into the account's contacts.
///
/// Columns: `name` (nama), `tags` (tag; several are separated by commas, semicolons or `|`),
/// `consent_source`, `consent_at` (RFC 3339; missing: now) and `consent_text` are fields of a
/// contact; all others are values, but for that of the numbers. Empty cells change nothing. An
/// export is read back (contact_columns.hpp). JSON as for audiences, without `tags` at its top.
///
/// Operation: the whole list is read, and kept (ListSpool), before one person is written. So a list
/// that breaks off or has a mistake changes nothing. It is then read again and written in steps of
/// a few milliseconds. A crash in between, or a person who would have too much, leaves the rows
/// before; a repeat changes nothing in them.
///
/// Memory: some 10 MiB at most.
///
/// Threads, Errors: as AudienceImport; refused (the account has as many contacts as it may have).
class ContactImport {
public:
    /// `tags` are given to all.
    [[nodiscard]] static Result<ContactImport> begin(const ImportMeans& means,
                                                     model::AccountId account,
                                                     UploadOptions options,
                                                     std::vector<std::string> tags);
    ~ContactImport();
    ContactImport(ContactImport&& other) noexcept;
    ContactImport& operator=(ContactImport&&) = delete;

    [[nodiscard]] Result<void> take(std::string_view piece);
    [[nodiscard]] Result<Imported> finish();

private:
    class Writing;
    explicit ContactImport(std::unique_ptr<Writing> writing);

    std::unique_ptr<Writing> writing_;
};

/// Suppresses the numbers of an uploaded list, with the reason `import`. Other columns are ignored.
/// Operation, Threads and Errors as ContactImport.
class SuppressionImport {
public:
    [[nodiscard]] static Result<SuppressionImport> begin(const ImportMeans& means,
                                                         model::AccountId account,
                                                         UploadOptions options);
    ~SuppressionImport();
    SuppressionImport(SuppressionImport&& other) noexcept;
    SuppressionImport& operator=(SuppressionImport&&) = delete;

    [[nodiscard]] Result<void> take(std::string_view piece);
    [[nodiscard]] Result<Imported> finish();

private:
    class Writing;
    explicit SuppressionImport(std::unique_ptr<Writing> writing);

    std::unique_ptr<Writing> writing_;
};

}  // namespace merpati::campaign
