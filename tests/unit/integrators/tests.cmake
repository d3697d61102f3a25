set(unit_tests automatic common conformance elim event implicit partition runge_kutta systems tables)
