set(room_files tangent_space.c tangent_solve.c sparse_space.c equilibrium.c path.c way.c rest.c
  rest_border.c rest_domains.c rest_elements.c rest_free.c rest_path.c)
