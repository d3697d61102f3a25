set(unit_tests automatic common conformance descriptor elim event implicit partition runge_kutta
               staggered systems tables)
