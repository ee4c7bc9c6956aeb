// Threads with names, so that `top -H` and a debugger say what each one does.
#pragma once

#include <functional>
#include <string>
#include <thread>

namespace merpati {

/// A thread that is joined by its owner. The name is cut to 15 characters, the kernel's limit.
/// It blocks all signals except those of faults, and SIGPROF: only the main thread waits for
/// SIGTERM and SIGINT.
[[nodiscard]] std::thread start_thread(const std::string& name, std::function<void()> body);

/// As `start_thread`, for long work: while there is not enough CPU for all, the kernel gives the
/// thread a tenth of what it gives another one (nice 10). If the kernel refuses that, the thread is
/// like any other.
[[nodiscard]] std::thread start_background_thread(const std::string& name,
                                                  std::function<void()> body);

}  // namespace merpati
