set(unit_tests automatic common conformance descriptor elim event implicit panels partition runge_kutta
               staggered systems tables)
