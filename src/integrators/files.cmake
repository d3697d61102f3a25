set(room_files adams.c central.c central_ranks.c cint.c alpha.c common.c control.c desc.c desc_sdirk.c desc_trap.c descriptor.c descriptor_dense.c elim.c
               energy_momentum.c event.c ida.c ida_matrix.c implicit.c infl_sdirk.c infl_trap.c list.c near.c panels.c
               partition_basis.c partition_matrices.c partition_recovery.c partition_ways.c partition_whole.c quadrature.c radau.c rk4.c
               rk45.c rk8.c rosen.c runge_kutta.c sdirk.c staggered.c thin.c trap.c trapezoidal.c turn.c)
