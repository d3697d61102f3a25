set(unit_tests conformance runge_kutta tables)
