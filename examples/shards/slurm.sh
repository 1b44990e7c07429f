#!/usr/bin/env bash
# Measures one shard as a task of a Slurm array: sbatch --array=1-100 slurm.sh FOLDER [OPTION OF BENCH...]
# When all are done: bakeoff merge FOLDER/*.json -o merged.json
#SBATCH --job-name=bakeoff
#SBATCH --exclusive
#SBATCH --time=02:00:00
set -euo pipefail
folder=$1
shift
mkdir -p "$folder"
"${BAKEOFF:-build/bakeoff}" bench --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
    --json "$folder/$SLURM_ARRAY_TASK_ID.json" "$@" >/dev/null || [[ $? = 1 ]]
