import { type LiveJob, ownValue } from '@lcs/contract';
import { useCallback, useMemo } from 'react';
import { jobOf } from '../jobs/job-phase.ts';
import { useAssignments, useJobs, useLabels, useModels, useUnits, useWorkers } from '../services/queries.ts';
import { modelText } from '../ui/model-text.ts';
import { unitNameText } from '../words/unit-name.ts';

/** What the lists of the leader know about one unit. */
export function useUnit(unit: string) {
  const workers = useWorkers();
  const { data: units } = useUnits();
  const { data: assignments } = useAssignments();
  const { data: models = [] } = useModels();
  const jobs = useJobs();
  const worker = workers.data?.find(({ reactor_unit }) => reactor_unit === unit);
  const experiment = assignments?.find(({ reactor_unit }) => reactor_unit === unit)?.experiment ?? null;
  const { data: labels } = useLabels(experiment ?? '', experiment !== null);
  const label = ownValue(labels ?? {}, unit) ?? null;
  const own = useMemo(() => (jobs ?? []).filter(({ reactor_unit }) => reactor_unit === unit), [jobs, unit]);
  const job = useCallback(
    (name: string): LiveJob | undefined => (experiment === null ? undefined : jobOf(own, unit, experiment, name)),
    [own, unit, experiment],
  );
  const model = models.find(
    ({ model_name, model_version }) => model_name === worker?.model_name && model_version === worker?.model_version,
  );
  return {
    workers,
    unit,
    worker,
    status: units?.find(({ reactor_unit }) => reactor_unit === unit),
    experiment,
    label,
    name: label ?? unit,
    fullName: unitNameText(unit, label),
    model,
    modelName: modelText(worker, models),
    jobs: own,
    isKnown: jobs !== undefined,
    job,
  };
}

export type UnitFacts = ReturnType<typeof useUnit>;
