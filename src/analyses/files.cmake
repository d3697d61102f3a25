set(room_files method.c assemble.c start.c check.c trial.c compare.c compare_report.c accuracy.c audit.c
               auto.c cost.c passive.c sim.c stall.c switches.c statics.c modes.c modes_sparse.c record.c
               run.c)
