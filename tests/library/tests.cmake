set(unit_tests allocations)
