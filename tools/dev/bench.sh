# Measurements against peers.

run_bench() { stop_with "there are no measurements yet"; }
