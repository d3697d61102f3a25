set(unit_tests allocations bad_inputs callback out_of_memory settings threads)
