// A store that counts the readers which it opens.
#pragma once

#include "store/store.hpp"

namespace merpati::store {

struct CountingStore final : Store {
    explicit CountingStore(Store& counted) : of(counted) {}
    Result<std::unique_ptr<Reader>> open_reader() override {
        ++opened;
        return of.open_reader();
    }
    Sha256 fingerprint(std::string_view text) const override { return of.fingerprint(text); }
    Result<void> write(WriteBatch& batch) override { return of.write(batch); }
    Result<void> maintain(bool is_idle) override { return of.maintain(is_idle); }
    Result<void> checkpoint() override { return of.checkpoint(); }
    void look_at_disk() override { of.look_at_disk(); }
    const Condition& condition() const noexcept override { return of.condition(); }
    std::uint64_t bytes_on_disk() const override { return of.bytes_on_disk(); }
    Result<void> backup(const std::filesystem::path& file) override { return of.backup(file); }

    Store& of;
    int opened = 0;
};

}  // namespace merpati::store
