#include "store/store_copy.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/file_descriptor.hpp"
#include "model/store_url.hpp"
#include "store/lock_file.hpp"
#include "store/postgres/copied_database.hpp"
#include "store/sql/copy_side.hpp"
#include "store/sql/failure.hpp"
#include "store/sql/store_copier.hpp"
#include "store/sql/store_key.hpp"
#include "store/sqlite/copied_file.hpp"

namespace merpati::store {
namespace {

using OpenedSide = Result<std::unique_ptr<sql::CopySide>>;

OpenedSide open_side(const std::string& url, sql::CopyRole role, const CopyOptions& options) {
    if (model::is_postgresql(url)) {
        return postgres::open_to_copy(url, role,
                                      {.lease = options.lease, .must_sync = options.must_sync});
    }
    if (const auto path = model::sqlite_file(url)) {
        return sqlite::open_to_copy(*path, role);
    }
    // Only the scheme is shown, because the rest may hold a password.
    return fail(ErrorCode::invalid_argument,
                fmt::format("'{}…' is not the URL of a store: write sqlite:PATH or "
                            "postgresql://USER@HOST/DATABASE",
                            url.substr(0, url.find(':'))));
}

/// Says of an error which side it is about.
std::unexpected<Error> error_about(std::string_view side, Error error) {
    error.detail = fmt::format("the {}: {}", side, error.detail);
    return std::unexpected(std::move(error));
}

/// The first file that opens the secrets of the source; the error is that of the first.
Result<std::filesystem::path> find_key_file(sql::Connection& source, const CopyOptions& options) {
    std::vector<std::filesystem::path> files;
    if (!options.key_file.empty()) {
        files.push_back(options.key_file);
    }
    if (const auto path = model::sqlite_file(options.from)) {
        files.emplace_back(std::string{*path} + ".key");
    }
    if (files.empty()) {
        return fail(ErrorCode::invalid_argument,
                    "name the key file of the store with store.key_file");
    }
    std::optional<Error> refused;
    for (auto& file : files) {
        auto checked = sql::check_key(source, file);
        if (checked) {
            return std::move(file);
        }
        if (!refused) {
            refused = std::move(checked.error());
        }
    }
    return std::unexpected(*std::move(refused));
}

Result<CopyReport> copy_between(const CopyOptions& options, Random& random) {
    if (options.from == options.to) {
        return fail(ErrorCode::invalid_argument, "the source and the target are the same store");
    }
    const auto lock = options.lock_file.empty() ? Result<FileDescriptor>{}
                                                : lock_file(options.lock_file.string(), true);
    if (!lock) {
        return pass(lock);
    }
    auto source = open_side(options.from, sql::CopyRole::source, options);
    if (!source) {
        return error_about("source", std::move(source.error()));
    }
    auto key_file = find_key_file((*source)->connection(), options);
    if (!key_file) {
        return error_about("source", std::move(key_file.error()));
    }
    auto target = open_side(options.to, sql::CopyRole::target, options);
    if (!target) {
        return error_about("target", std::move(target.error()));
    }
    sql::StoreCopier copier{**source, **target, options};
    if (auto begun = copier.begin(random); !begun) {
        return pass(begun);
    }
    return copier.run(*key_file);
}

}  // namespace

bool CopyReport::is_equal() const noexcept {
    return std::ranges::all_of(
        tables, [](const CopiedRows& table) { return table.source == table.target; });
}

std::uint64_t CopyReport::rows() const noexcept {
    std::uint64_t sum = 0;
    for (const auto& table : tables) {
        sum += table.target;
    }
    return sum;
}

Result<CopyReport> copy_store(const CopyOptions& options, Random& random) {
    try {
        return copy_between(options, random);
    } catch (const sql::Failure& failure) {
        return fail(failure.is_busy() ? ErrorCode::busy : sql::code_of(failure.kind()),
                    failure.what());
    }
}

}  // namespace merpati::store
