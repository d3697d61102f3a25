set(room_files cell.c mesh.c promote.c generate.c lattice.c gen_straight.c gen_round.c gen_truss.c gen_reference.c
    graph.c skin.c quality.c places.c join.c scan.c msh.c inp.c expand.c read.c decompose.c cut_graph.c colour.c map.c)
