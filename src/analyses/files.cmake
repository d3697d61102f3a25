set(room_files accuracy.c assemble.c assembled.c audit.c auto.c check.c compare.c compare_report.c cost.c
               kinematics.c list.c method.c modes.c modes_mesh.c modes_sparse.c passive.c record.c run.c sim.c stall.c
               start.c statics.c statics_mesh.c summary.c switches.c text.c transient.c trial.c)
