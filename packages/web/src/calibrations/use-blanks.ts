import type { Assignment, LiveJob, SessionEnvelope } from '@lcs/contract';
import { useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { broadcast } from '../api/broadcast.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useServices } from '../services/services.tsx';
import { useUnitNames } from '../services/use-unit-names.ts';
import { type CommandStep, useUnitCommand } from '../tasks/use-unit-command.ts';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';
import {
  blankJob,
  blankOptions,
  type FollowedBlanks,
  followedState,
  withoutRefused,
  withSessions,
} from './blank-runs.ts';

export const odJob = 'od_reading';
const resultPollMs = 2_000;
const startTitle = calibrationsWords.measureBlanks;

/** The units of each experiment: a request concerns one experiment. */
function byExperiment(
  units: readonly string[],
  assignments: readonly Assignment[],
): readonly (readonly [experiment: string, units: readonly string[]])[] {
  const found = new Map<string, string[]>();
  for (const unit of units) {
    const experiment = assignments.find(({ reactor_unit }) => reactor_unit === unit)?.experiment;
    if (experiment) found.set(experiment, [...(found.get(experiment) ?? []), unit]);
  }
  return [...found];
}

interface BlanksOptions {
  readonly jobs: readonly LiveJob[];
  readonly assignments: readonly Assignment[];
}

/** Measures blanks on several units at once, one request for each experiment, and follows them by the live stream. */
export function useBlanks({ jobs, assignments }: BlanksOptions) {
  const { leader } = useServices();
  const [followed, setFollowed] = useState<FollowedBlanks>(new Map());
  const units = [...followed.keys()];
  const nameOf = useUnitNames();
  const { command, sendSteps, sendEach, dismiss } = useUnitCommand(units, nameOf);
  useEffect(() => setFollowed((before) => withSessions(before, jobs)), [jobs]);
  useEffect(() => {
    if (command.phase !== 'failed' || command.what !== startTitle) return;
    const refused = command.refusals.map(({ unitId }) => unitId ?? null);
    setFollowed((before) => withoutRefused(before, refused));
  }, [command]);

  const stateOf = (unit: string) => followedState(jobs, unit, followed.get(unit));
  const sessions = units.flatMap((unit) => {
    const session = followed.get(unit);
    return session === undefined || stateOf(unit).phase !== 'ended' ? [] : [{ unit, session }];
  });
  const results = useQueries({
    queries: sessions.map(({ unit, session }) => ({
      queryKey: queryKeys.calibrationSession(unit, session),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        leader.getCalibrationSession({ params: { reactor_unit: unit, session_id: session }, signal }),
      // The job may end before its session does.
      refetchInterval: ({ state }: { readonly state: { readonly data: SessionEnvelope | undefined } }) =>
        state.data?.session.status === 'in_progress' ? resultPollMs : false,
    })),
  });
  const resultOf = (unit: string): SessionEnvelope | undefined =>
    results[sessions.findIndex((each) => each.unit === unit)]?.data;

  const stopOf = (addressed: readonly string[], job: string): readonly CommandStep[] =>
    byExperiment(addressed, assignments).map(([experiment, own]) => ({
      units: own,
      request: () =>
        leader.stopWorkerJob({
          params: { reactor_unit: broadcast, job_name: job, experiment },
          query: { units: own.join(',') },
        }),
    }));
  const start = (chosen: readonly string[], reading: readonly string[], onDone: () => void): void => {
    setFollowed(new Map(chosen.map((unit) => [unit, undefined])));
    const starts = byExperiment(chosen, assignments).map(([experiment, own]) => ({
      units: own,
      request: () =>
        leader.runWorkerJob({
          params: { reactor_unit: broadcast, job: blankJob, experiment },
          query: { units: own.join(',') },
          body: { options: blankOptions, env: { JOB_SOURCE: 'user' } },
        }),
    }));
    void sendSteps(startTitle, [...stopOf(reading, odJob), ...starts], onDone);
  };
  const answer = (unit: string, keep: boolean): void => {
    const experiment = assignments.find(({ reactor_unit }) => reactor_unit === unit)?.experiment ?? '';
    void sendEach(keep ? calibrationsWords.keepBlank : calibrationsWords.measureAgain, [
      {
        unit,
        request: () =>
          leader.updateWorkerJob({
            params: { reactor_unit: unit, job: blankJob, experiment },
            body: { settings: { answer: keep } },
          }),
      },
    ]);
  };
  const cancel = (): void => {
    const running = units.filter((unit) => stateOf(unit).phase !== 'ended');
    void sendSteps(commonWords.cancel, stopOf(running, blankJob));
  };
  /** Forgets the measurements that have ended. */
  const clear = (): void => {
    setFollowed(new Map());
    dismiss();
  };
  return {
    followed: units,
    nameOf,
    stateOf,
    sessionOf: (unit: string) => followed.get(unit),
    command,
    dismiss,
    start,
    answer,
    cancel,
    resultOf,
    clear,
  };
}

/** Whether OD reading runs on a unit: a blank needs the light for itself. */
export const isReadingOd = (jobs: readonly LiveJob[], unit: string): boolean =>
  jobs.some(({ reactor_unit, job_name }) => reactor_unit === unit && job_name === odJob);
