// Readers that stay open between short reads.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "store/reader.hpp"
#include "store/reader_source.hpp"

namespace merpati::store {

/// Lends readers, so that a short read does not have to open a connection and to prepare its
/// statements first.
///
/// Operation: `read` takes a reader that nobody uses, or opens one, and keeps it afterwards. A kept
/// reader is between two calls and so has no view of the store: pages can be moved out of the log,
/// and its next call sees everything that was committed before. A reader that failed is closed,
/// because the next one may succeed.
///
/// Threads: any; each read has a reader of its own. The pool must not outlive the store.
///
/// Limits: keeps `kept_max` readers. More are open while more threads read at once; no read waits
/// for another one.
class ReaderPool {
public:
    static constexpr std::size_t kept_max = 8;

    explicit ReaderPool(ReaderSource& store) : store_(store) {}

    /// Calls `ask` with a reader, and answers its result. Errors: those of
    /// ReaderSource::open_reader and of `ask`.
    template <class Ask>
    [[nodiscard]] auto read(Ask ask) -> std::invoke_result_t<Ask, Reader&> {
        auto reader = take();
        if (!reader) {
            return pass(reader);
        }
        auto answer = ask(**reader);
        if (answer || !is_failure(answer.error().code)) {
            keep(std::move(*reader));
        }
        return answer;
    }

private:
    [[nodiscard]] static bool is_failure(ErrorCode code) noexcept {
        return code == ErrorCode::store_failed || code == ErrorCode::damaged ||
               code == ErrorCode::unavailable;
    }
    [[nodiscard]] Result<std::unique_ptr<Reader>> take();
    void keep(std::unique_ptr<Reader> reader);

    ReaderSource& store_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Reader>> kept_;
};

}  // namespace merpati::store
