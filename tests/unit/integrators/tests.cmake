set(unit_tests common conformance descriptor elim event implicit panels partition quadrature runge_kutta
               staggered systems table_infl_sdirk table_radau table_rosen table_sdirk tables)
set(longer_tests conformance implicit partition)
