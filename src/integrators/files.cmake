set(room_files adams.c common.c event.c list.c rk4.c rk45.c rk8.c runge_kutta.c)
