set(unit_tests common conformance event implicit partition runge_kutta systems tables)
