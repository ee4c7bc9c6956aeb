// Copies all tables of one store into another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/random.hpp"
#include "store/sql/copied_tables.hpp"
#include "store/sql/copy_mark.hpp"
#include "store/sql/copy_side.hpp"
#include "store/store_copy.hpp"

namespace merpati::store::sql {

/// See store::copy_store.
///
/// Operation: `begin`, then `run`. The source notes the id of the copy before anything is written
/// to the target, which notes the same id and the position. Either note is removed when somebody
/// opens its store (end_copies), so the two are the same only while nothing has changed.
///
/// Threads: one.
class StoreCopier {
public:
    StoreCopier(CopySide& source, CopySide& target, const CopyOptions& options)
        : source_(source), target_(target), options_(options) {}

    /// Begins a copy, or finds the position of the one that was begun. Errors: conflict. Throws
    /// Failure.
    [[nodiscard]] Result<void> begin(Random& random);

    /// `key_file` opens the source. Errors: busy, conflict. Throws Failure.
    [[nodiscard]] Result<CopyReport> run(const std::filesystem::path& key_file);

private:
    [[nodiscard]] Result<void> begin_anew(Random& random);
    [[nodiscard]] Result<void> continue_at(CopyPosition position);
    [[nodiscard]] Result<void> check_empty();
    [[nodiscard]] Result<void> copy_tables();
    [[nodiscard]] Result<void> copy_table(const CopiedTable& table,
                                          const std::vector<KeyValue>& after);
    [[nodiscard]] bool fill(const CopiedTable& table, Cursor& row, RowInserter& inserter,
                            CopyPosition& next) const;
    [[nodiscard]] Result<void> move_to(const CopyPosition& next);
    [[nodiscard]] Result<void> complete();
    void show(const CopyPosition& position) const;

    CopySide& source_;
    CopySide& target_;
    const CopyOptions& options_;
    CopyPosition position_;    // As the target has it.
    std::uint64_t total_ = 0;  // Rows of the source.
};

}  // namespace merpati::store::sql
