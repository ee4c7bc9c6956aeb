// Imports an uploaded list as contacts or as suppressions.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "campaign/audience/list_import.hpp"
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
class ContactImport : public ListImport {
public:
    using ListImport::ListImport;
    /// `tags` are given to all.
    [[nodiscard]] static Result<ContactImport> begin(const ImportRooms& rooms,
                                                     model::AccountId account,
                                                     UploadOptions options,
                                                     std::vector<std::string> tags);
};

/// Suppresses the numbers of an uploaded list, with the reason `import`. Other columns are ignored.
/// Operation, Threads and Errors as ContactImport.
class SuppressionImport : public ListImport {
public:
    using ListImport::ListImport;
    [[nodiscard]] static Result<SuppressionImport> begin(const ImportRooms& rooms,
                                                         model::AccountId account,
                                                         UploadOptions options);
};

}  // namespace merpati::campaign
