set(unit_tests common conformance event runge_kutta systems tables)
