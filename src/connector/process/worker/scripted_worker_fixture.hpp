// Options that run the worker of the tests (testdata/scripted_worker.py), with short times.
#pragma once

#include "connector/process/options.hpp"

namespace merpati::connector::process {

[[nodiscard]] inline Options scripted_worker() {
    Options options;
    options.name = "scripted";
    options.command = [] { return std::vector<std::string>{"python3", MERPATI_SCRIPTED_WORKER}; };
    options.tick = Millis{20};
    options.back_off_first = Millis{40};
    return options;
}

}  // namespace merpati::connector::process
