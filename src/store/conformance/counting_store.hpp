// A store that counts the readers which it opens.
#pragma once

#include "store/conformance/forwarding_store.hpp"

namespace merpati::store {

struct CountingStore final : ForwardingStore {
    using ForwardingStore::ForwardingStore;

    Result<std::unique_ptr<Reader>> open_reader() override {
        ++opened;
        return ForwardingStore::open_reader();
    }

    int opened = 0;
};

}  // namespace merpati::store
