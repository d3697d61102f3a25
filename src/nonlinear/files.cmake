set(room_files tangent_space.c equilibrium.c path.c)
