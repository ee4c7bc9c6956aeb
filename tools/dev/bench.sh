# Measurements, some against other programs: bench/, run by Node.

# run_bench [NAME…]
run_bench() {
  need_packages build release bench
  case " ${*:-nodes} " in *" nodes "*) need_packages nodes ;; esac
  need_node
  case " ${*:-web} " in *" web "*) need_web ;; esac
  build release merpati
  case " ${*:-crash} " in *" crash "* | *" web "*) need_node_modules tests ;; esac
  case " ${*:-crash} " in *" crash "* | *" linked "* | *" month "*)
    need_worker
    need_node_modules tests/standin
    ;;
  esac
  case " ${*:-cloud} " in *" cloud "*) need_node_modules tests/graph ;; esac
  # The load generator and the programs under test hold many connections.
  ulimit -n "$(ulimit -Hn)"
  node bench/main.mjs "$@"
}
