import { blockingJobsIn, type CalibrationProtocol, leaderApi, openSessionIn } from '@lcs/contract';
import { Alert, Button, Group, List, Skeleton, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { plainWords } from '../api/plain-words.ts';
import { type DependentJob, dependentsOnUnits } from '../jobs/dependents.ts';
import { useDependents } from '../jobs/stop-question.tsx';
import { useJobDescriptors, useJobs } from '../services/queries.ts';
import { useMay } from '../services/use-may.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';
import { jobsWords } from '../words/jobs.ts';
import { openSessionsWords } from '../words/open-sessions.ts';
import styles from './calibrations.module.css';
import { CancelSessionDialog } from './cancel-session-dialog.tsx';
import { useAbortSession, useProtocols, useStartSession } from './use-calibrations.ts';

interface ProcedureListProps {
  readonly unit: string;
  /** The device that the person came for: its procedures are first. */
  readonly device: string | undefined;
  readonly onOpen: (sessionId: string) => void;
}

interface ProcedureProps {
  readonly procedure: CalibrationProtocol;
  readonly isStarting: boolean;
  readonly onStart: () => void;
  /** Why the procedure was not started, with what resolves it. */
  readonly refusal: ReactNode;
}

function Procedure({ procedure, isStarting, onStart, refusal }: ProcedureProps) {
  const { title, description, requirements, open_session } = procedure;
  const may = useMay();
  const action = open_session === undefined ? commonWords.start : commonWords.continue;
  return (
    <li className={styles.procedure}>
      <div className={styles.naming}>
        <h3 className={styles.name}>{title}</h3>
        <Text size="sm">{description}</Text>
        <Text size="sm" c="dimmed">
          {open_session === undefined
            ? calibrationsWords.youNeed(requirements.join('; '))
            : calibrationsWords.continuesAtLastStep}
        </Text>
        {refusal}
      </div>
      <Button
        variant={open_session === undefined ? 'default' : 'filled'}
        loading={isStarting}
        onClick={onStart}
        aria-label={`${action}: ${title}`}
        {...may(leaderApi.startCalibrationSession)}
      >
        {action}
      </Button>
    </li>
  );
}

/** Names of jobs as a sentence begins: `OD reading and stirring`. */
function jobNames(jobs: readonly string[]): string {
  const names = jobs.map(plainWords);
  const text = names.length < 2 ? (names[0] ?? '') : commonWords.listAnd(names.slice(0, -1).join(', '), names.at(-1));
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface RunningJobsProps {
  readonly jobs: readonly string[];
  /** Other running jobs that need them, in the order in which they stop. */
  readonly dependents: readonly DependentJob[];
  readonly isStopping: boolean;
  readonly onStopAndStart: (stopFirst: readonly string[]) => void;
}

/** Running jobs need the same parts of the unit: one button stops them and starts the procedure. It names what needs these jobs, as a stop does. */
function RunningJobs({ jobs, dependents, isStopping, onStopAndStart }: RunningJobsProps) {
  const may = useMay();
  const isOne = jobs.length === 1;
  const all = [...dependents.map(({ name }) => name), ...jobs];
  return (
    <Alert color="orange" variant="light" icon={<WarningIcon />} role="status" mt="xs">
      <Group gap="sm">
        <Text size="sm">
          {calibrationsWords.runningJobsDisturb(jobNames(jobs), isOne)}{' '}
          {isOne ? calibrationsWords.itStaysOff : calibrationsWords.theyStayOff}
        </Text>
        {dependents.length > 0 && (
          <div>
            <Text size="sm">{calibrationsWords.jobsNeedThem(isOne)}</Text>
            <List size="sm">
              {dependents.map(({ name, title, effect }) => (
                <List.Item key={name}>{jobsWords.effectWithoutIt(title, effect)}</List.Item>
              ))}
            </List>
          </div>
        )}
        <Button
          size="xs"
          variant={dependents.length > 0 ? 'default' : 'filled'}
          loading={isStopping}
          onClick={() => onStopAndStart(jobs)}
          {...may(leaderApi.stopWorkerJob)}
        >
          {calibrationsWords.stopAndStart(isOne)}
        </Button>
        {dependents.length > 0 && (
          <Button size="xs" loading={isStopping} onClick={() => onStopAndStart(all)} {...may(leaderApi.stopWorkerJob)}>
            {calibrationsWords.stopAllAndStart}
          </Button>
        )}
      </Group>
    </Alert>
  );
}

interface OpenAlreadyProps {
  readonly unit: string;
  /** The half-done procedure; undefined: its name is not known yet. */
  readonly title: string | undefined;
  readonly sessionId: string;
  readonly onOpen: (sessionId: string) => void;
  readonly onDiscarded: () => void;
}

/** Another procedure of the same device is half done: it is continued or discarded first. */
function OpenAlready({ unit, title, sessionId, onOpen, onDiscarded }: OpenAlreadyProps) {
  const abort = useAbortSession(unit);
  const [isAsking, setAsking] = useState(false);
  const may = useMay();
  return (
    <Alert color="orange" variant="light" icon={<WarningIcon />} role="status" mt="xs">
      <Text size="sm">
        {openSessionsWords.isHalfDone(unit, title ?? openSessionsWords.aCalibration)}{' '}
        {calibrationsWords.continueOrDiscardFirst}
      </Text>
      <Group mt="xs" gap="xs">
        <Button size="xs" onClick={() => onOpen(sessionId)}>
          {calibrationsWords.continueOpenProcedure}
        </Button>
        <Button size="xs" variant="default" onClick={() => setAsking(true)} {...may(leaderApi.abortCalibrationSession)}>
          {calibrationsWords.discardOpenProcedure}
        </Button>
      </Group>
      {abort.error && <ProblemAlert error={abort.error} />}
      <CancelSessionDialog
        how="discard"
        isOpen={isAsking}
        isPending={abort.isPending}
        onClose={() => setAsking(false)}
        onCancelSession={() => abort.mutate(sessionId, { onSuccess: onDiscarded, onSettled: () => setAsking(false) })}
      />
    </Alert>
  );
}

/** Reads the other running jobs of a unit that need some of its jobs, wherever those run. */
function useDependentsOf(unit: string): (names: readonly string[]) => readonly DependentJob[] {
  const jobs = useJobs() ?? [];
  const dependentsOn = useDependents();
  // They have the titles of the jobs.
  useJobDescriptors();
  return (names) =>
    dependentsOnUnits(names, (name) => {
      const running = jobs.find((each) => each.reactor_unit === unit && each.job_name === name);
      return running === undefined ? [] : dependentsOn(unit, running.experiment, name);
    }).filter(({ name }) => !names.includes(name));
}

/** The procedures that a unit offers, and those of them that are open. */
export function ProcedureList({ unit, device, onOpen }: ProcedureListProps) {
  const { data = [], error, isPending, isFetching, refetch } = useProtocols(unit);
  const start = useStartSession(unit);
  const dependentsOf = useDependentsOf(unit);
  const open = openSessionIn(start.error);
  const blocking = blockingJobsIn(start.error);
  const begin = (procedure: CalibrationProtocol, stopFirst: readonly string[] = []): void =>
    start.mutate({ procedure, stopFirst }, { onSuccess: ({ session }) => onOpen(session.session_id) });
  const isOf = ({ id }: CalibrationProtocol): boolean => start.variables?.procedure.id === id;
  // Beside the button that was pressed: the list is longer than a screen.
  const refusalOf = (procedure: CalibrationProtocol): ReactNode => {
    const isStopping = start.isPending && (start.variables?.stopFirst.length ?? 0) > 0;
    if (blocking.length > 0)
      return (
        <RunningJobs
          jobs={blocking}
          dependents={dependentsOf(blocking)}
          isStopping={isStopping}
          onStopAndStart={(stopFirst) => begin(procedure, stopFirst)}
        />
      );
    if (open !== undefined)
      return (
        <OpenAlready
          unit={unit}
          title={data.find(({ open_session }) => open_session === open)?.title}
          sessionId={open}
          onOpen={onOpen}
          onDiscarded={() => start.reset()}
        />
      );
    return <ProblemAlert error={start.error} />;
  };
  const isWanted = ({ target_device }: CalibrationProtocol): number => Number(target_device === device);
  return (
    <section id="procedures" aria-label={calibrationsWords.procedures}>
      <h2 className={styles.heading}>{calibrationsWords.procedures}</h2>
      {isPending && <Skeleton height={120} />}
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} retrying={isFetching} />}
      <ul className={styles.procedures}>
        {data
          .toSorted((one, other) => isWanted(other) - isWanted(one))
          .map((procedure) => (
            <Procedure
              key={procedure.id}
              procedure={procedure}
              isStarting={start.isPending && isOf(procedure)}
              refusal={start.error && isOf(procedure) && refusalOf(procedure)}
              onStart={() => {
                if (procedure.open_session !== undefined) onOpen(procedure.open_session);
                else begin(procedure);
              }}
            />
          ))}
      </ul>
    </section>
  );
}
