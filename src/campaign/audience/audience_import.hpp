// Adds an uploaded list to a campaign's audience, whole or not at all.
#pragma once

#include "base/error.hpp"
#include "campaign/audience/list_import.hpp"
#include "campaign/audience/upload.hpp"
#include "model/ids.hpp"

namespace merpati::campaign {

/// Operation: `begin` claims the campaign and removes what a broken upload has left; `take` reads a
/// piece of any size and stages the rows that are complete, in steps of a few milliseconds, so that
/// the commits of others are not delayed; `finish` makes the staged rows part of the audience, in
/// one commit. An import that is destroyed before, or that failed, adds nothing: its destructor
/// removes its staged rows, in steps too.
///
/// Columns: those of the upload are matched by name with those that the campaign has (in any case,
/// without blanks around them); new ones are appended.
///
/// Memory: bounded, whatever the size of the upload.
///
/// Threads: one at a time. All but the constructor wait for commits, the destructor perhaps too.
///
/// Errors: invalid_argument (the upload or an option; the detail says in which line and what to
/// do), not_found, conflict (the campaign is no draft, or an upload of it is under way), and those
/// of a change.
class AudienceImport : public ListImport {
public:
    using ListImport::ListImport;
    [[nodiscard]] static Result<AudienceImport> begin(const ImportRooms& rooms,
                                                      model::CampaignId campaign,
                                                      UploadOptions options);
};

}  // namespace merpati::campaign
