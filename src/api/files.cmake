set(room_files language.c model.c results.c sim.c structures.c sweep.c sweep_report.c)
