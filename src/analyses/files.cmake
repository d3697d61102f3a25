set(room_files accuracy.c advise.c assemble.c assembled.c audit.c auto.c boundary.c buckling.c check.c check_mesh.c choices.c compare.c compare_report.c cost.c course.c
               fit.c flow.c harmonic.c instants.c kinematics.c list.c method.c modal.c modes.c modes_mesh.c modes_sparse.c passages.c passive.c periodic.c rates.c record.c run.c
               sensitivity.c settings.c sim.c stall.c start.c start_flexible.c statics.c statics_mesh.c summary.c switches.c text.c transient.c trial.c turns.c)
