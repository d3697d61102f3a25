set(unit_tests gauss slab wave)
