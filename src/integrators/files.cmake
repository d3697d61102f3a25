set(room_files adams.c automatic.c common.c elim.c event.c implicit.c list.c partition.c rk4.c rk45.c rk8.c rosen.c runge_kutta.c sdirk.c trap.c turn.c)
