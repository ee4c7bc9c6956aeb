#include "base/thread.hpp"

#include <csignal>
#include <pthread.h>
#include <sys/resource.h>
#include <utility>

namespace merpati {

std::thread start_thread(const std::string& name, std::function<void()> body) {
    sigset_t blocked;
    sigset_t before;
    sigfillset(&blocked);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF}) {
        sigdelset(&blocked, fault);
    }
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    std::thread thread{[name = name.substr(0, 15), body = std::move(body)] {
        pthread_setname_np(pthread_self(), name.c_str());
        body();
    }};
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

std::thread start_background_thread(const std::string& name, std::function<void()> body) {
    return start_thread(name, [body = std::move(body)] {
        constexpr int nice = 10;
        constexpr id_t calling_thread = 0;  // On Linux the value is each thread's own.
        if (getpriority(PRIO_PROCESS, calling_thread) < nice) {
            (void)setpriority(PRIO_PROCESS, calling_thread, nice);
        }
        body();
    });
}

}  // namespace merpati
