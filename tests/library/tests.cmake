set(unit_tests allocations bad_inputs callback settings)
