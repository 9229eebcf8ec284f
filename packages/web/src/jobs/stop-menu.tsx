import { leaderApi } from '@lcs/contract';
import { dosingAutomationJob } from '@lcs/domain';
import { Button, Group, Menu, Text } from '@mantine/core';
import { useMatchRoute } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { broadcast } from '../api/broadcast.ts';
import type { Requirement } from '../services/gate.ts';
import { useJobs, useUnits } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { followTask } from '../tasks/follow-task.ts';
import { useUnitCommand } from '../tasks/use-unit-command.ts';
import { StopIcon } from '../ui/icons.tsx';
import { offlineText } from './offline-text.ts';
import {
  type LeftOff,
  leftOffBy,
  leftOffText,
  type PlannedEnds,
  profileExperiments,
  type StoppedJob,
  type StopScope,
  stoppedBy,
  withPlannedEnds,
} from './start-again.ts';
import styles from './stop-menu.module.css';

/** How long units may take to report the planned ends of their jobs. */
const lookUpMs = 10_000;
/** How long "Start again" is offered after the end of a stop. */
const undoMs = 10_000;

const asItIs = (unit: string): string => unit;

const titleOf = ({ what, experiment }: StopScope): string => {
  if (what === 'pumps') return 'Stop all pumps';
  return experiment === null ? 'Stop everything' : `Stop ${experiment}`;
};

/** Stops, and starts again what was stopped last. */
function useStops() {
  const { leader, clock } = useServices();
  const jobs = useJobs();
  const { command, send, sendEach, dismiss } = useUnitCommand(null, asItIs);
  const [stopped, setStopped] = useState<readonly StoppedJob[]>([]);
  const [leftOff, setLeftOff] = useState<readonly LeftOff[]>([]);
  const [unknown, setUnknown] = useState<readonly LeftOff[]>([]);
  const [what, setWhat] = useState<StopScope['what']>('everything');
  const isPending = command.phase === 'pending';
  useEffect(
    () => (stopped.length === 0 || isPending ? undefined : clock.after(undoMs, () => setStopped([]))),
    [stopped, isPending, clock],
  );
  /** Asked for when the menu opens, while the jobs still run: what they publish does not contain it. */
  const ends = useRef<Promise<PlannedEnds>>(Promise.resolve(new Map()));
  const lookUpEnds = useCallback((): void => {
    const read = async (): Promise<PlannedEnds> => {
      const accepted = leader.listWorkerRunningJobs({ params: { reactor_unit: broadcast } });
      // What reads the answers of units is loaded while they answer.
      const [{ plannedEndsIn }, task] = await Promise.all([
        import('./planned-ends.ts'),
        accepted.then((each) => followTask(clock, each, lookUpMs)),
      ]);
      return plannedEndsIn(task);
    };
    // Without an answer the end of no job is known.
    ends.current = read().catch(() => new Map());
  }, [leader, clock]);
  const stop = (scope: StopScope): void => {
    setStopped(stoppedBy(scope, jobs ?? []));
    setLeftOff(leftOffBy(scope, jobs ?? []));
    setUnknown([]);
    setWhat(scope.what);
    const { experiment } = scope;
    const request = () =>
      experiment === null
        ? leader.stopEverywhere({ body: { what: scope.what } })
        : leader.stopWorkerJobsOfExperiment({ params: { reactor_unit: broadcast, experiment } });
    void send(titleOf(scope), request);
  };
  const startAgain = async (): Promise<void> => {
    setStopped([]);
    const { again, unknown } = withPlannedEnds(stopped, await ends.current, clock.now());
    setUnknown(unknown);
    const requests = again.map(({ unit, experiment, jobName, options, endsAt }) => ({
      unit,
      request: () =>
        leader.runWorkerJob({
          params: { reactor_unit: unit, job: jobName, experiment },
          // It ran with these values a moment ago, by the decision of a person.
          body: {
            options,
            env: { JOB_SOURCE: 'user' },
            confirm_dilution: jobName === dosingAutomationJob.name,
            ...(endsAt !== undefined && { ends_at: endsAt }),
          },
          reason: 'Start again after a stop',
        }),
    }));
    await sendEach('Start again', requests);
  };
  // A stop that a unit missed stays ordered until the unit is back: nothing is started meanwhile.
  const again = command.phase === 'pending' || command.phase === 'failed' ? [] : stopped;
  const profiles = what === 'pumps' ? [...profileExperiments(jobs ?? [])] : [];
  const close = (): void => {
    dismiss();
    setUnknown([]);
  };
  return { command, dismiss: close, stop, again, leftOff, unknown, profiles, startAgain, lookUpEnds };
}

interface StopMenuProps {
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Stops pumps, an experiment or everything, on every page in two clicks. */
export function StopMenu({ isOpen, onOpen }: StopMenuProps) {
  const { command, dismiss, stop, again, leftOff, unknown, profiles, startAgain, lookUpEnds } = useStops();
  const offline = (useUnits().data ?? []).flatMap(({ reactor_unit, liveness }) =>
    liveness === 'online' ? [] : [reactor_unit],
  );
  useEffect(() => {
    if (isOpen) lookUpEnds();
  }, [isOpen, lookUpEnds]);
  const may = useMay();
  const matched = useMatchRoute()({ to: '/experiments/$experiment', fuzzy: true });
  const experiment = matched === false ? null : matched.experiment;
  const item = (scope: StopScope, route: Requirement) => (
    <Menu.Item className={`danger ${styles.item ?? ''}`} onClick={() => stop(scope)} {...may(route)}>
      {titleOf(scope)}
    </Menu.Item>
  );
  return (
    <>
      <Menu position="bottom-end" opened={isOpen} onChange={onOpen}>
        <Menu.Target>
          <Button className={styles.button} size="xs" color="red.9" leftSection={<StopIcon size={14} />}>
            Stop
          </Button>
        </Menu.Target>
        <Menu.Dropdown maw={320}>
          {item({ what: 'pumps', experiment: null }, leaderApi.stopEverywhere)}
          {experiment !== null && item({ what: 'everything', experiment }, leaderApi.stopWorkerJobsOfExperiment)}
          {item({ what: 'everything', experiment: null }, leaderApi.stopEverywhere)}
          {offline.length > 0 && <Menu.Label fz="sm">{offlineText(offline)}</Menu.Label>}
        </Menu.Dropdown>
      </Menu>
      {(command.phase !== 'idle' || again.length > 0 || unknown.length > 0) && (
        <div className={styles.outcome}>
          {command.phase !== 'idle' && <CommandStatus command={command} onDismiss={dismiss} />}
          {command.phase !== 'idle' && profiles.length > 0 && (
            <Text size="sm">
              A profile still runs in {profiles.join(', ')}: its next action may start pumps again. Stop everything ends
              it.
            </Text>
          )}
          {unknown.length > 0 && (
            <Group gap="xs" role="status">
              <Text size="sm">
                Not started again, since its planned end is not known: {leftOffText(unknown)}. Start each on the page of
                its unit.
              </Text>
              <Button size="xs" variant="default" onClick={dismiss}>
                Close
              </Button>
            </Group>
          )}
          {again.length > 0 && leftOff.length > 0 && (
            <Text size="sm">"Start again" does not start: {leftOffText(leftOff)}.</Text>
          )}
          {again.length > 0 && (
            <Button
              mt="xs"
              size="xs"
              variant="default"
              onClick={() => void startAgain()}
              {...may(leaderApi.runWorkerJob)}
            >
              Start again
            </Button>
          )}
        </div>
      )}
    </>
  );
}
