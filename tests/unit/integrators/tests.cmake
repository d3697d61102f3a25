set(unit_tests common conformance descriptor elim event implicit panels partition runge_kutta
               staggered systems tables)
