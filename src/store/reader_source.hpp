// Opens readers of the store.
#pragma once

#include <memory>

#include "base/error.hpp"

namespace merpati::store {

class Reader;

/// What those need of the store who only read it (store/reader_pool.hpp keeps readers open).
///
/// Threads: any.
class ReaderSource {
public:
    virtual ~ReaderSource() = default;

    /// The reader must not outlive the store. Errors: store_failed, damaged, unavailable.
    [[nodiscard]] virtual Result<std::unique_ptr<Reader>> open_reader() = 0;
};

}  // namespace merpati::store
