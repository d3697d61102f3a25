set(unit_tests conformance event runge_kutta tables)
