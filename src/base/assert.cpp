#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace merpati {

void invariant_broken(const char* what, std::source_location where) noexcept {
    std::fprintf(stderr, "merpati: broken invariant: %s (%s:%u)\n", what, where.file_name(),
                 where.line());
    std::abort();
}

}  // namespace merpati
