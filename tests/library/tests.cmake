set(unit_tests allocations callback)
