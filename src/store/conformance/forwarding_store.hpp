// A store that passes everything on to another one.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "store/store.hpp"

namespace merpati::store {

/// For tests that change some of it.
class ForwardingStore : public Store {
public:
    explicit ForwardingStore(Store& other) : other_(other) {}

    Result<void> write(WriteBatch& batch) override { return other_.write(batch); }
    Result<std::unique_ptr<Reader>> open_reader() override { return other_.open_reader(); }
    Result<void> maintain(bool is_idle) override { return other_.maintain(is_idle); }
    Result<void> checkpoint() override { return other_.checkpoint(); }
    void look_at_disk() override { other_.look_at_disk(); }
    Sha256 fingerprint(std::string_view text) const override { return other_.fingerprint(text); }
    Nodes* nodes() noexcept override { return other_.nodes(); }
    RowJournal* row_journal() noexcept override { return other_.row_journal(); }
    const Condition& condition() const noexcept override { return other_.condition(); }
    std::uint64_t bytes_on_disk() const override { return other_.bytes_on_disk(); }
    Result<void> backup(const std::filesystem::path& file) override { return other_.backup(file); }

private:
    Store& other_;
};

/// The same, which owns the other one.
class WrappingStore : public ForwardingStore {
public:
    explicit WrappingStore(std::unique_ptr<Store> other)
        : ForwardingStore(*other), owned_(std::move(other)) {}

private:
    const std::unique_ptr<Store> owned_;
};

}  // namespace merpati::store
