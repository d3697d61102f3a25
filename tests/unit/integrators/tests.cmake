set(unit_tests runge_kutta tables)
