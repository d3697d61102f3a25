set(unit_tests common conformance elim event implicit partition runge_kutta systems tables)
